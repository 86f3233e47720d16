import { describe, expect, it } from 'vitest';
import { type World, openLoggedInWorld, sendingLines } from '../support/acceptance.ts';
import { ndjson } from '../support/program.ts';
import { USUAL_SCOPES, heldBy } from '../support/seeded.ts';
import { DEFAULT_ATHLETES } from '../../src/sandbox/resources/athletes.ts';
import { profileOf } from '../../src/seed/synthesize.ts';

const DAY = ['--days', '1', '--until', '2026-05-17', '--seed', '7', '--tz', 'Europe/Berlin'];
const WANTED = profileOf({ seed: 7, until: '2026-05-17' });

async function seedProfile(world: World, ...more: string[]) {
  const { code, stdout } = await world.sync(['seed', ...DAY, ...more, '--json']);
  return { code, line: ndjson(stdout).find(({ type }) => type === 'seed-profile') };
}

describe("a seeded account's profile", () => {
  it.each(['Kilograms', 'Pounds'] as const)(
    'gets the weight and FTP of the athlete, who reads %s',
    async (weightUnits) => {
      const world = await openLoggedInWorld({
        sandbox: { athletes: [{ ...DEFAULT_ATHLETES[0], weightUnits }] },
      });
      const { code, line } = await seedProfile(world);
      expect({ code, line }).toEqual({
        code: 0,
        line: {
          type: 'seed-profile',
          ...WANTED,
          outcome: 'updated',
          before: { weight: 62.5, ftp: 245 },
          set: ['weight', 'ftp'],
          unset: [],
        },
      });
      expect(heldBy(world).profile).toMatchObject({ ftp: WANTED.ftp, weightUnits });
      expect(heldBy(world).profile.weight).toBeCloseTo(WANTED.weight, 1);
      world.sandbox.control.clearRequests();
      expect((await seedProfile(world)).line).toMatchObject({ outcome: 'unchanged', set: [] });
      expect(sendingLines(world.sandbox)).toEqual(['profile 200']);
    },
  );

  it.each(['profile:read', 'profile:write'])('is left and reported without %s', async (lacking) => {
    const scopes = USUAL_SCOPES.scopes.filter((scope) => scope !== lacking);
    const world = await openLoggedInWorld({ login: { scopes } });
    const before = heldBy(world).profile;
    const { code, line } = await seedProfile(world);
    expect(code).toBe(0);
    expect(line).toMatchObject({ outcome: 'incomplete', set: [] });
    const failures = line?.['unset'] as Record<string, unknown>[];
    expect(failures.map(({ field, code: why }) => [field, why])).toEqual(
      ['weight', 'ftp'].map((field) => [field, 'SCOPE_MISSING']),
    );
    expect(heldBy(world).profile).toEqual(before);
    const { stdout } = await world.sync(['seed', ...DAY]);
    expect(stdout.match(/^profile: weight and FTP not set\. .*/gm)).toEqual([
      expect.stringContaining(lacking),
    ]);
  });

  it('gets each field that the platform takes', async () => {
    const world = await openLoggedInWorld();
    // The first change is the weight.
    world.sandbox.control.addFaults('profile-update:400');
    const { code, line } = await seedProfile(world);
    expect(code).toBe(0);
    expect(line).toMatchObject({ outcome: 'incomplete', set: ['ftp'] });
    expect(line?.['unset']).toMatchObject([{ field: 'weight', code: 'REJECTED' }]);
    expect(heldBy(world).profile).toMatchObject({ weight: 62.5, ftp: WANTED.ftp });
    expect((await seedProfile(world)).line).toMatchObject({ outcome: 'updated', set: ['weight'] });
  });

  it('is reported if the platform has no such route', async () => {
    const world = await openLoggedInWorld();
    world.sandbox.control.addFaults('profile:404');
    const { code, line } = await seedProfile(world);
    expect(code).toBe(0);
    expect(line).toMatchObject({ outcome: 'incomplete' });
    expect(line).not.toHaveProperty('before');
    expect(heldBy(world).wellness).toHaveLength(1);
  });

  it('fails the run if the platform cannot answer, after the data are sent', async () => {
    const world = await openLoggedInWorld();
    world.sandbox.control.addFaults('profile:503(retry-after=0)*8');
    const { code, line } = await seedProfile(world);
    expect(code).toBe(5);
    expect(line).toMatchObject({ outcome: 'incomplete' });
    expect(heldBy(world).wellness).toHaveLength(1);
  });

  it('is not changed by --dry-run, which shows every request', async () => {
    const world = await openLoggedInWorld();
    const { code, line } = await seedProfile(world, '--dry-run');
    expect(code).toBe(0);
    expect(sendingLines(world.sandbox)).toEqual([]);
    expect(line).toMatchObject({ ...WANTED, outcome: 'would-update' });
    const announced = (line?.['requests'] as { method: string; body?: unknown }[])
      .filter(({ method }) => method === 'PATCH')
      .map(({ body }) => body);
    await seedProfile(world);
    const sent = world.sandbox.control.requests({ route: 'profile-update' });
    expect(announced).toEqual(expect.arrayContaining(sent.map(({ body }) => body)));
    expect(sent).toHaveLength(2);
  });
});
