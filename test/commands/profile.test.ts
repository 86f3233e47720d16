import { describe, expect, it } from 'vitest';
import { SyncError } from '../../src/base/errors.ts';
import type { SandboxServer } from '../../src/sandbox/server.ts';
import { type MetricsChange, showOrUpdate } from '../../src/app/profile-update.ts';
import { profileText } from '../../src/commands/profile.ts';
import { clientOf, openSandbox } from '../support/delivery.ts';
import { type Answer, openTinyService } from '../support/tiny-service.ts';

async function open() {
  const sandbox = await openSandbox();
  const { client, asked } = clientOf(sandbox);
  const run = (options: Partial<MetricsChange>) =>
    showOrUpdate(
      { dryRun: false, force: false, ...options },
      { client, url: () => new URL('/api/profile', sandbox.url) },
      new AbortController().signal,
    );
  const requests = () => sandbox.control.requests();
  return { sandbox, asked, run, requests };
}

describe('the profile', () => {
  it('shows all possible requests with --dry-run, and makes none', async () => {
    const { sandbox, run, requests, asked } = await open();
    const url = `${sandbox.url}/api/profile`;
    const patch = (body: object, when: string) => ({ method: 'PATCH', url, body, when });
    expect(await run({ weight: 72.55, ftp: 280, dryRun: true })).toEqual({
      action: 'would-update',
      requests: [
        { method: 'GET', url },
        patch(
          { weight: 72.55, weightUnits: 'Kilograms', ftp: 280 },
          'if the athlete reads kilograms',
        ),
        patch({ weight: 159.9454, weightUnits: 'Pounds', ftp: 280 }, 'if the athlete reads pounds'),
        patch({ weight: 72.55, ftp: 280 }, 'if no profile names a unit'),
      ],
    });
    expect(await run({ ftp: 280, dryRun: true })).toEqual({
      action: 'would-update',
      requests: [{ method: 'PATCH', url, body: { ftp: 280 } }],
    });
    expect([requests(), asked()]).toEqual([[], 0]);
  });

  it.each<[Partial<MetricsChange>, string]>([
    [{ weight: 19.9 }, '--weight 19.9: not between 20 and 400 kg.'],
    [{ weight: 725 }, '--weight 725: not between 20 and 400 kg.'],
    [{ ftp: 0 }, '--ftp 0: not between 30 and 700 W.'],
    [{ ftp: 2800 }, '--ftp 2800: not between 30 and 700 W.'],
    [{ ftp: 280.5 }, '--ftp 280.5: not a whole number of watts.'],
    [{ weight: Number.NaN }, '--weight NaN: not between 20 and 400 kg.'],
  ])('refuses %j', async (options, message) => {
    const { run, requests } = await open();
    await expect(run(options)).rejects.toMatchObject({ code: 'USAGE', message });
    expect(requests()).toEqual([]);
  });
});

const KG_PER_POUND = 0.45359237;

/** A profile that a service keeps, and what the service makes of an update. */
interface Kept {
  weight: number;
  weightUnits: string | undefined;
  ftp?: number;
}

/** `weightUnits` sets the display unit; a weight without it is in that unit. */
function update(kept: Kept, { weight, weightUnits, ftp }: Partial<Kept>): void {
  const pounds = (weightUnits ?? kept.weightUnits) === 'Pounds';
  if (weight !== undefined) {
    kept.weight = Math.round(weight * (pounds ? KG_PER_POUND : 1) * 100) / 100;
  }
  if (weightUnits !== undefined) kept.weightUnits = weightUnits;
  if (ftp !== undefined) kept.ftp = ftp;
}

