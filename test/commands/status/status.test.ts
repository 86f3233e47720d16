import { chmodSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '../../../src/app/connection.ts';
import { createContext } from '../../../src/app/context.ts';
import { openLedger } from '../../../src/app/ledger.ts';
import { platformZone } from '../../../src/app/platform-zone.ts';
import { status as statusCommand } from '../../../src/commands/status/status.ts';
import { token as tokenCommand } from '../../../src/commands/token.ts';
import { accountKey, loadConfig } from '../../../src/config/config.ts';
import { changeProfile } from '../../../src/config/config-write.ts';
import { fileStore, tokenFilePath } from '../../../src/credentials/file.ts';
import type { Credentials } from '../../../src/credentials/store.ts';
import { LABEL, outboxFolder } from '../../../src/ledger/outbox.ts';
import { tryLock } from '../../../src/system/process-lock.ts';
import { findPaths } from '../../../src/config/paths.ts';
import type { ServerOptions } from '../../../src/sandbox/server.ts';
import { watcherPaths } from '../../../src/daemon/registry.ts';
import { type WatcherState, writeState } from '../../../src/daemon/state-file.ts';
import {
  failure,
  mint,
  never,
  sandbox,
  scratchDir,
  testClock,
  testIo,
  testSystem,
} from '../../auth/support.ts';
import { startCommand } from '../../support/command.ts';
import { NO_ACTIVITY, NO_WORKOUT } from '../../support/activity.ts';
import { ndjson } from '../../support/program.ts';

const HOUR = 3_600_000;

const ACCOUNT = { id: 'athlete-1', name: 'Ann', email: 'ann@x.example' };

type Facts = Readonly<Record<string, unknown>>;

/** Makes a home with a profile for a sandbox. */
async function open(settings: NonNullable<ServerOptions['settings']> = {}) {
  const service = await sandbox({ settings });
  const dir = scratchDir();
  const base = {
    SYNC_STATE_DIR: join(dir, 'state'),
    SYNC_CONFIG_DIR: join(dir, 'config'),
    SYNC_TOKEN_STORE: 'file',
  };
  const paths = findPaths(base, process.platform, dir);
  await changeProfile(paths, 'default', {
    settings: { baseUrl: service.url, clientId: service.clientId },
    account: ACCOUNT,
  });
  const store = fileStore(tokenFilePath(paths.stateDir, 'default'), process.platform);
  const configOf = (env: Record<string, string> = {}) =>
    loadConfig({ env: { ...base, ...env }, paths }, undefined);
  const clock = testClock();
  const systemOf = (env: Record<string, string> = {}) =>
    testSystem({ homeDir: dir, env: { ...base, ...env }, clock });
  const contextOf = (env: Record<string, string> = {}) =>
    createContext(systemOf(env), { json: false, quiet: false, verbose: false });
  /** Runs `sync status` as a program reads it. */
  const status = async (env: Record<string, string> = {}, ...flags: string[]) => {
    const { done, stdout } = startCommand(statusCommand, systemOf(env), ['--json', ...flags]);
    const exitCode = await done;
    const [report] = ndjson(stdout.join('\n'));
    return { report: report as Facts & { readonly login: Facts }, exitCode };
  };
  /** Runs `sync status` as people read it. @param stdoutColumns 0: there is no terminal */
  const shown = async (
    env: Record<string, string> = {},
    flags: readonly string[] = [],
    stdoutColumns = 0,
  ) => {
    const system = { ...systemOf(env), io: { ...testIo(), stdoutColumns } };
    const { done, stdout } = startCommand(statusCommand, system, flags);
    await done;
    return stdout.join('\n');
  };
  const token = () => startCommand(tokenCommand, systemOf(), []).done;
  const login = async (request: Parameters<typeof mint>[1] = {}) => {
    await store.save({ ...mint(service, request), accountId: ACCOUNT.id }, never);
    service.control.clearRequests();
  };
  /** Changes the stored login. */
  const change = async (of: (login: Credentials) => Partial<Credentials>) => {
    const found = await store.load(never);
    if (found === undefined) throw new Error('nothing was stored');
    await store.save({ ...found, ...of(found) }, never);
  };
  const ledger = () => {
    const config = configOf();
    return openLedger(config, accountKey(config, config.account), clock);
  };
  const all = { service, paths, store, configOf, contextOf, clock };
  return { ...all, status, shown, token, login, change, ledger };
}

/** Claims uploads with these hashes. */
function claim({ uploads }: ReturnType<typeof openLedger>, ...hashes: readonly string[]): void {
  for (const sha256 of hashes)
    uploads.claim(
      { sha256, path: `${sha256}.fit`, size: 1, activity: NO_ACTIVITY, workout: NO_WORKOUT },
      false,
    );
}

describe('the status', () => {
  it('shows the login, its lifetimes and the uploads without a request', async () => {
    const { service, status, login, ledger } = await open();
    await login({ accessTtl: 600, refreshTtl: 86_400 });
    const opened = ledger();
    claim(opened, 'a', 'b', 'c', 'd');
    for (const sha256 of ['a', 'b']) opened.uploads.confirm(sha256, 1, {});
    opened.uploads.reject('c', 1, 'no');
    opened.uploads.release('d', 1);
    opened.close();
    const { report, exitCode } = await status();
    expect(exitCode).toBe(0);
    expect(report).toMatchObject({
      profile: 'default',
      service: service.url,
      clientId: service.clientId,
      account: ACCOUNT,
      store: { kind: 'file' },
      login: { state: 'logged-in', renewable: true, missing: [] },
      uploads: { pending: 1, confirmed: 2, rejected: 1, undoing: 0, undone: 0, held: 0 },
    });
    const minutesTo = (at: unknown) => Math.round((Date.parse(String(at)) - Date.now()) / 60_000);
    const { accessExpiresAt, refreshExpiresAt } = report.login;
    const times = [report['lastUploadAt'], accessExpiresAt, refreshExpiresAt];
    expect(times.map(minutesTo)).toEqual([expect.closeTo(0), 10, 1440]);
    expect(service.control.requests()).toEqual([]);
  });

  it('does not report an unreadable login as logged out', async () => {
    const { status, shown, login, paths } = await open();
    await login();
    const file = tokenFilePath(paths.stateDir, 'default');
    writeFileSync(file, 'not what was written', { mode: 0o600 });
    const { report, exitCode } = await status();
    expect(report.login['state']).not.toBe('logged-in');
    expect(exitCode).not.toBe(0);
    expect(JSON.stringify(report)).not.toContain('not what was written');
    chmodSync(file, 0o644);
    const text = await shown();
    expect(text).toMatch(/^Login {5}cannot be read now\. /m);
    expect(text).not.toContain('Kept in');
  });

  it('exits with 4 if both tokens have expired', async () => {
    const { status, shown, login, change } = await open();
    await login();
    const over = { accessExpiresAt: Date.now() - 2000, refreshExpiresAt: Date.now() - 1000 };
    await change(({ tokens }) => ({ tokens: { ...tokens, ...over } }));
    const { report, exitCode } = await status();
    expect(exitCode).toBe(4);
    expect(report.login).toEqual({
      state: 'ended',
      code: 'AUTH_EXPIRED',
      message: 'Its tokens have expired.',
      hint: 'Run `sync login`.',
    });
    expect(await shown()).toMatch(
      /^Login {5}ended\. Its tokens have expired\.\n {10}Run `sync login`\.\nKept in {3}the file \S+ \(only you can read it\)$/m,
    );
    // An access token alone may be over: it is renewed by the next command.
    const renewable = { ...over, refreshExpiresAt: Date.now() + 86_400_000 };
    await change(({ tokens }) => ({ tokens: { ...tokens, ...renewable } }));
    expect((await status()).exitCode).toBe(0);
    expect(await shown()).toMatch(/^Login {5}good for 24 hours, renews itself\n +It ends soon: /m);
  });

  it('says that a login without its refresh token ends with its access token', async () => {
    const { status, shown, login, change } = await open();
    await login();
    const refreshExpiresAt = Date.now() - 8_000;
    await change(({ tokens }) => ({ tokens: { ...tokens, refreshExpiresAt } }));
    const { report, exitCode } = await status();
    expect(exitCode).toBe(0);
    expect(report.login).toMatchObject({ state: 'logged-in', renewable: false });
    expect(await shown()).toMatch(
      /^Login {5}good for (?:59|60) minutes, does not renew itself\n +It ends soon: run `sync login`/m,
    );
  });

  it('reports the end of the login that a watcher of this account saw, until the next login', async () => {
    const { status, login, paths, configOf } = await open();
    await login();
    const own = accountKey(configOf(), ACCOUNT);
    const watcher = watcherPaths(paths.stateDir, 'default', { folders: ['/garmin'] });
    const life = tryLock(watcher.lockFile);
    const at = (ms: number) => new Date(ms).toISOString();
    const health = {
      account: own,
      updatedAt: at(Date.now() + 1000),
      folders: [{ path: '/garmin', state: 'watching' }],
      queue: { waiting: 0, sending: 0, kept: 0, unfinished: 0 },
      connection: { state: 'ok' },
      login: { state: 'needed', message: 'This login may not do that.' },
    } as const;
    const report = (more: Partial<NonNullable<WatcherState['health']>> = {}) =>
      writeState(watcher, {
        ...{ version: 1, profile: 'default', folders: ['/garmin'], kind: 'terminal' },
        ...{ pid: process.pid, startedAt: Date.now() },
        health: { ...health, ...more },
      });
    try {
      report();
      const { report: found, exitCode } = await status();
      expect(exitCode).toBe(4);
      expect(found.login).toMatchObject({
        ...{ state: 'ended', code: 'AUTH_EXPIRED' },
        message: 'The watcher reports: This login may not do that.',
      });
      // A watcher of another user with another token.
      report({ account: `${own}-else` });
      expect((await status()).exitCode).toBe(0);
      // The configuration is written by every login: what the watcher said is older.
      report();
      utimesSync(paths.configFile, Date.now() / 1000, Date.now() / 1000 + 5);
      expect((await status()).exitCode).toBe(0);
    } finally {
      life?.release();
    }
    report({ updatedAt: at(Date.now() + 10_000) });
    expect((await status()).exitCode).toBe(0);
  });

  it('shows the devices, folders and queue of a watcher, and no failure that a success followed', async () => {
    const { shown, paths, login } = await open();
    await login();
    const watcher = watcherPaths(paths.stateDir, 'default', { folders: [], devices: true });
    const life = tryLock(watcher.lockFile);
    onTestFinished(() => life?.release());
    const root = '/media/GARMIN';
    const at = (second: number) => new Date(Date.now() + second * 1000).toISOString();
    const textWith = async (lastSuccessAt: string) => {
      writeState(watcher, {
        ...{ version: 1, profile: 'default', folders: [], devices: true, kind: 'daemon' },
        ...{ pid: process.pid, startedAt: Date.now() - 2 * HOUR },
        health: {
          ...{ updatedAt: at(0), lastSuccessAt },
          lastError: { at: at(-90), message: 'It cannot answer now (502).' },
          folders: [
            {
              path: `${root}/Activity`,
              state: 'silent',
              reason: 'The file system does not answer.',
            },
            { path: `${root}/Workouts`, state: 'watching' },
            { path: `${root}2`, state: 'watching' },
            { path: '/b', state: 'waiting' },
          ],
          devices: [{ key: 'serial:garmin:1', title: 'Garmin Edge', state: 'plugged-in', root }],
          queue: { waiting: 3, sending: 0, kept: 0, unfinished: 1 },
          connection: { state: 'ok' },
          login: { state: 'ok' },
        },
      });
      return await shown();
    };
    const failed = '          It cannot answer now (502). (90 seconds ago)';
    const lines = [
      'Watching  any known device',
      '          Garmin Edge is plugged in: /media/GARMIN',
      '          /media/GARMIN/Activity: The file system does not answer.',
      '          /media/GARMIN2',
      '          /b (not there now)',
      '          in the background for 2 hours, 3 recordings waiting, 1 incomplete file',
    ];
    expect(await textWith(at(-100))).toContain([...lines, failed, 'Days '].join('\n'));
    expect(await textWith(at(-80))).toContain([...lines, 'Days '].join('\n'));
    life?.release();
    expect(await shown()).toContain(
      [
        'Watching  nothing since 0 seconds ago',
        '          `sync watch --devices --daemon` watches again.',
      ].join('\n'),
    );
  });

  it("shows the uploads of an environment token's athlete after a command found out who it is", async () => {
    const { service, status, shown, login, ledger, configOf, contextOf } = await open();
    await login();
    const opened = ledger();
    claim(opened, 'a');
    opened.uploads.confirm('a', 1, {});
    opened.close();
    const env = { SYNC_ACCESS_TOKEN: service.control.mint({ athlete: 'athlete-2' }).access_token };
    const before = await status(env);
    expect(before.report['account']).toBeUndefined();
    expect(before.report).toMatchObject({ uploads: { confirmed: 0 } });
    const text = await shown(env);
    expect(text).toMatch(/^Account {3}not asked yet$/m);
    expect(text).not.toContain('at the platform');
    expect(service.control.requests()).toEqual([]);

    const connection = connect(contextOf(env), configOf(env), { connections: 1 });
    const key = await connection.ledgerAccount({ offline: false });
    await connection.close();
    const theirs = openLedger(configOf(env), key, testClock());
    claim(theirs, 'b', 'c');
    for (const sha256 of ['b', 'c']) theirs.uploads.confirm(sha256, 1, {});
    theirs.close();
    const { report } = await status(env);
    expect(report).toMatchObject({ account: { id: 'athlete-2' }, uploads: { confirmed: 2 } });
    // The report of the stored login is unchanged.
    expect((await status()).report).toMatchObject({
      account: ACCOUNT,
      uploads: { confirmed: 1 },
    });
    const own = { SYNC_ACCESS_TOKEN: service.control.mint().access_token };
    expect((await status(own)).report['account']).toBeUndefined();
  });

  it('names the environment as the store, and shows no token', async () => {
    const { status, shown, service } = await open();
    const { access_token: token } = service.control.mint();
    const env = { SYNC_ACCESS_TOKEN: token };
    const { report, exitCode } = await status(env);
    expect(exitCode).toBe(0);
    expect(report['store']).toEqual({ kind: 'environment', where: 'the environment' });
    expect(report.login).toMatchObject({ state: 'logged-in', renewable: false });
    expect(await shown(env)).toMatch(
      /^Login {5}not known \(`sync status --check` asks the platform\)/m,
    );
    expect(service.control.requests()).toEqual([]);
    expect(await shown(env, ['--check'])).toMatch(/^Login {5}good, does not renew itself/m);
    expect(JSON.stringify(report)).not.toContain(token);
  });
});

describe('a login that the service ended', () => {
  it('is recorded by the first command that sees it, for status and token, until a new login', async () => {
    const { service, status, token, login, clock, store } = await open();
    await login();
    service.control.revoke();
    clock.advance(HOUR);
    // No command has fetched it yet.
    expect((await status()).exitCode).toBe(0);
    expect((await failure(token())).code).toBe('AUTH_EXPIRED');
    const asked = service.control.requestCount();

    const { report, exitCode } = await status();
    expect(exitCode).toBe(4);
    expect(report.login).toEqual({
      state: 'ended',
      code: 'AUTH_EXPIRED',
      message: /^This login has ended \(seen .* UTC\)\.$/,
      hint: 'Run `sync login`.',
    });
    expect((await failure(token())).code).toBe('AUTH_EXPIRED');
    expect(service.control.requestCount()).toBe(asked);

    await store.save({ ...mint(service), accountId: ACCOUNT.id }, never);
    expect((await status()).exitCode).toBe(0);
  });

  it('is found by a check before the access token expires', async () => {
    const { service, status, login } = await open();
    await login();
    service.control.revoke();
    const { report, exitCode } = await status({}, '--check');
    expect(exitCode).toBe(4);
    expect(report).toMatchObject({ login: { state: 'ended' }, checked: { outcome: 'ended' } });
    expect((await status()).exitCode).toBe(4);
  });
});

describe('a check', () => {
  it('names the athlete if the platform accepts the login', async () => {
    const { status, shown, login, service } = await open();
    await login();
    const { report, exitCode } = await status({}, '--check');
    expect(exitCode).toBe(0);
    expect(report['checked']).toMatchObject({ outcome: 'accepted', account: { id: 'athlete-1' } });
    expect(service.control.requests().map(({ route }) => route)).toEqual(['userinfo']);
    expect(await shown({}, ['--check'])).toMatch(/^Checked {3}the platform accepts this login \(/m);
  });

  it('exits with 5 if the platform is unreachable, and keeps the login', async () => {
    const { status, shown, login, service } = await open();
    await login();
    await service.close();
    const { report, exitCode } = await status({}, '--check');
    expect(exitCode).toBe(5);
    expect(report).toMatchObject({
      login: { state: 'logged-in' },
      checked: { outcome: 'failed', code: 'NETWORK' },
    });
    expect(await shown({}, ['--check'])).toMatch(/^Checked {3}not now\. /m);
    expect((await status()).exitCode).toBe(0);
  });

  it('exits with 4 if the service rejects the token in the environment', async () => {
    const { status } = await open();
    expect((await status({ SYNC_ACCESS_TOKEN: 'of-nobody' }, '--check')).exitCode).toBe(4);
  });

  it('settles an interrupted refresh', async () => {
    const { status, login, change } = await open();
    await login();
    const [accessExpiresAt, refreshStartedAt] = [Date.now() - 1, Date.now()];
    await change(({ tokens }) => ({ tokens: { ...tokens, accessExpiresAt }, refreshStartedAt }));
    expect((await status()).report.login).toMatchObject({ state: 'unknown', code: 'FATE_UNKNOWN' });
    expect((await status({}, '--check')).report.login['state']).toBe('logged-in');
    expect((await status()).exitCode).toBe(0);
  });
});

describe('the text of the status', () => {
  const RIDE = {
    name: 'Morning ride',
    startedAt: Date.UTC(2026, 1, 14, 7),
    offsetMinutes: 60,
    movingSecs: 9396,
    distanceMeters: 87_900,
  };

  it('shows the login, the zone and the uploads, and the last recordings by the clock of their place', async () => {
    const { service, login, ledger, clock, shown } = await open();
    await login({ refreshTtl: 29 * 86_400 + 60 });
    const opened = ledger();
    const { uploads } = opened;
    const send = (sha256: string, activity: typeof NO_ACTIVITY) => {
      const about = { sha256, path: '/garmin/ride.fit', size: 1, workout: NO_WORKOUT };
      uploads.claim({ ...about, activity }, false);
      uploads.confirm(sha256, 1, {});
    };
    send('a', NO_ACTIVITY);
    clock.advance(2 * 24 * HOUR);
    send('b', RIDE);
    opened.close();
    clock.advance(5 * 60_000);
    const env = { SYNC_TIMEZONE: 'Europe/Berlin' };
    const text = await shown(env);
    expect(text.split('\n').filter((line) => !line.startsWith('Kept in'))).toEqual([
      `Platform  ${service.url}`,
      'Account   Ann <ann@x.example>',
      'Login     good for 27 days, renews itself',
      'Watching  nothing',
      'Days      counted in Europe/Berlin',
      'Uploads   2 recordings at the platform, the last 5 minutes ago',
      '',
      'Last recordings',
      '  Sat 14 Feb 08:00  Morning ride  2:36:36  87.9 km  uploaded 5 minutes ago',
      '  ride.fit  uploaded 2 days ago',
    ]);
    expect(await shown(env, [], 60)).toMatch(/Morning ride {2}2:36:36 {2}87\.9 km$/m);
    expect(await shown({ ...env, SYNC_PROFILE: 'default' })).toBe(text);
  });

  it('lists what is waiting and what was refused, with the reason', async () => {
    const { login, ledger, paths, configOf, shown } = await open();
    await login();
    const account = accountKey(configOf(), ACCOUNT);
    const opened = ledger();
    const { uploads, records } = opened;
    const hashes = ['a', 'b', 'c', 'd', 'e', 'refused'];
    for (const sha256 of hashes) {
      const about = { sha256, path: 'ride.fit', size: 1, activity: RIDE };
      uploads.claim({ ...about, workout: { ...NO_WORKOUT, sentAs: sha256 } }, false);
      if (sha256 === 'refused') uploads.reject(sha256, 1, 'The file is too\nshort.');
      else uploads.release(sha256, 1);
    }
    for (const [kind, date] of [
      ['wellness', '2026-02-13'],
      ['nutrition', '2026-02-14'],
      ['nutrition', '2026-02-15'],
    ] as const) {
      records.claim(kind, date, 'x', false);
      records.release(kind, date);
    }
    records.reject('nutrition', '2026-02-15', 'No such food.');
    const half = join(paths.stateDir, 'half.fit');
    // Copied again after the watcher reported it.
    const replaced = join(paths.stateDir, 'replaced.fit');
    for (const [path, reportedAt] of [
      [half, Date.now() + HOUR],
      [replaced, Date.now() - HOUR],
    ] as const) {
      writeFileSync(path, 'FIT');
      opened.database.run`
        INSERT INTO watch_marks (account, path, size, mtime_ms, mark, marked_at)
        VALUES (${account}, ${path}, 3, 0, 'unfinished', ${reportedAt})`;
    }
    opened.close();
    for (const owner of [account, 'https://else.example athlete:1']) {
      const folder = join(outboxFolder(paths.stateDir), owner === account ? 'e' : 'f', 'dead');
      mkdirSync(folder, { recursive: true });
      const label = { account: owner, path: 'ride.fit', size: 3, recordedAt: 0 };
      writeFileSync(join(folder, LABEL), JSON.stringify(label));
    }
    const said = await shown();
    const line = '  Sat 14 Feb 08:00  Morning ride  2:36:36  87.9 km';
    expect(said.slice(said.indexOf('Waiting\n'))).toBe(
      [
        'Waiting',
        ...[line, line, line],
        '  and 2 more',
        '  The platform has not confirmed them: `sync upload` of the same files sends them again.',
        '  wellness of 2026-02-13',
        '  nutrition of 2026-02-14',
        '  The platform has not confirmed them: the same `sync push`, `sync import`, `sync watch` or `sync undo` again continues.',
        '  copies of 1 recording, until `sync watch` has sent them',
        '  copies of 1 recording of another login, or damaged: see `sync doctor`',
        '',
        'Refused by the platform',
        line,
        '    0 seconds ago: The file is too short.',
        '  nutrition of 2026-02-15',
        '    No such food.',
        '',
        'Invalid files',
        `  ${half}: It is not a complete recording.`,
      ].join('\n'),
    );
  });

  it('compares the zone of the days with the one that the platform named last', async () => {
    const { login, contextOf, configOf, shown } = await open();
    await login();
    await platformZone(contextOf(), configOf());
    expect(await shown()).toMatch(/^Days {6}counted in Europe\/Stockholm, this machine's zone$/m);
    expect(await shown({ SYNC_TIMEZONE: 'America/New_York' })).toContain(
      [
        'Days      counted in America/New_York; the platform has you in Europe/Stockholm',
        '          If you live there, run `sync config set timezone Europe/Stockholm`.',
      ].join('\n'),
    );
  });

  it('names neither uploads nor a store without a login', async () => {
    const { paths, shown } = await open();
    await changeProfile(paths, 'default', { account: null });
    const text = await shown();
    expect(text).toMatch(/^Login {5}none\. Not logged in/m);
    expect(text).toMatch(/^Uploads {3}not known without a login$/m);
    expect(text).not.toContain('Kept in');
  });
});
