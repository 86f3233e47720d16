import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  AUTHORIZE_URL,
  type World,
  here,
  openLoggedInWorld,
  openTerminal,
  openWorld,
  startLogin,
  terminals,
  visit,
} from '../support/acceptance.ts';
import { hastyClock } from '../support/delivery.ts';
import { HOSTILE, harmIn } from '../support/hostile.ts';
import { openHostileService, writeHostileFiles } from '../support/hostile-world.ts';

type Files = ReturnType<typeof writeHostileFiles>;

/** Command lines in which every name, value and file is hostile. */
function commandLines(files: Files): string[][] {
  const { home, folder, ride, broken, zip, wellness, unreadable, nutrition, csv } = files;
  return [
    ['inspect', ride, broken, HOSTILE],
    ['upload', '--dry-run', ride, broken, zip],
    ['upload', folder, HOSTILE],
    ['upload', ride],
    ['push', 'wellness', wellness, unreadable, '--dry-run'],
    ['push', 'wellness', wellness, unreadable, HOSTILE],
    ['push', 'nutrition', nutrition, '--dry-run'],
    ['push', 'nutrition', nutrition],
    ['import', folder, zip, wellness, csv, '--dry-run'],
    ['import', folder, HOSTILE, '--yes'],
    ['sources', csv],
    ['sources', wellness],
    ['push', 'wellness', csv],
    ['push', 'wellness', wellness, '--source', HOSTILE],
    ['explain', ride],
    ['explain', broken],
    ['explain', HOSTILE],
    ['explain', '2026-01-01'],
    ['verify'],
    ['status'],
    ['status', '--all-profiles'],
    ['doctor'],
    ['workouts'],
    ['profile'],
    ['profile', HOSTILE],
    ['token'],
    ['watch', folder, '--once', '--dry-run'],
    ['watch', HOSTILE, '--once'],
    ['daemon', 'status'],
    ['daemon', 'logs'],
    ['daemon', 'stop', HOSTILE],
    ['config', 'list'],
    ['config', 'get', HOSTILE],
    ['config', 'set', HOSTILE, HOSTILE],
    ['config', 'set', 'baseUrl', HOSTILE],
    ['config', 'set', 'clientId', HOSTILE],
    ['config', 'list'],
    ['config', 'unset', 'clientId'],
    ['login', '--base-url', HOSTILE],
    ['login', '--with-token'],
    ['seed', '--out', join(home, folder), '--days', '1', '--until', '2026-05-18'],
    ['seed', '--days', HOSTILE],
    ['sandbox', '--data', join(home, ride), '--port', '0'],
    ['sandbox', '--fault', HOSTILE],
    ['sandbox', '--set', HOSTILE],
    ['completion', HOSTILE],
    ['complete', '--', 'status', '--profile', ''],
    ['help', HOSTILE],
    [HOSTILE],
    [`--${HOSTILE}`],
    ['upload', `--${HOSTILE}`],
    ['status', '--profile', HOSTILE],
    ['upload', ride, '--verbose'],
    ['logout'],
  ];
}

/** Variables that commands repeat in their messages. */
const ENVIRONMENTS: readonly NodeJS.ProcessEnv[] = [
  { SYNC_BASE_URL: HOSTILE },
  { SYNC_BASE_URL: `http://127.0.0.1:1/${HOSTILE}` },
  { SYNC_PROFILE: HOSTILE },
  { SYNC_TOKEN_STORE: HOSTILE },
  { SYNC_CLIENT_ID: HOSTILE },
  { SYNC_SCOPE: HOSTILE },
  { SYNC_TIMEZONE: HOSTILE },
  { SYNC_ACCESS_TOKEN: HOSTILE },
  { TZ: HOSTILE },
  { HTTPS_PROXY: HOSTILE, HTTP_PROXY: HOSTILE },
  { SYNC_STATE_DIR: `/dev/null/${HOSTILE}` },
  { SYNC_CONFIG_DIR: `/dev/null/${HOSTILE}` },
];

/**
 * Runs a command line as text and as JSON.
 *
 * @param onRepeated called for each output that repeats a hostile text
 * @returns what is wrong with its output
 */