/** A service with one athlete, over real HTTP. */
async function openService(
  weightUnits: string | undefined,
  over: {
    /** In place of the profile. */
    readonly get?: Answer;
    readonly patch?: (kept: Kept, body: unknown) => Answer | undefined;
  } = {},
) {
  const kept: Kept = { weight: 90, weightUnits };
  const service = await openTinyService({
    'GET /api/profile': () => over.get ?? [200, { connected: true, profile: kept }],
    'PATCH /api/profile': ({ body }) => {
      const refused = over.patch?.(kept, body);
      if (refused !== undefined) return refused;
      update(kept, body as Partial<Kept>);
      return [200, { success: true, profile: kept }];
    },
  });
  const control = {
    mint: () => ({ access_token: 'some-token' }),
  } as unknown as SandboxServer['control'];
  const { client } = clientOf({ url: service.url, control });
  const run = (options: Partial<MetricsChange>) =>
    showOrUpdate(
      { dryRun: false, force: false, ...options },
      { client, url: () => new URL('/api/profile', service.url) },
      new AbortController().signal,
    );
  const patches = () =>
    service.requests.filter(({ method }) => method === 'PATCH').map(({ body }) => body);
  return { run, kept, patches };
}

describe('a weight', () => {
  it('that differs by a quarter from the one before is sent with a doubt', async () => {
    const { run } = await openService('Pounds');
    expect(await run({ weight: 112 })).not.toHaveProperty('warnings');
    expect(await run({ weight: 177 })).toMatchObject({
      profile: { weight: 177 },
      warnings: ['The weight was 112 kg before: is 177 kg right? The option takes kilograms.'],
    });
  });

  it.each([72.55, 20, 399.99, 63.4])(
    'sends %d kg for an athlete who reads pounds, and keeps the display unit',
    async (weight) => {
      const { run, kept, patches } = await openService('Pounds');
      expect(await run({ weight, ftp: 281 })).toMatchObject({
        action: 'updated',
        profile: { ...kept },
      });
      expect(kept).toEqual({ weight, weightUnits: 'Pounds', ftp: 281 });
      expect(patches()).toEqual([
        {
          weight: expect.closeTo(weight / KG_PER_POUND, 3) as number,
          weightUnits: 'Pounds',
          ftp: 281,
        },
      ]);
    },
  );

  it('sends kg for an athlete who reads kilograms', async () => {
    const { run, kept, patches } = await openService('Kilograms');
    await run({ weight: 72.55 });
    expect(kept).toEqual({ weight: 72.55, weightUnits: 'Kilograms' });
    expect(patches()).toEqual([{ weight: 72.55, weightUnits: 'Kilograms' }]);
  });

  it('sends kg without a unit if the profile names none', async () => {
    const { run, kept, patches } = await openService(undefined);
    await run({ weight: 72.55 });
    expect([kept, patches()]).toEqual([{ weight: 72.55 }, [{ weight: 72.55 }]]);
  });

  it.each<[string, Answer]>([
    ['nothing', [200, undefined]],
    ['an empty object', [200, {}]],
    ['a list', [200, []]],
    ['another field', [201, { id: 'a' }]],
    ['success alone', [200, { success: true }]],
  ])('counts as set by any success that does not contradict: %s', async (_what, answer) => {
    const { run, patches } = await openService('Kilograms', { patch: () => answer });
    expect(await run({ weight: 72.5, ftp: 280 })).toEqual({
      action: 'updated',
      profile: undefined,
    });
    expect(patches()).toHaveLength(1);
  });

  it('is not sent if the body of a success contradicts it', async () => {
    const { run } = await openService('Kilograms', {
      patch: () => [200, { success: false, message: 'Weight is locked' }],
    });
    await expect(run({ weight: 72.5 })).rejects.toMatchObject({
      code: 'REJECTED',
      message: 'The platform did not take the update: Weight is locked',
    });
  });

  it.each<[string, Answer]>([
    ['no such page', [404, { message: 'Page not found' }]],
    ['no such method', [405, undefined]],
    ['not implemented', [501, undefined]],
  ])('says that the platform has no profile, and nothing about units: %s', async (_what, no) => {
    const { run } = await openService('Pounds', { get: no, patch: () => no });
    for (const change of [{ weight: 72.5 }, { ftp: 280 }, {}]) {
      await expect(run(change)).rejects.toMatchObject({
        code: 'REJECTED',
        message: 'The platform offers applications no profile.',
      });
    }
  });

  it('says so if the answer is empty', async () => {
    const { run } = await openService('Pounds', { get: [200, {}] });
    await expect(run({})).rejects.toMatchObject({
      message: 'The platform offers applications no profile.',
    });
  });

  it('is changed on a platform that takes updates and shows no profile', async () => {
    const { run, patches } = await openService('Kilograms', { get: [405, undefined] });
    expect(await run({ weight: 72.5 })).toMatchObject({ action: 'updated' });
    expect(patches()).toEqual([{ weight: 72.5 }]);
  });

  it('is not sent without --force if the login may not read the unit', async () => {
    const get: Answer = [403, { message: 'Required scopes: profile:read' }];
    const { run, kept, patches } = await openService('Pounds', { get });
    const error = await run({ weight: 72.5, ftp: 281 }).catch((thrown: unknown) => thrown);
    if (!(error instanceof SyncError)) expect.unreachable();
    expect(error.code).toBe('SCOPE_MISSING');
    expect(error.message).toContain('would set that unit to kilograms');
    expect(String(error.hint)).toContain('--force');
    expect([kept, patches()]).toEqual([{ weight: 90, weightUnits: 'Pounds' }, []]);

    const report = await run({ weight: 72.5, force: true });
    expect(patches()).toEqual([{ weight: 72.5, weightUnits: 'Kilograms' }]);
    expect(report).toMatchObject({
      warnings: ["The unit in which the platform's pages show weights is kilograms now."],
    });
  });

  it('reports a weight that the platform stored differently', async () => {
    const { run, patches } = await openService('Pounds', {
      patch: (kept) => [200, { success: true, profile: { ...kept, weight: 100 } }],
    });
    await expect(run({ weight: 72.5 })).rejects.toMatchObject({
      code: 'SERVICE_ANSWER',
      message: 'The platform stored a weight of 100 kg, not 72.5 kg.',
    });
    expect(patches()).toHaveLength(1);
  });
});

