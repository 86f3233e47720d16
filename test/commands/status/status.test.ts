import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '../../../src/app/connection.ts';
import { createContext } from '../../../src/app/context.ts';
import { openLedger } from '../../../src/app/ledger.ts';
import {
  type LedgerFacts,
  type StatusReport,
  exitCodeFor,
  readStatus,
} from '../../../src/commands/status/read.ts';
import { statusText, viewOn } from '../../../src/commands/status/words.ts';
import { token as tokenCommand } from '../../../src/commands/token.ts';
import { accountKey, loadConfig } from '../../../src/config/config.ts';
import type { LedgerUpload } from '../../../src/ledger/upload-rows.ts';
import { changeProfile } from '../../../src/config/config-write.ts';
import { fileStore, tokenFilePath } from '../../../src/credentials/file.ts';
import type { Credentials } from '../../../src/credentials/store.ts';
import { systemClock } from '../../../src/system/this-process.ts';
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
  testSystem,
} from '../../auth/support.ts';
import { startCommand } from '../../support/command.ts';
import { NO_ACTIVITY, NO_WORKOUT } from '../../support/activity.ts';

const ACCOUNT = { id: 'athlete-1', name: 'Ann', email: 'ann@x.example' };

/** Makes a home with a profile for a sandbox, and reads its status. */
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
  const status = async (env: Record<string, string> = {}, check = false) => {
    const report = await readStatus(contextOf(env), configOf(env), check);
    return { report, exitCode: exitCodeFor(report) };
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
    return openLedger(config, accountKey(config, config.account), systemClock);
  };
  return { service, dir, paths, store, configOf, clock, status, token, login, change, ledger };
}

/** Claims uploads with these hashes. */
function claim({ uploads }: ReturnType<typeof openLedger>, ...hashes: readonly string[]): void {
  for (const sha256 of hashes)
    uploads.claim(
      { sha256, path: `${sha256}.fit`, size: 1, activity: NO_ACTIVITY, workout: NO_WORKOUT },
      false,
    );
}

