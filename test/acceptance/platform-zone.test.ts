import { expect, it } from 'vitest';
import { openLoggedInWorld, openWorld } from '../support/world.ts';
import { type World, requestLines } from '../support/acceptance.ts';

/** The first athlete of the sandbox lives here; Berlin has the same clocks. */
const STOCKHOLM = 'Europe/Stockholm';

async function login(world: World, env: NodeJS.ProcessEnv) {
  const input = JSON.stringify(world.sandbox.control.mint({}));
  return await world.sync(['login', '--with-token'], { input, env });
}

it('a login without a terminal names the command for the zone of the platform', async () => {
  const world = await openWorld();
  const { code, stderr } = await login(world, { TZ: 'America/New_York' });
  expect(code).toBe(0);
  expect(stderr).toContain(
    `The platform has you in ${STOCKHOLM}; this machine is in America/New_York.`,
  );
  expect(stderr).toContain(`sync config set timezone ${STOCKHOLM}`);
  expect((await world.sync(['config', 'get', 'timezone'])).stdout).toBe('\n');
});

it.each([
  ['this machine has the same clocks', { TZ: 'Europe/Berlin' }],
  ['a zone is set', { TZ: 'America/New_York', SYNC_TIMEZONE: 'America/New_York' }],
])('a login says nothing of zones if %s', async (_, env) => {
  const world = await openWorld();
  const { code, stderr } = await login(world, env);
  expect(code).toBe(0);
  expect(stderr).not.toContain('The platform has you');
});

it('a login succeeds although the platform does not show the profile', async () => {
  const world = await openWorld({ sandbox: { faults: ['profile:500'] } });
  const { code, stderr } = await login(world, { TZ: 'America/New_York' });
  expect(code).toBe(0);
  expect(stderr).not.toContain('The platform has you');
  expect(requestLines(world.sandbox).filter((line) => line.startsWith('profile '))).toHaveLength(1);
});

it('doctor reports a zone that differs from the platform, and the release of the zone data', async () => {
  const world = await openLoggedInWorld();
  const zones = async (env: NodeJS.ProcessEnv) =>
    (await world.lines(['doctor'], { env })).filter(({ check }) =>
      String(check).startsWith('zone'),
    );
  const data = {
    check: 'zone-data',
    state: 'good',
    message: /^Zone data \d{4}[a-z]+, (?:shipped with sync|part of|installed)/,
  };
  const here = { check: 'zone', state: 'good' };
  expect(await zones({ TZ: 'Europe/Berlin' })).toMatchObject([here, data]);
  expect(await zones({ TZ: 'America/New_York' })).toMatchObject([
    here,
    {
      check: 'zone',
      state: 'odd',
      message: `The platform has you in ${STOCKHOLM}, and days are counted in America/New_York.`,
    },
    data,
  ]);
});
