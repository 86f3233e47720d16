import {
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { KINDS, loginWithToken, play } from '../support/acceptance.ts';
import type { RunningHere } from '../support/in-process.ts';
import { ndjson } from '../support/program.ts';
import type { SeenHealth } from '../../src/daemon/registry.ts';
import { readHealth } from '../daemon/support.ts';
import {
  anotherRecording,
  events,
  loginAgain,
  openWorld,
  put,
  ready,
  sha256,
  stop,
  until,
  world,
} from '../watch/support.ts';

const stateDir = () => join(world.home.dir, 'state');
const health = (): SeenHealth | undefined => readHealth(stateDir(), Date.now())[0];

/** Starts a watcher of an empty folder, with a login of the first athlete. */
async function watchLoggedIn(): Promise<RunningHere> {
  await openWorld();
  mkdirSync(world.folder);
  return await ready(world.watch());
}

it('recordings during a hanging request of the platform are delivered although they were overwritten or deleted after some seconds, also if in flight', async () => {
  await openWorld();
  mkdirSync(world.folder);
  world.sandbox.control.addFaults('upload-fit:hang*inf');
  const rides = Array.from({ length: 6 }, () => anotherRecording());
  const files = rides.map((ride, i): readonly [string, Uint8Array] =>
    i % 2 === 0 ? [`${i}.fit`, ride] : [`${i}.fit.gz`, gzipSync(ride)],
  );
  for (const [name, bytes] of files) put(join(world.folder, name), bytes);
  const watcher = await world.watch();
  await until(() => world.requests() === 2);
  await until(() => health()?.queue.kept === rides.length);
  expect(health()?.queue).toMatchObject({ waiting: rides.length, sending: 2 });
  for (const [name] of files) rmSync(join(world.folder, name));
  const later = anotherRecording();
  put(join(world.folder, '0.fit'), later);

  await world.stopService();
  await watcher.waitFor(/"event":"obstacle"/);
  await world.startService();
  await until(() => world.recordings().length === rides.length + 1);
  await until(() => readdirSync(join(stateDir(), 'outbox')).length === 0);
  expect(world.hashes()).toEqual([...rides, later].map(sha256).sort());
  expect(world.recordings().every(({ receivedCount }) => receivedCount === 1)).toBe(true);
  expect(events(watcher, 'kept').length).toBeLessThanOrEqual(rides.length + 1);
  await until(() => health()?.queue.waiting === 0 && health()?.queue.kept === 0);
  expect(await stop(watcher)).toBe(0);
});

it('two watchers of one account deliver the copies of a killed watcher once, without a restart of the other', async () => {
  await openWorld();
  mkdirSync(world.folder);
  const second = join(world.home.dir, 'second');
  mkdirSync(second);
  await world.stopService();
  const watchers = [
    world.watchProgram(),
    await world.startHere(['watch', second, '--json', '--poll', '1']),
  ] as const;
  for (const watcher of watchers) await ready(watcher);
  const [both, first] = [anotherRecording(), anotherRecording()];
  for (const bytes of [both, first]) put(join(world.folder, `${sha256(bytes)}.fit`), bytes);
  await until(() => events(watchers[0], 'kept').length === 2);
  put(join(second, 'same.fit'), both);
  watchers[0].child.kill('SIGKILL');
  await watchers[0].finished;
  rmSync(world.folder, { recursive: true });
  const living = () => readHealth(stateDir(), Date.now()).find(({ alive }) => alive)?.queue;
  await until(() => living()?.kept === 2);

  await world.startService();
  await until(() => world.recordings().length === 2);
  await until(() => living()?.kept === 0 && living()?.waiting === 0);
  expect(await stop(watchers[1])).toBe(0);
  expect(world.hashes()).toEqual([both, first].map(sha256).sort());
  expect(world.recordings().map(({ receivedCount }) => receivedCount)).toEqual([1, 1]);
});

describe.each(KINDS)('recordings during an outage of the platform on %s', (platform) => {
  play(platform);

  it('wait, also over a restart, and are sent when the service is back', async () => {
    const watcher = await watchLoggedIn();
    await world.stopService();
    const rides = Array.from({ length: 5 }, () => anotherRecording());
    rides.slice(0, 3).forEach((bytes, i) => put(join(world.folder, `${i}.fit`), bytes));
    await watcher.waitFor(/"event":"obstacle"/);
    await until(() => health()?.queue.waiting === 3 && health()?.queue.kept === 3);
    expect(health()).toMatchObject({
      alive: true,
      running: true,
      connection: { state: 'offline' },
    });
    expect(await stop(watcher)).toBe(0);
    expect(events(watcher, 'obstacle')).toMatchObject([{ obstacle: 'offline' }]);
    expect(health()).toMatchObject({ alive: false, running: false });

    rides.slice(3).forEach((bytes, i) => put(join(world.folder, `late-${i}.fit`), bytes));
    const next = await world.watch();
    await next.waitFor(/"event":"obstacle"/);
    await world.startService();
    await until(() => world.recordings().length === rides.length);
    await until(() => health()?.connection.state === 'ok' && health()?.queue.waiting === 0);
    expect(await stop(next)).toBe(0);
    expect(events(next, 'delivering')).toHaveLength(1);
    expect(world.hashes()).toEqual(rides.map(sha256).sort());
    expect(world.recordings().map(({ receivedCount }) => receivedCount)).toEqual([1, 1, 1, 1, 1]);
  });

  it('are copied after a start with a token from the environment, and sent when the service answers', async () => {
    await openWorld(false);
    const SYNC_ACCESS_TOKEN = world.sandbox.control.mint().access_token;
    await world.stopService();
    put(join(world.folder, 'ride.fit'), anotherRecording());
    const watcher = await world.watch([], { SYNC_ACCESS_TOKEN });
    await watcher.waitFor(/"event":"obstacle"/);
    expect(health()).toMatchObject({ alive: true, connection: { state: 'offline' } });
    await until(() => events(watcher, 'kept').length === 1);
    put(join(world.folder, 'ride.fit'), anotherRecording());
    await until(() => events(watcher, 'kept').length === 2);
    await world.startService();
    await until(() => world.recordings().length === 2);
    expect(await stop(watcher)).toBe(0);
  });
});

it('recordings that the user sends with sync upload clear a reported outage', async () => {
  const watcher = await watchLoggedIn();
  world.sandbox.control.addFaults('upload-fit:503(retry-after=2)*1');
  put(join(world.folder, 'ride.fit'), anotherRecording());
  await watcher.waitFor(/"event":"obstacle"/);
  expect((await world.sync(['upload', world.folder])).code).toBe(0);
  await until(() => health()?.connection.state === 'ok' && health()?.queue.waiting === 0);
  expect(await stop(watcher)).toBe(0);
  expect(world.recordings().map(({ receivedCount }) => receivedCount)).toEqual([1]);
});

describe.each(KINDS)('a login that has ended on %s', (platform) => {
  play(platform);

  it('is reported once, stops all requests until the next login, and then delivery continues', async () => {
    const watcher = await watchLoggedIn();
    put(join(world.folder, 'before.fit'), anotherRecording());
    await until(() => world.recordings().length === 1);
    world.sandbox.control.revoke();
    const rides = Array.from({ length: 3 }, () => anotherRecording());
    put(join(world.folder, '0.fit'), rides[0] as Uint8Array);
    await watcher.waitFor(/"event":"login-needed"/);
    await until(() => health()?.login.state === 'needed');
    const calls = world.sandbox.control.requestCount();
    put(join(world.folder, '1.fit'), rides[1] as Uint8Array);
    put(join(world.folder, '2.fit'), rides[2] as Uint8Array);
    await until(() => events(watcher, 'kept').length === 3);
    expect(world.sandbox.control.requestCount()).toBe(calls);

    await loginAgain();
    await watcher.waitFor(/"event":"login-renewed"/);
    await until(() => world.recordings().length === 4);
    await until(() => health()?.login.state === 'ok');
    expect(await stop(watcher)).toBe(0);
    expect(events(watcher, 'login-needed')).toHaveLength(1);
    expect(events(watcher, 'login-renewed')).toHaveLength(1);
    expect(events(watcher, 'started')).toHaveLength(1);
    expect(world.recordings().map(({ receivedCount }) => receivedCount)).toEqual([1, 1, 1, 1]);
  });

  it('makes the watcher wait for the first login if there was none before', async () => {
    await openWorld(false);
    const ride = anotherRecording();
    put(join(world.folder, 'ride.fit'), ride);
    const watcher = await world.watch();
    await watcher.waitFor(/"event":"login-needed"/);
    await loginAgain();
    await until(() => world.recordings().length === 1);
    expect(await stop(watcher)).toBe(0);
    expect(world.hashes()).toEqual([sha256(ride)]);
  });

  it('makes the watcher wait for the same athlete after sync logout', async () => {
    await openWorld();
    put(join(world.folder, 'before.fit'), anotherRecording());
    const watcher = await world.watch();
    await until(() => world.recordings().length === 1);
    await ready(watcher);
    expect((await world.sync(['logout'])).code).toBe(0);
    put(join(world.folder, 'after.fit'), anotherRecording());
    await until(() => /Not logged in/.test(health()?.login.message ?? ''));
    await loginAgain();
    await until(() => world.recordings().length === 2);
    expect(await stop(watcher)).toBe(0);
    expect(events(watcher, 'login-needed')).toHaveLength(1);
    expect(world.recordings().map(({ receivedCount }) => receivedCount)).toEqual([1, 1]);
  });
});

describe('a login that has ended', () => {
  it('ends the watcher with 4 if it came from the environment', async () => {
    await openWorld(false);
    mkdirSync(world.folder);
    const SYNC_ACCESS_TOKEN = world.sandbox.control.mint().access_token;
    const watcher = await ready(world.watch([], { SYNC_ACCESS_TOKEN }));
    world.sandbox.control.revoke();
    put(join(world.folder, 'ride.fit'), anotherRecording());
    expect((await watcher.finished).code).toBe(4);
    expect(events(watcher, 'error')).toMatchObject([{ code: 'AUTH_EXPIRED' }]);
  });

  it('keeps recordings from another athlete and sends them after a login of the right one', async () => {
    const watcher = await watchLoggedIn();
    world.sandbox.control.revoke({ athlete: 'athlete-1' });
    const ride = anotherRecording();
    put(join(world.folder, 'ride.fit'), ride);
    await watcher.waitFor(/"event":"login-needed"/);
    await until(() => events(watcher, 'kept').length === 1);
    await loginWithToken(world, { athlete: 'athlete-2' });
    await until(() => /Another athlete/.test(health()?.login.message ?? ''));
    await until(() => events(watcher, 'login-needed').length === 2);
    expect(events(watcher, 'login-needed')).toMatchObject([
      { code: 'AUTH_EXPIRED' },
      { code: 'AUTH_REFUSED' },
    ]);
    // Recorded over the first one by an app that has one file for all: both are theirs.
    put(join(world.folder, 'ride.fit'), anotherRecording());
    await until(() => events(watcher, 'kept').length === 2);
    put(join(world.folder, 'ride.fit'), 'and gone');
    await loginWithToken(world, { athlete: 'athlete-1' });
    await until(() => world.recordings().length === 2);
    expect(await stop(watcher)).toBe(0);
    const { athletes } = world.sandbox.control.state();
    expect(athletes.map(({ recordings }) => recordings.length)).toEqual([2, 0, 0]);
  });

  it('is not the one in memory once another athlete logged in, although its token still works', async () => {
    const watcher = await watchLoggedIn();
    put(join(world.folder, 'earlier.fit'), anotherRecording());
    await until(() => world.recordings().length === 1);
    await loginWithToken(world, { athlete: 'athlete-2' });
    put(join(world.folder, 'ride.fit'), anotherRecording());
    await watcher.waitFor(/"event":"login-needed"/);
    await until(() => events(watcher, 'kept').length === 1);
    expect(world.requests()).toBe(1);
    await loginWithToken(world, { athlete: 'athlete-1' });
    await until(() => world.recordings().length === 2);
    expect(await stop(watcher)).toBe(0);
    const { athletes } = world.sandbox.control.state();
    expect(athletes.map(({ recordings }) => recordings.length)).toEqual([2, 0, 0]);
  });

  it('is checked although the config file is unreadable at that moment', async () => {
    const watcher = await watchLoggedIn();
    world.sandbox.control.revoke();
    put(join(world.folder, 'ride.fit'), anotherRecording());
    await watcher.waitFor(/"event":"login-needed"/);
    const file = join(world.home.dir, 'config', 'config.json');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.slice(0, -5));
    await watcher.waitFor(/is not JSON/);
    writeFileSync(file, text);
    await loginAgain();
    await until(() => world.recordings().length === 1);
    expect(await stop(watcher)).toBe(0);
  });

  it('is not assumed if the service rejects a token after a refresh', async () => {
    const watcher = await watchLoggedIn();
    world.sandbox.control.addFaults('upload-fit:401*4');
    put(join(world.folder, 'ride.fit'), anotherRecording());
    await watcher.waitFor(/"event":"obstacle"/);
    await until(() => world.recordings().length === 1);
    expect(await stop(watcher)).toBe(0);
    expect([events(watcher, 'login-needed'), events(watcher, 'login-renewed')]).toEqual([[], []]);
    // Twice: a request, a refresh, a retry. Then the accepted request.
    expect(world.requests()).toBe(5);
  });

  it('clears a keychain obstacle when the token store changes to a file', async () => {
    await openWorld();
    const file = join(world.home.dir, 'config', 'config.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"file"', '"keychain"'));
    rmSync(join(stateDir(), 'logins'), { recursive: true });
    mkdirSync(world.folder);
    const env = { SYNC_TOKEN_STORE: '', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' };
    const watcher = await ready(world.watch([], env));
    put(join(world.folder, 'ride.fit'), anotherRecording());
    await watcher.waitFor(/"event":"obstacle","obstacle":"keychain"/);
    await loginAgain();
    await until(() => world.recordings().length === 1);
    expect(await stop(watcher)).toBe(0);
  });
});