/** The text of a report, as it is without a terminal. */
const textOf = (report: StatusReport) =>
  String(statusText(report, { now: Date.now(), unicode: true, aligned: false }));

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
      ledger: {
        uploads: { pending: 1, confirmed: 2, rejected: 1, undoing: 0, undone: 0, held: 0 },
      },
    });
    expect(report.ledger.lastUploadAt).toBeGreaterThan(Date.now() - 60_000);
    const { login: state } = report;
    const left = (at: number | undefined) => Math.round(((at ?? 0) - Date.now()) / 60_000);
    expect(
      state.state === 'logged-in' && [left(state.accessExpiresAt), left(state.refreshExpiresAt)],
    ).toEqual([10, 1440]);
    expect(service.control.requests()).toEqual([]);
  });

  it('does not report an unreadable login as logged out', async () => {
    const { status, login, paths } = await open();
    await login();
    writeFileSync(tokenFilePath(paths.stateDir, 'default'), 'not what was written', {
      mode: 0o600,
    });
    const { report, exitCode } = await status();
    expect(report.login.state).not.toBe('logged-in');
    expect(exitCode).not.toBe(0);
    expect(JSON.stringify(report)).not.toContain('not what was written');
  });

  it('exits with 4 if both tokens have expired', async () => {
    const { status, login, change } = await open();
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
    expect(textOf(report)).toMatch(/^Login {5}ended\. Its tokens have expired\.$/m);
    // An access token alone may be over: it is renewed by the next command.
    const renewable = { ...over, refreshExpiresAt: Date.now() + 86_400_000 };
    await change(({ tokens }) => ({ tokens: { ...tokens, ...renewable } }));
    expect((await status()).exitCode).toBe(0);
  });

  it('says that a login without its refresh token ends with its access token', async () => {
    const { status, login, change } = await open();
    await login();
    const refreshExpiresAt = Date.now() - 8_000;
    await change(({ tokens }) => ({ tokens: { ...tokens, refreshExpiresAt } }));
    const { report, exitCode } = await status();
    expect(exitCode).toBe(0);
    expect(report.login).toMatchObject({ state: 'logged-in', renewable: false });
    expect(textOf(report)).toMatch(
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
      login: { state: 'needed', message: 'The login has ended.' },
    } as const;
    const report = (more: Partial<NonNullable<WatcherState['health']>> = {}) =>
      writeState(watcher, {
        ...{ version: 1, profile: 'default', folders: ['/garmin'], kind: 'terminal' },
        ...{ pid: process.pid, appVersion: '1.2.3', startedAt: Date.now() },
        health: { ...health, ...more },
      });
    try {
      report();
      const { report: found, exitCode } = await status();
      expect(exitCode).toBe(4);
      expect(found.login).toMatchObject({ state: 'ended', code: 'AUTH_EXPIRED' });
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

  it('shows a device that does not answer, and no failure that a success followed', async () => {
    const { status, paths, login } = await open();
    await login();
    const watcher = watcherPaths(paths.stateDir, 'default', { folders: [], devices: true });
    const life = tryLock(watcher.lockFile);
    onTestFinished(() => life?.release());
    const root = '/media/GARMIN';
    const at = (second: number) => new Date(Date.now() + second * 1000).toISOString();
    const health = {
      ...{ updatedAt: at(0), lastError: { at: at(-90), message: 'It cannot answer now (502).' } },
      folders: [
        { path: `${root}/Activity`, state: 'silent', reason: 'The file system does not answer.' },
        { path: `${root}/Workouts`, state: 'watching' },
      ],
      devices: [{ key: 'serial:garmin:1', title: 'Garmin Edge', state: 'plugged-in', root }],
      queue: { waiting: 0, sending: 0, kept: 0, unfinished: 0 },
      connection: { state: 'ok' },
      login: { state: 'ok' },
    } as const;
    const textWith = async (more: object) => {
      writeState(watcher, {
        ...{ version: 1, profile: 'default', folders: [], devices: true, kind: 'terminal' },
        ...{ pid: process.pid, appVersion: '1.2.3', startedAt: Date.now() },
        health: { ...health, ...more },
      });
      return textOf((await status()).report);
    };
    expect(await textWith({ lastSuccessAt: at(-100) })).toContain('It cannot answer now (502).');
    const text = await textWith({ lastSuccessAt: at(-80) });
    expect(text).not.toContain('502');
    expect(text).toContain('Garmin Edge is plugged in: /media/GARMIN');
    expect(text).toContain(`${root}/Activity: The file system does not answer.`);
    expect(text).not.toContain('Workouts');
  });

  it("shows the uploads of an environment token's athlete after a command found out who it is", async () => {
    const { service, dir, status, login, ledger, configOf } = await open();
    await login();
    const opened = ledger();
    claim(opened, 'a');
    opened.uploads.confirm('a', 1, {});
    opened.close();
    const env = { SYNC_ACCESS_TOKEN: service.control.mint({ athlete: 'athlete-2' }).access_token };
    const before = await status(env);
    expect(before.report.account).toBeUndefined();
    expect(before.report.ledger.uploads.confirmed).toBe(0);
    expect(textOf(before.report)).toMatch(/^Account {3}not asked yet$/m);
    expect(service.control.requests()).toEqual([]);

    const flags = { json: false, quiet: false, verbose: false };
    const context = createContext(testSystem({ homeDir: dir, env }), flags);
    const connection = connect(context, configOf(env), { connections: 1 });
    const key = await connection.ledgerAccount({ offline: false });
    await connection.close();
    const theirs = openLedger(configOf(env), key, systemClock);
    claim(theirs, 'b', 'c');
    for (const sha256 of ['b', 'c']) theirs.uploads.confirm(sha256, 1, {});
    theirs.close();
    const { report } = await status(env);
    expect(report.account).toEqual({ id: 'athlete-2' });
    expect(report.ledger.uploads.confirmed).toBe(2);
    // The report of the stored login is unchanged.
    expect((await status()).report).toMatchObject({
      account: ACCOUNT,
      ledger: { uploads: { confirmed: 1 } },
    });
    const own = { SYNC_ACCESS_TOKEN: service.control.mint().access_token };
    expect((await status(own)).report.account).toBeUndefined();
  });

  it('names the environment as the store, and shows no token', async () => {
    const { status, service } = await open();
    const { access_token: token } = service.control.mint();
    const { report, exitCode } = await status({ SYNC_ACCESS_TOKEN: token });
    expect(exitCode).toBe(0);
    expect(report.store).toEqual({ kind: 'environment', where: 'the environment' });
    expect(report.login).toMatchObject({ state: 'logged-in', renewable: false });
    const shown = (given: typeof report) =>
      String(statusText(given, viewOn({ stdoutColumns: 80, unicode: true }, Date.now())));
    expect(shown(report)).toMatch(
      /^Login {5}not known \(`sync status --check` asks the platform\)/m,
    );
    const checked = await status({ SYNC_ACCESS_TOKEN: token }, true);
    expect(shown(checked.report)).toMatch(/^Login {5}good, does not renew itself/m);
    service.control.clearRequests();
    expect(JSON.stringify(report)).not.toContain(token);
    expect(service.control.requests()).toEqual([]);
  });
});

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

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
    const { report, exitCode } = await status({}, true);
    expect(exitCode).toBe(4);
    expect(report).toMatchObject({ login: { state: 'ended' }, checked: { outcome: 'ended' } });
    expect((await status()).exitCode).toBe(4);
  });
});

