import { describe, expect, it } from 'vitest';
import { type ProfileOptions, runProfile } from '../../src/commands/profile.ts';
import { clientOf, openSandbox } from '../support/delivery.ts';

async function open() {
  const sandbox = await openSandbox();
  const { client, asked } = clientOf(sandbox);
  const run = (options: Partial<ProfileOptions>) =>
    runProfile(
      { dryRun: false, ...options },
      {
        client,
        profileUrl: () => new URL('/api/profile', sandbox.url),
        signal: new AbortController().signal,
      },
    );
  const requests = () => sandbox.control.requests();
  return { sandbox, asked, run, requests };
}

describe('the profile', () => {
  it('is shown as the service has it', async () => {
    const { run, requests } = await open();
    expect(await run({})).toMatchObject({
      action: 'shown',
      profile: expect.any(Object) as unknown,
    });
    expect(requests().map(({ method }) => method)).toEqual(['GET']);
  });

  it.each<[Partial<ProfileOptions>, object]>([
    [{ weight: 72.5 }, { weight: 72.5, weightUnits: 'Kilograms' }],
    [{ ftp: 280 }, { ftp: 280 }],
    [
      { weight: 60, ftp: 200 },
      { weight: 60, weightUnits: 'Kilograms', ftp: 200 },
    ],
  ])('is updated with %j: a weight always says its unit', async (options, body) => {
    const { run, requests } = await open();
    const report = await run(options);
    expect(report).toMatchObject({ action: 'updated', profile: options });
    expect(requests().map(({ method, body: sent }) => [method, sent])).toEqual([['PATCH', body]]);
  });

  it('shows with --dry-run the very request that is then made, and makes none', async () => {
    const { sandbox, run, requests, asked } = await open();
    const dry = await run({ weight: 72.5, ftp: 280, dryRun: true });
    expect([requests(), asked()]).toEqual([[], 0]);
    await run({ weight: 72.5, ftp: 280 });
    const [sent] = requests();
    expect(dry).toEqual({
      action: 'would-update',
      request: { method: sent?.method, url: `${sandbox.url}${sent?.path ?? ''}`, body: sent?.body },
    });
  });

  it.each<[Partial<ProfileOptions>, string]>([
    [{ weight: 19.9 }, '--weight 19.9: not between 20 and 400 kg.'],
    [{ weight: 725 }, '--weight 725: not between 20 and 400 kg.'],
    [{ ftp: 0 }, '--ftp 0: not between 30 and 700 W.'],
    [{ ftp: 2800 }, '--ftp 2800: not between 30 and 700 W.'],
    [{ ftp: 280.5 }, '--ftp 280.5: not a whole number of watts.'],
    [{ weight: Number.NaN }, '--weight NaN: not between 20 and 400 kg.'],
  ])('is not updated with %j', async (options, message) => {
    const { run, requests } = await open();
    await expect(run(options)).rejects.toMatchObject({ code: 'USAGE', message });
    expect(requests()).toEqual([]);
  });
});