describe('the health of a watcher', () => {
  it('contains the fields that a monitor needs', async () => {
    await openWorld(false);
    world.sandbox.control.settings({ refreshTtl: 30 * 86_400 });
    await loginAgain();
    const ride = anotherRecording();
    put(join(world.folder, 'ride.fit'), ride);
    const away = join(world.home.dir, 'away');
    const watcher = await ready(world.start(['watch', world.folder, away, '--json']));
    await until(() => health()?.login.refreshEndsAt !== undefined);
    await until(() => health()?.lastSuccessAt !== undefined);
    put(join(world.folder, 'copy.fit'), ride);
    await watcher.waitFor(/already-uploaded/);
    await until(() => health()?.queue.waiting === 0);
    const { loginEndsInSecs, ...now } = health() as SeenHealth;
    expect(now).toMatchObject({
      version: 1,
      pid: watcher.child.pid,
      profile: 'default',
      running: true,
      alive: true,
      folders: [
        { path: world.folder, state: 'watching' },
        { path: away, state: 'waiting' },
      ],
      queue: { waiting: 0, sending: 0, kept: 0, unfinished: 0 },
      connection: { state: 'ok' },
      login: { state: 'ok' },
    });
    expect(Date.parse(now.lastSweepAt ?? '')).toBeGreaterThan(Date.parse(now.since) - 1);
    expect(loginEndsInSecs).toBeGreaterThan(29 * 86_400);
    expect(loginEndsInSecs).toBeLessThanOrEqual(30 * 86_400);
    watcher.child.kill('SIGKILL');
    await watcher.finished;
    expect(health()).toMatchObject({ running: true, alive: false });
  });

  it('names the end of the access token if the refresh token ends before it', async () => {
    await openWorld(false);
    world.sandbox.control.settings({ refreshTtl: 1, accessTtl: 3600 });
    await loginAgain();
    mkdirSync(world.folder);
    const watcher = await world.watch();
    await until(() => health()?.login.refreshEndsAt !== undefined);
    expect(health()?.loginEndsInSecs).toBeGreaterThan(3_000);
    await stop(watcher);
  });

  it('warns of a login that ends within a week and cannot be extended', async () => {
    await openWorld(false);
    world.sandbox.control.settings({ refreshTtl: 3 * 86_400 });
    await loginAgain();
    mkdirSync(world.folder);
    const watcher = await world.watch();
    await watcher.waitFor(/"event":"login-ending"/);
    await stop(watcher);
    expect(events(watcher, 'login-ending')).toMatchObject([{ daysLeft: 2 }]);
  });
});