describe('a check', () => {
  it('names the athlete if the platform accepts the login', async () => {
    const { status, login, service } = await open();
    await login();
    const { report, exitCode } = await status({}, true);
    expect(exitCode).toBe(0);
    expect(report.checked).toMatchObject({ outcome: 'accepted', account: { id: 'athlete-1' } });
    expect(textOf(report)).toMatch(/^Checked {3}the platform accepts this login \(/m);
    expect(service.control.requests().map(({ route }) => route)).toEqual(['userinfo']);
    const unsaid = { ...report, checked: { outcome: 'accepted' } } as const;
    expect(textOf(unsaid)).toMatch(
      /^Checked {3}the platform accepts this login, and does not name the athlete$/m,
    );
  });

  it('exits with 5 if the platform is unreachable, and keeps the login', async () => {
    const { status, login, service } = await open();
    await login();
    await service.close();
    const { report, exitCode } = await status({}, true);
    expect(exitCode).toBe(5);
    expect(report).toMatchObject({
      login: { state: 'logged-in' },
      checked: { outcome: 'failed', code: 'NETWORK' },
    });
    expect(textOf(report)).toMatch(/^Checked {3}not now\. /m);
    expect((await status()).exitCode).toBe(0);
  });

  it('exits with 4 if the service rejects the token in the environment', async () => {
    const { status } = await open();
    expect((await status({ SYNC_ACCESS_TOKEN: 'of-nobody' }, true)).exitCode).toBe(4);
  });

  it('settles an interrupted refresh', async () => {
    const { status, login, change } = await open();
    await login();
    const [accessExpiresAt, refreshStartedAt] = [Date.now() - 1, Date.now()];
    await change(({ tokens }) => ({ tokens: { ...tokens, accessExpiresAt }, refreshStartedAt }));
    expect((await status()).report.login).toMatchObject({ state: 'unknown', code: 'FATE_UNKNOWN' });
    expect((await status({}, true)).report.login.state).toBe('logged-in');
    expect((await status()).exitCode).toBe(0);
  });
});

describe('the text of the status', () => {
  const NOW = Date.UTC(2026, 1, 15, 12);
  const NO_LEDGER: LedgerFacts = {
    uploads: { pending: 0, confirmed: 0, rejected: 0, undoing: 0, undone: 0, held: 0 },
    accepted: false,
    lastUploadAt: undefined,
    recent: [],
    days: [],
    waiting: { recordings: [], records: [], kept: 0, keptBytes: 0, keptForOthers: 0, unusable: [] },
  };
  const GOOD = {
    state: 'logged-in',
    scopes: [],
    missing: [],
    renewable: true,
    accessExpiresAt: NOW + 1_800_000,
    refreshExpiresAt: NOW + 29 * DAY,
  } as const;
  const REPORT: StatusReport = {
    profile: 'default',
    service: 'https://a.example',
    clientId: 'c',
    account: { id: '7', name: 'Ann', email: 'ann@x' },
    store: { kind: 'keychain', where: 'the keychain' },
    login: GOOD,
    disk: undefined,
    zone: {
      days: { name: 'Europe/Berlin', from: 'profile' },
      machine: 'UTC',
      platform: undefined,
      differs: false,
    },
    watching: [],
    watchedLast: undefined,
    ledger: NO_LEDGER,
  };
  const text = (over: Partial<StatusReport>) =>
    String(statusText({ ...REPORT, ...over }, { now: NOW, unicode: true, aligned: false }));
  const login = (over: object) => text({ login: { ...GOOD, ...over } });
  const ledger = (over: Partial<LedgerFacts>) => text({ ledger: { ...NO_LEDGER, ...over } });
  const recording = (over: Partial<LedgerUpload> = {}): LedgerUpload => ({
    sha256: 'a'.repeat(64),
    path: '/garmin/ride.fit',
    size: 1,
    state: 'confirmed',
    attempts: 1,
    refusals: 0,
    changedAt: NOW - 5 * 60_000,
    service: {},
    message: undefined,
    activity: {
      name: 'Morning ride',
      startedAt: Date.UTC(2026, 1, 14, 7),
      offsetMinutes: 60,
      movingSecs: 9396,
      distanceMeters: 87_900,
    },
    ...over,
  });

  it('shows the service, the account, the login, the zone and the uploads', () => {
    const uploads = { pending: 0, confirmed: 12, rejected: 0, undoing: 0, undone: 0, held: 0 };
    expect(
      ledger({ uploads, lastUploadAt: NOW - 3 * DAY })
        .split('\n')
        .slice(0, 7),
    ).toEqual([
      'Platform  https://a.example',
      'Account   Ann <ann@x>',
      'Login     good for 29 days, renews itself',
      'Kept in   the keychain',
      'Watching  nothing',
      'Days      counted in Europe/Berlin',
      'Uploads   12 recordings at the platform, the last 3 days ago',
    ]);
    expect(text({ profile: 'work' })).toContain('(profile "work")');
    expect(text({ store: { kind: 'file', where: 'the file /x' } })).toContain(
      'Kept in   the file /x (only you can read it)',
    );
  });

  it('warns of a login that ends soon and of missing scopes', () => {
    expect(login({})).not.toContain('It ends soon');
    expect(login({ refreshExpiresAt: NOW + 2 * DAY })).toContain('It ends soon: run `sync login`');
    expect(login({ renewable: false })).toContain('good for 30 minutes, does not renew itself');
    expect(
      login({
        missing: [
          { feature: 'wellness records', command: 'sync push wellness', scope: 'health:write' },
        ],
      }),
    ).toContain('wellness records (`sync push wellness` needs health:write)');
  });

  it('does not mention that the access token of a renewable login has expired', () => {
    const expired = { accessExpiresAt: NOW - 1, refreshExpiresAt: undefined };
    expect(login(expired)).toMatch(/^Login {5}good, renews itself$/m);
  });

  it('counts no uploads of an account that is not known', () => {
    expect(text({ account: undefined })).not.toContain('recordings at the platform');
  });

  it('names no store if there is no login in it', () => {
    const failure = { code: 'AUTH_REQUIRED', message: 'Not logged in.' } as const;
    expect(text({ login: { state: 'logged-out', ...failure } })).not.toContain('Kept in');
    expect(
      text({ login: { state: 'unknown', code: 'KEYCHAIN_MISSING', message: 'No keychain.' } }),
    ).not.toContain('Kept in');
    expect(text({ login: { state: 'ended', ...failure } })).toContain('Kept in');
  });

  it('counts the queue once for all folders of a watcher', () => {
    const watcher = {
      since: new Date(NOW - 2 * 3_600_000).toISOString(),
      queue: { waiting: 3, sending: 0, kept: 0, unfinished: 1 },
      connection: { state: 'ok' },
      login: { state: 'ok' },
      kind: 'daemon',
    };
    const a = { path: '/a', state: 'watching' };
    const b = { path: '/b', state: 'waiting' };
    const watching = [{ ...watcher, folders: [a, b] }] as unknown as StatusReport['watching'];
    expect(text({ watching })).toContain(
      [
        'Watching  /a',
        '          /b (not there now)',
        '          in the background for 2 hours, 3 recordings waiting, 1 incomplete file',
      ].join('\n'),
    );
  });

  it('names a folder beside a device whose name begins alike', () => {
    const watcher = {
      since: new Date(NOW).toISOString(),
      queue: { waiting: 0, sending: 0, kept: 0, unfinished: 0 },
      connection: { state: 'ok' },
      login: { state: 'ok' },
      kind: 'daemon',
      devices: [{ title: 'Edge 840', root: '/media/GARMIN', state: 'connected' }],
      folders: ['/media/GARMIN/Garmin/Activity', '/media/GARMIN2'].map((path) => {
        return { path, state: 'watching' };
      }),
    };
    const watching = [watcher] as unknown as StatusReport['watching'];
    expect(text({ watching })).toContain('/media/GARMIN2\n');
    expect(text({ watching })).not.toContain('Activity');
  });

  it('names the folders of the last watcher, and the command that watches again', () => {
    expect(text({ watchedLast: { folders: ['/garmin'], until: NOW - 2 * DAY } })).toContain(
      [
        'Watching  nothing since 2 days ago',
        '          `sync watch /garmin --daemon` watches again.',
      ].join('\n'),
    );
  });

  it('compares the zone of the days with the last known zone of the platform', () => {
    const platform = { name: 'Europe/Stockholm', seenAt: '2026-02-14T00:00:00.000Z' };
    const machine = { days: { name: 'UTC', from: 'machine' }, machine: 'UTC', platform } as const;
    expect(text({ zone: { ...machine, differs: true } })).toContain(
      [
        "Days      counted in UTC, this machine's zone; the platform has you in Europe/Stockholm",
        '          If you live there, run `sync config set timezone Europe/Stockholm`.',
      ].join('\n'),
    );
    expect(text({ zone: { ...machine, differs: false } })).not.toContain('Stockholm');
  });

  it('shows recordings by name, with the clock of their place', () => {
    const unnamed = recording({ activity: NO_ACTIVITY, changedAt: NOW - 2 * DAY });
    expect(ledger({ recent: [recording(), unnamed] })).toContain(
      [
        'Last recordings',
        '  Sat 14 Feb 08:00  Morning ride  2:36:36  87.9 km  uploaded 5 minutes ago',
        '  ride.fit  uploaded 2 days ago',
      ].join('\n'),
    );
    const report = { ...REPORT, ledger: { ...NO_LEDGER, recent: [recording()] } };
    const narrow = viewOn({ stdoutColumns: 60, unicode: true }, NOW);
    expect(String(statusText(report, narrow))).toMatch(/Morning ride {2}2:36:36 {2}87\.9 km$/m);
  });

  it('lists what is waiting and what was refused, with the reason', () => {
    const pending = recording({ state: 'pending' });
    const refused = recording({ state: 'rejected', message: 'The file is too\nshort.' });
    const said = ledger({
      uploads: { pending: 5, confirmed: 0, rejected: 1, undoing: 0, undone: 0, held: 0 },
      waiting: {
        recordings: [pending, pending, pending, pending, refused, pending],
        records: [
          { kind: 'wellness', date: '2026-02-13', state: 'pending' },
          { kind: 'nutrition', date: '2026-02-14', state: 'pending' },
          { kind: 'nutrition', date: '2026-02-15', state: 'rejected', message: 'No such food.' },
        ],
        kept: 2,
        keptBytes: 0,
        keptForOthers: 2,
        unusable: [{ path: '/garmin/half.fit', size: 3, detail: 'The last 2 bytes are missing.' }],
      },
    });
    const line = '  Sat 14 Feb 08:00  Morning ride  2:36:36  87.9 km';
    expect(said.slice(said.indexOf('Waiting\n'))).toBe(
      [
        'Waiting',
        line,
        line,
        line,
        '  and 2 more',
        '  The platform has not confirmed them: `sync upload` of the same files sends them again.',
        '  wellness of 2026-02-13',
        '  nutrition of 2026-02-14',
        '  The platform has not confirmed them: the same `sync push` or `sync undo` again continues.',
        '  copies of 2 recordings, until `sync watch` has sent them',
        '  copies of 2 recordings of another login, or damaged: see `sync doctor`',
        '',
        'Refused by the platform',
        line,
        '    5 minutes ago: The file is too short.',
        '  nutrition of 2026-02-15',
        '    No such food.',
        '',
        'Invalid files',
        '  /garmin/half.fit: The last 2 bytes are missing.',
      ].join('\n'),
    );
  });

  it('distinguishes a missing login from an unreadable one', () => {
    const none = text({
      login: { state: 'logged-out', code: 'AUTH_REQUIRED', message: 'Nobody.', hint: 'Log in.' },
    });
    expect(none).toMatch(/^Login {5}none\. Nobody\.\n {10}Log in\.$/m);
    const locked = text({
      login: { state: 'unknown', code: 'KEYCHAIN_LOCKED', message: 'Locked.' },
    });
    expect(locked).toContain('cannot be read now. Locked.');
  });
});
