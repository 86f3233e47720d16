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
        patch({ weight: 72.55, ftp: 280 }, 'if the profile names no unit'),
        patch({ weight: 72.55 }, 'if the platform then stored pounds as kilograms'),
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

const revisions = {
  /** `weightUnits` sets the display unit; a weight without it is in that unit. */
  '2026-08': (kept: Kept, { weight, weightUnits, ftp }: Partial<Kept>) => {
    const pounds = (weightUnits ?? kept.weightUnits) === 'Pounds';
    if (weight !== undefined) {
      kept.weight = Math.round(weight * (pounds ? KG_PER_POUND : 1) * 100) / 100;
    }
    if (weightUnits !== undefined) kept.weightUnits = weightUnits;
    if (ftp !== undefined) kept.ftp = ftp;
  },
  /** Every weight is in kg. */
  '2026-02': (kept: Kept, { weight, ftp }: Partial<Kept>) => {
    if (weight !== undefined) kept.weight = weight;
    if (ftp !== undefined) kept.ftp = ftp;
  },
} as const;

/** A service with one athlete, over real HTTP. */
async function openService(
  weightUnits: string | undefined,
  revision: keyof typeof revisions,
  over: {
    /** In place of the profile. */
    readonly get?: Answer;
    readonly patch?: (kept: Kept, body: unknown) => Answer | undefined;
    /** The display unit is there, and no answer shows it. */
    readonly hidden?: boolean;
  } = {},
) {
  const kept: Kept = { weight: 90, weightUnits };
  const shown = () => (over.hidden === true ? { weight: kept.weight, ftp: kept.ftp } : { ...kept });
  const service = await openTinyService({
    'GET /api/profile': () => over.get ?? [200, { connected: true, profile: shown() }],
    'PATCH /api/profile': ({ body }) => {
      const refused = over.patch?.(kept, body);
      if (refused !== undefined) return refused;
      revisions[revision](kept, body as Partial<Kept>);
      return [200, { success: true, profile: shown() }];
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
  it.each([72.55, 20, 399.99, 63.4])(
    'sends %d kg for an athlete who reads pounds, and keeps the display unit',
    async (weight) => {
      const { run, kept, patches } = await openService('Pounds', '2026-08');
      expect(await run({ weight, ftp: 281 })).toEqual({ action: 'updated', profile: { ...kept } });
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

  it('sends the weight again in kg, without a unit, to a service that ignores units', async () => {
    const { run, kept, patches } = await openService('Pounds', '2026-02');
    expect(await run({ weight: 72.5, ftp: 281 })).toEqual({
      action: 'updated',
      profile: { ...kept },
      warnings: ['The platform ignores the unit of a weight: it was sent again, as 72.5 kg.'],
    });
    expect(kept).toEqual({ weight: 72.5, weightUnits: 'Pounds', ftp: 281 });
    expect(patches()).toEqual([
      { weight: 159.8351, weightUnits: 'Pounds', ftp: 281 },
      { weight: 72.5 },
    ]);
  });

  it.each(['2026-08', '2026-02'] as const)(
    'sends kg for an athlete who reads kilograms (%s)',
    async (revision) => {
      const { run, kept, patches } = await openService('Kilograms', revision);
      await run({ weight: 72.55 });
      expect(kept).toEqual({ weight: 72.55, weightUnits: 'Kilograms' });
      expect(patches()).toEqual([{ weight: 72.55, weightUnits: 'Kilograms' }]);
    },
  );

  it.each(['Pounds', undefined])(
    'stores the right weight if the profile shows no unit (it is %s)',
    async (weightUnits) => {
      const { run, kept, patches } = await openService(weightUnits, '2026-08', { hidden: true });
      const report = await run({ weight: 72.55 });
      expect(kept).toEqual({ weight: 72.55, weightUnits });
      expect(patches().every((body) => !Object.hasOwn(body as object, 'weightUnits'))).toBe(true);
      expect(Object.hasOwn(report, 'warnings')).toBe(weightUnits === 'Pounds');
    },
  );

  it('reads the stored weight from the profile if the answer to the update shows none', async () => {
    const { run, kept } = await openService('Pounds', '2026-02', {
      patch: (profile, body) => {
        revisions['2026-02'](profile, body as Partial<Kept>);
        return [200, { success: true }];
      },
    });
    expect(await run({ weight: 72.5 })).toMatchObject({ profile: { weight: 72.5 } });
    expect(kept.weight).toBe(72.5);
  });

  it.each<[string, Answer, string]>([
    ['may not be', [403, { message: 'Required scopes: profile:read' }], 'SCOPE_MISSING'],
    ['cannot be', [404, { message: 'Page not found' }], 'REJECTED'],
  ])('sends no weight without --force if the unit %s read', async (_what, get, code) => {
    const { run, kept, patches } = await openService('Pounds', '2026-08', { get });
    const error = await run({ weight: 72.5, ftp: 281 }).catch((thrown: unknown) => thrown);
    if (!(error instanceof SyncError)) expect.unreachable();
    expect(error.code).toBe(code);
    expect(error.message).toContain('would set that unit to kilograms');
    expect(String(error.hint)).toContain('--force');
    expect([kept, patches()]).toEqual([{ weight: 90, weightUnits: 'Pounds' }, []]);

    const report = await run({ weight: 72.5, force: true });
    expect(patches()).toEqual([{ weight: 72.5, weightUnits: 'Kilograms' }]);
    expect(report).toMatchObject({
      warnings: ["The unit in which the platform's pages show weights is kilograms now."],
    });
  });

  it('reports an unchanged display unit at a service that ignores units', async () => {
    const { run, kept, patches } = await openService('Pounds', '2026-02', {
      get: [403, { message: 'Insufficient permissions. Required scopes: profile:read' }],
    });
    const report = await run({ weight: 72.5, force: true });
    expect(patches()).toEqual([{ weight: 72.5, weightUnits: 'Kilograms' }]);
    expect(kept).toEqual({ weight: 72.5, weightUnits: 'Pounds' });
    expect(report).toMatchObject({
      warnings: [
        'The platform kept the unit in which its pages show weights: it ignores the unit of an update.',
      ],
    });
  });

  it('reports a weight that the platform stored differently', async () => {
    const { run, patches } = await openService('Pounds', '2026-08', {
      patch: (kept) => [200, { success: true, profile: { ...kept, weight: 100 } }],
    });
    await expect(run({ weight: 72.5 })).rejects.toMatchObject({
      code: 'SERVICE_ANSWER',
      message: 'The platform stored a weight of 100 kg, not 72.5 kg.',
    });
    expect(patches()).toHaveLength(1);
  });

  it('reports the stored weight if the correction fails', async () => {
    let updates = 0;
    const { run, kept } = await openService('Pounds', '2026-02', {
      patch: () => (++updates === 2 ? [422, { message: 'Too many changes' }] : undefined),
    });
    await expect(run({ weight: 72.5 })).rejects.toMatchObject({
      code: 'REJECTED',
      message: /The profile now says 159\.8351 kg\./,
      hint: 'Run the same command again: it corrects the weight.',
    });
    expect(kept.weight).toBe(159.8351);
    await run({ weight: 72.5 });
    expect(kept).toEqual({ weight: 72.5, weightUnits: 'Pounds' });
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
      'constructor  x',
    );
    expect(
      profileText({ action: 'updated', profile: { weight: 140, weightUnits: 'Pounds' } }),
    ).toEqual(
      "The profile is updated. It now says:\nweight        140 kg\nweight units  Pounds (on the platform's pages)",
    );
    expect(profileText({ action: 'updated', profile: undefined })).toEqual(
      'The profile is updated.',
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