const ledgerFiles = () => readdirSync(stateDir()).filter((name) => name.startsWith('ledger.db'));
const loseLedger = () => {
  for (const name of ledgerFiles()) rmSync(join(stateDir(), name));
};

const damage = () => {
  const ledger = join(stateDir(), 'ledger.db');
  writeFileSync(ledger, readFileSync(ledger).fill(0xff, 4096));
};

describe('the ledger of a watcher', () => {
  const watched = async () => {
    await openWorld();
    put(join(world.folder, 'first.fit'), anotherRecording());
    const watcher = await world.watch();
    await until(() => world.recordings().length === 1);
    await ready(watcher);
    return watcher;
  };

  it.each([
    ['deleted', () => undefined],
    ['replaced by a new one', () => world.sync(['upload', 'none.fit'])],
  ])('is opened again if it was %s, and holds all that is sent', async (_how, replace) => {
    const watcher = await watched();
    loseLedger();
    await replace();
    put(join(world.folder, 'second.fit'), anotherRecording());
    await watcher.waitFor(/"event":"problem".*deleted or replaced/);
    put(join(world.folder, 'third.fit'), anotherRecording());
    await until(() => world.recordings().length === 3);
    await until(() => health()?.queue.waiting === 0);
    expect(await stop(watcher)).toBe(0);
    const requests = world.requests();
    const { code, stdout } = await world.sync(['upload', world.folder, '--json']);
    expect([code, ndjson(stdout).at(-1)?.['skipped'], world.requests()]).toEqual([0, 3, requests]);
  });

  it('is reported with what to do if it was damaged', async () => {
    const watcher = await watched();
    damage();
    await watcher.waitFor(/"event":"problem".*ledger\.db: .*Move the file away/);
    expect(health()?.lastError?.message).toContain('ledger.db');
    await stop(watcher);
  });

  it('makes both forms of status exit with 5 while it is damaged under a daemon', async () => {
    await openWorld();
    put(join(world.folder, 'first.fit'), anotherRecording());
    expect((await world.sync(['watch', world.folder, '--daemon'])).code).toBe(0);
    await until(() => world.recordings().length === 1);
    const codes = async () => {
      const [status, daemons] = [
        await world.sync(['status']),
        await world.sync(['daemon', 'status']),
      ];
      const told = [status, daemons].map(({ stdout }) => stdout.includes('Move the file away'));
      return [status.code, daemons.code, ...told];
    };
    expect(await codes()).toEqual([0, 0, false, false]);

    damage();
    await until(() => health()?.ledger !== undefined);
    expect(await codes()).toEqual([5, 5, true, true]);

    loseLedger();
    await until(() => health()?.ledger === undefined);
    expect((await codes()).slice(0, 2)).toEqual([0, 0]);
    expect((await world.sync(['daemon', 'stop'])).code).toBe(0);
  });
});