async function harmOf(
  world: World,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  onRepeated: () => void = () => undefined,
): Promise<string[]> {
  const found: string[] = [];
  for (const format of [[], ['--json']]) {
    const options = { env, input: HOSTILE, clock: hastyClock };
    const { stdout, stderr } = await world.sync([...args, ...format], options);
    for (const [name, output] of Object.entries({ stdout, stderr })) {
      if (output.includes('FORGED')) onRepeated();
      const harm = harmIn(output);
      const where = `${[...args, ...format].join(' ')}, ${name}`;
      if (harm !== undefined) found.push(`${where}: ${harm}\n${JSON.stringify(output)}`);
      if (output.includes('fault of sync itself')) found.push(`${where}: ${output}`);
    }
  }
  return found;
}

describe('hostile names, values and files', () => {
  it('reach no output of any command', async () => {
    const world = await openLoggedInWorld();
    const files = writeHostileFiles(world);
    const found: string[] = [];
    let repeated = 0;
    for (const args of commandLines(files)) {
      found.push(...(await harmOf(world, args, {}, () => repeated++)));
    }
    expect(found).toEqual([]);
    // The commands do repeat what they were given.
    expect(repeated).toBeGreaterThan(60);
  });

  it.each(ENVIRONMENTS)('reach no output from %j', async (env) => {
    const world = await openLoggedInWorld();
    const files = writeHostileFiles(world);
    const found: string[] = [];
    for (const args of [['status'], ['doctor'], ['config', 'list'], ['upload', files.ride]]) {
      found.push(...(await harmOf(world, args, env)));
    }
    expect(found).toEqual([]);
  });

  it.runIf(terminals.present)(`reach no terminal${terminals.note}`, async () => {
    const world = await openLoggedInWorld();
    const files = writeHostileFiles(world);
    const found: string[] = [];
    const first = (name: string) => commandLines(files).find(([command]) => command === name) ?? [];
    // What each command prints is tested above: here are results, notes, tables, a question, a failure and progress.
    const lines = ['inspect', 'push', 'import', 'status', 'login', HOSTILE].map(first);
    for (const args of [...lines, ['upload', files.folder]]) {
      const terminal = openTerminal(world, args);
      // End every question.
      terminal.type('\u0004\u0004');
      const { stdout } = await terminal.finished;
      const harm = harmIn(stdout);
      if (harm !== undefined) found.push(`${args.join(' ')}: ${harm}\n${JSON.stringify(stdout)}`);
    }
    expect(found).toEqual([]);
  });
});

describe('a hostile service', () => {
  it.each([
    [200, 'json'],
    [200, 'text'],
    [302, 'json'],
    [400, 'json'],
    [401, 'json'],
    [403, 'json'],
    [403, 'text'],
    [422, 'json'],
  ] as const)('reaches no output with its answers %i in %s', async (status, body) => {
    const world = await openWorld();
    const files = writeHostileFiles(world);
    const env = {
      SYNC_BASE_URL: await openHostileService(status, body),
      SYNC_ACCESS_TOKEN: 't'.repeat(40),
    };
    const found: string[] = [];
    for (const args of [
      ['upload', files.ride, '--verbose'],
      ['push', 'wellness', files.wellness],
      ['push', 'nutrition', files.nutrition],
      ['profile'],
      ['profile', 'set', '--ftp', '250'],
      ['workouts'],
      ['verify'],
      ['status', '--check'],
      ['doctor'],
      ['explain', files.ride],
      ['undo', 'nutrition', '2026-01-01'],
      ['seed', '--days', '1'],
    ]) {
      found.push(...(await harmOf(world, args, env)));
    }
    expect(found).toEqual([]);
  });

  it('reaches no output through the callback of a login', async () => {
    const world = await openLoggedInWorld();
    const login = await startLogin(here(world));
    const url = new URL(login.redirectUri);
    url.searchParams.set('state', login.state);
    url.searchParams.set('error', HOSTILE);
    url.searchParams.set('error_description', HOSTILE);
    await fetch(url);
    const { code, stderr } = await login.running.finished;
    expect([code, harmIn(stderr)]).toEqual([4, undefined]);
    expect(stderr).toContain('FORGED');
  });

  it.runIf(terminals.present)(`reaches no prompt at a terminal${terminals.note}`, async () => {
    const world = await openLoggedInWorld();
    const terminal = openTerminal(world, ['login', '--no-browser', '--port', '0']);
    const [address] = await terminal.waitFor(AUTHORIZE_URL);
    await terminal.waitFor(/Address of the last page/);
    terminal.type(`http://127.0.0.1:1/?state=${encodeURIComponent(HOSTILE)}\r`);
    await terminal.waitFor(/Address of the last page/);
    await visit(address);
    const { code, stdout } = await terminal.finished;
    expect([code, harmIn(stdout)]).toEqual([0, undefined]);
  });
});