describe('the text of a profile', () => {
  it('shows each field, with its unit if that is known', () => {
    const profile = {
      name: 'Ann',
      weight: 61.5,
      weightUnits: 'Kilograms',
      ftp: 250,
      zones: [1],
      gone: null,
    };
    expect(profileText({ action: 'shown', profile })).toEqual(
      [
        'name          Ann',
        'weight        61.5 kg',
        "weight units  Kilograms (on the platform's pages)",
        'FTP           250 W',
      ].join('\n'),
    );
    // Names that every object has are not in our tables.
    expect(profileText({ action: 'shown', profile: { constructor: 'x' } })).toEqual(
      '{\n  "constructor": "x"\n}',
    );
    // No name of the interface is shown.
    const further = {
      weight: 61.5,
      weightSourceMode: 'AUTO',
      effectiveWeight: 61.5,
      uiLanguage: 'en',
    };
    expect(profileText({ action: 'shown', profile: further })).toEqual('weight  61.5 kg');
    expect(
      profileText({ action: 'updated', profile: { weight: 140, weightUnits: 'Pounds' } }),
    ).toEqual(
      "The profile is updated. It now says:\nweight        140 kg\nweight units  Pounds (on the platform's pages)",
    );
    expect(profileText({ action: 'updated', profile: undefined })).toEqual(
      'The platform accepted the update, and shows no profile.',
    );
    expect(profileText({ action: 'shown', profile: [1] })).toEqual('[\n  1\n]');
  });

  it('shows the requests of a dry run', () => {
    const url = 'https://a/api/profile';
    const requests = [
      { method: 'GET', url },
      { method: 'PATCH', url, body: { ftp: 1 }, when: 'if so' },
    ] as const;
    expect(profileText({ action: 'would-update', requests })).toEqual(
      `Would be sent:\n  GET ${url}\n  PATCH ${url} (if so)\n  {"ftp":1}`,
    );
  });
});