describe('recordings in the stash of a watcher that was killed', () => {
  /** Keeps recordings while the service is away, deletes their files, and kills the watcher. */
  async function keepCopies(midway: () => void): Promise<readonly Uint8Array[]> {
    await openWorld();
    mkdirSync(world.folder);
    await world.stopService();
    const watcher = await ready(world.watchProgram());
    const rides = Array.from({ length: 4 }, () => anotherRecording());
    rides.slice(0, 2).forEach((bytes, i) => put(join(world.folder, `ride-${i}.fit`), bytes));
    await until(() => events(watcher, 'kept').length === 2);
    midway();
    rides.slice(2).forEach((bytes, i) => put(join(world.folder, `late-${i}.fit`), bytes));
    await until(() => events(watcher, 'kept').length === 4);
    rmSync(world.folder, { recursive: true });
    watcher.child.kill('SIGKILL');
    await watcher.finished;
    return rides;
  }
  const yesterday = () => join(world.home.dir, 'yesterday');

  it.each([
    ['deleted', () => undefined, loseLedger],
    ['deleted under the watcher', loseLedger, () => undefined],
    [
      'replaced by an older one',
      () => cpSync(stateDir(), yesterday(), { recursive: true }),
      () => {
        loseLedger();
        const names = readdirSync(yesterday()).filter((name) => name.startsWith('ledger.db'));
        for (const name of names) cpSync(join(yesterday(), name), join(stateDir(), name));
      },
    ],
  ])('are counted and sent once if the ledger was %s', async (_how, midway, afterwards) => {
    const rides = await keepCopies(midway);
    afterwards();
    // An old stash is not taken for remains.
    const outbox = join(stateDir(), 'outbox');
    const old = Date.now() / 1000 - 7_200;
    for (const name of readdirSync(outbox)) utimesSync(join(outbox, name), old, old);
    const status = await world.sync(['status', '--json']);
    expect(ndjson(status.stdout)).toMatchObject([{ waiting: { kept: 4, keptForOthers: 0 } }]);
    cpSync(outbox, join(world.home.dir, 'copies'), { recursive: true });

    await world.startService();
    const next = await world.watch();
    await until(() => world.recordings().length === 4);
    await until(() => readdirSync(outbox).length === 0);
    expect(await stop(next)).toBe(0);
    expect(world.hashes()).toEqual(rides.map(sha256).sort());
    expect(world.recordings().map(({ receivedCount }) => receivedCount)).toEqual([1, 1, 1, 1]);
    expect(events(next, 'problem')).toEqual([]);

    // The copies were delivered, but not deleted.
    loseLedger();
    cpSync(join(world.home.dir, 'copies'), outbox, { recursive: true });
    const last = await world.watch();
    await until(() => readdirSync(outbox).length === 0);
    expect(await stop(last)).toBe(0);
    expect(events(last, 'upload').map(({ outcome }) => outcome)).toEqual(
      Array.from({ length: 4 }, () => 'duplicate'),
    );
  });

  it('wait for their login, are counted by status and doctor, and reported once', async () => {
    const rides = await keepCopies(() => undefined);
    loseLedger();
    await world.startService();
    await loginWithToken(world, { athlete: 'athlete-2' });
    const other = await world.watch();
    await other.waitFor(/"event":"kept-for-others"/);
    await ready(other);
    const status = await world.sync(['status', '--json']);
    expect(ndjson(status.stdout)).toMatchObject([{ waiting: { kept: 0, keptForOthers: 4 } }]);
    const [hash = ''] = readdirSync(join(stateDir(), 'outbox'));
    const [owner = ''] = readdirSync(join(stateDir(), 'outbox', hash));
    const copy = (name: string) => join(stateDir(), 'outbox', hash, owner, name);
    const label = readFileSync(copy('copy.json'));
    put(copy('copy.json'), Buffer.from('{'));
    const findings = (await world.lines(['doctor'])).filter(({ message }) =>
      String(message).startsWith('Copies of'),
    );
    put(copy('copy.json'), label);
    const before = 'Log in as before and run `sync watch`.';
    const unclaimed = copy(basename((JSON.parse(label.toString()) as { path: string }).path));
    expect(findings).toMatchObject([
      {
        check: 'state',
        state: 'odd',
        message: `Copies of 3 recordings in ${join(stateDir(), 'outbox')} wait for the login of athlete-1 at ${world.sandbox.url}.`,
        hint: before,
      },
      {
        message: `Copies of 1 recording in ${join(stateDir(), 'outbox')} are damaged, or of a login without a known athlete.`,
        hint: `${before} Without that login, see with \`sync inspect ${unclaimed}\` whose they are. Only if they are yours, run \`sync upload ${unclaimed}\`, and delete them.`,
      },
    ]);
    expect(await stop(other)).toBe(0);
    expect(events(other, 'kept-for-others')).toMatchObject([{ copies: 4 }]);
    expect(world.recordings()).toEqual([]);

    await loginAgain();
    const next = await world.watch();
    await until(() => world.recordings().length === 4);
    expect(await stop(next)).toBe(0);
    expect(world.hashes()).toEqual(rides.map(sha256).sort());
  });
});

it('the copy of a recording that another command delivered neither waits nor is counted', async () => {
  await openWorld();
  put(join(world.folder, 'ride.fit'), anotherRecording());
  world.sandbox.control.addFaults('upload-fit:422');
  await world.lines(['watch', '--once', world.folder], { code: 6 });
  expect(await world.lines(['status'])).toMatchObject([{ waiting: { kept: 1 } }]);
  await world.lines(['upload', world.folder]);
  expect(await world.lines(['status'])).toMatchObject([{ waiting: { kept: 0, keptBytes: 0 } }]);
  const lines = await world.lines(['watch', '--once', world.folder]);
  expect(lines.at(-1)).toMatchObject({ total: 1, skipped: 1 });
  expect(readdirSync(join(stateDir(), 'outbox'))).toEqual([]);
  expect(world.requests()).toBe(2);
});
