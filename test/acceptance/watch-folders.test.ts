import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/system/this-process.ts';
import { ndjson } from '../support/program.ts';
import { installSync, missingTools, runShell, skipNote } from '../support/shell.ts';
import {
  anotherRecording,
  events,
  openWorld,
  put,
  ready,
  sha256,
  stop,
  until,
  world,
} from '../watch/support.ts';

beforeEach(async () => {
  await openWorld();
});

const statesOf = (watcher: Parameters<typeof events>[0]) =>
  events(watcher, 'folder').map(({ state }) => state);

describe('a folder that comes and goes', () => {
  it('is reported once and waited for if it and its parents are missing at the start', async () => {
    const deep = join(world.folder, 'a/b/c');
    const watcher = await ready(world.startHere(['watch', deep, '--json']));
    mkdirSync(join(world.folder, 'a'), { recursive: true });
    const first = anotherRecording();
    put(join(deep, 'first.fit'), first);
    await until(() => world.requests() === 1);
    const second = anotherRecording();
    put(join(deep, 'second.fit'), second);
    await until(() => world.requests() === 2);
    await stop(watcher);
    expect(statesOf(watcher)).toEqual(['waiting', 'watching']);
    expect(world.hashes()).toEqual([first, second].map(sha256).sort());
  });

  // Root can read every folder: another user runs the watcher then.
  const asNobody = process.getuid?.() === 0;
  const missing = asNobody ? missingTools('setpriv') : [];
  it.skipIf(process.platform === 'win32' || missing.length > 0)(
    `is reported and waited for if it is not readable${skipNote(missing)}`,
    async () => {
      const { home, folder } = world;
      mkdirSync(folder);
      chmodSync(folder, 0o311);
      // Else its owner could not delete it.
      onTestFinished(() => chmodSync(folder, 0o700));
      const out = join(home.dir, 'out');
      const path = [installSync(home)];
      const env = { DIR: folder, OUT: out };
      writeFileSync(out, '');
      if (asNobody) {
        chmodSync(join(folder, '..'), 0o711);
        execFileSync('chown', ['-R', '65534:65534', home.dir]);
      }
      const drop = asNobody ? 'setpriv --reuid=65534 --regid=65534 --clear-groups' : '';
      const shell = runShell(`exec ${drop} sync watch "$DIR" --json > "$OUT" 2>&1`, {
        ...{ home, path, env },
      });
      const said = (name: string) =>
        ndjson(readFileSync(out, 'utf8').replace(/[^\n]*$/, '')).filter(
          ({ event }) => event === name,
        );
      const states = () => said('folder').map(({ state, reason }) => [state, reason]);
      const waiting = ['waiting', 'It may not be read by this user.'];
      await until(() => said('ready').length === 1);
      expect(states()).toEqual([waiting]);
      // As the watcher's user: the records of other users count for nothing.
      const sync = (command: string) =>
        runShell(`exec ${drop} sync ${command}`, { ...{ home, path, env } });
      const { watching } = JSON.parse((await sync('status --json')).stdout) as {
        watching: { pid: number; folders: unknown }[];
      };
      expect(watching[0]?.folders).toEqual([
        { path: folder, state: waiting[0], reason: waiting[1] },
      ]);
      const { stdout } = await sync('status');
      expect(stdout).toContain(`${folder}: It may not be read by this user.`);

      const ride = anotherRecording();
      put(join(folder, 'ride.fit'), ride);
      chmodSync(folder, 0o755);
      await until(() => world.hashes().includes(sha256(ride)));
      const below = join(folder, 'sub');
      mkdirSync(below, 0o000);
      await until(() => said('problem').length === 1);
      expect((await sync('status')).stdout).toContain(`${below}: It may not be read by this user.`);
      chmodSync(below, 0o755);
      chmodSync(folder, 0o311);
      await until(() => states().length === 3);
      expect(states()).toEqual([waiting, ['watching', undefined], waiting]);
      process.kill(watching[0]?.pid ?? NaN, 'SIGTERM');
      await shell;
    },
  );

  it('is watched again when another folder was moved to its place', async () => {
    put(join(world.folder, 'old.fit'), anotherRecording());
    const watcher = await ready(world.watch());
    await until(() => world.requests() === 1);
    const other = `${world.folder}-2`;
    put(join(other, 'sub/new.fit'), anotherRecording());
    renameSync(world.folder, `${world.folder}-1`);
    renameSync(other, world.folder);
    await until(() => world.requests() === 2);
    put(join(world.folder, 'sub/newer.fit'), anotherRecording());
    await until(() => world.requests() === 3);
    // The folder that was moved away is no longer watched.
    put(join(`${world.folder}-1`, 'not-here.fit'), anotherRecording());
    put(join(world.folder, 'last.fit'), anotherRecording());
    await until(() => world.requests() === 4);
    await stop(watcher);
    expect(world.recordings().map(({ fileName }) => fileName)).not.toContain('not-here.fit');
  });
});

it('sync watch --poll finds new files without events behind a link, and reports its polling', async () => {
  const [real, elsewhere] = [join(world.home.dir, 'real'), join(world.home.dir, 'elsewhere')];
  mkdirSync(real);
  symlinkSync(real, world.folder);
  put(join(elsewhere, 'not-this.fit'), anotherRecording());
  symlinkSync(elsewhere, join(real, 'link'));
  const watcher = await ready(world.watch(['--poll', '1']));
  expect(events(watcher, 'folder')).toMatchObject([{ state: 'polling', folder: world.folder }]);
  const bytes = anotherRecording();
  put(join(world.folder, 'sub/ride.fit'), bytes);
  await until(() => world.requests() === 1);
  await stop(watcher);
  expect(world.hashes()).toEqual([sha256(bytes)]);
});

it('sync watch --new-only sends new files and skips existing ones, also for files added between two runs', async () => {
  put(join(world.folder, 'old.fit'), anotherRecording());
  put(join(world.folder, 'sub/old.fit'), anotherRecording());
  const watcher = await ready(world.watch(['--new-only']));
  const heard = anotherRecording();
  put(join(world.folder, 'heard.fit'), heard);
  await until(() => world.requests() === 1);
  await stop(watcher);

  const between = anotherRecording();
  put(join(world.folder, 'between.fit'), between);
  const next = await ready(world.watch(['--new-only']));
  await until(() => world.requests() === 2);
  const overwritten = anotherRecording({ durationSecs: 77 });
  put(join(world.folder, 'old.fit'), overwritten);
  await until(() => world.requests() === 3);
  await stop(next);
  expect(world.hashes()).toEqual([heard, between, overwritten].map(sha256).sort());
});

it('--new-only counts what is there at its first start, and never sends it, also if another command read it', async () => {
  put(join(world.folder, 'old.fit'), anotherRecording());
  const args = ['watch', '--new-only', world.folder];
  expect((await world.sync([...args, '--dry-run'])).stdout).toContain('1 there before --new-only');
  // A file that changed just before is not remembered.
  const clock = { ...systemClock, now: () => systemClock.now() + 10_000 };
  await world.sync(['upload', '--since', '1d', world.folder], { clock });
  const first = await ready(world.startHere([...args, '--json']));
  await stop(first);
  expect(events(first, 'ready')).toMatchObject([{ files: 1, queued: 0, leftOut: 1 }]);
  const next = await ready(world.startHere([...args, '--json']));
  await stop(next);
  expect(events(next, 'ready')).toEqual([expect.not.objectContaining({ leftOut: 1 })]);
  expect(await world.lines([...args, '--once'])).toMatchObject([{ reason: 'not-new' }, {}]);
  expect(world.requests()).toBe(0);
});

it('--new-only leaves out an old ride that was renamed, moved, copied or touched, and sends a new one of its size', async () => {
  const old = ['a', 'b', 'c', 'd', 'e'].map((name) => join(world.folder, `${name}.fit`));
  const [a = '', b = '', c = '', d = '', e = ''] = old;
  for (const [index, path] of old.entries()) {
    put(path, anotherRecording());
    utimesSync(path, 1_600_000_000 + index, 1_600_000_000 + index);
  }
  const once = ['watch', '--once', '--new-only', world.folder];
  await world.lines(once);
  renameSync(a, join(world.folder, 'z.fit'));
  mkdirSync(join(world.folder, 'sub'));
  renameSync(b, join(world.folder, 'sub/b.fit'));
  cpSync(c, join(world.folder, 'copy.fit'), { preserveTimestamps: true });
  utimesSync(d, 1_700_000_000, 1_700_000_000);
  expect(await world.lines(once)).toMatchObject([
    ...Array<object>(6).fill({ reason: 'not-new' }),
    {},
  ]);
  // A device that reuses its names, and a ride that was in progress at the first start.
  const now = anotherRecording({ startTime: new Date() });
  put(e, now);
  renameSync(join(world.folder, 'z.fit'), join(world.folder, 'y.fit'));
  const other = anotherRecording();
  put(join(world.folder, 'other.fit'), other);
  await world.lines(once);
  expect(world.hashes()).toEqual([now, other].map(sha256).sort());
});

it('sync watch without --new-only sends what an earlier watcher left out with it', async () => {
  const old = anotherRecording();
  put(join(world.folder, 'old.fit'), old);
  await world.sync(['watch', '--once', '--new-only', world.folder]);
  expect(world.requests()).toBe(0);
  const watcher = await ready(world.watch());
  await until(() => world.requests() === 1);
  await stop(watcher);
  expect(world.hashes()).toEqual([sha256(old)]);
});

it('the files of a folder in another watched folder are counted and sent once', async () => {
  const inner = join(world.folder, 'inner');
  put(join(world.folder, 'outer.fit'), anotherRecording());
  put(join(inner, 'inner.fit'), anotherRecording());
  const watcher = await ready(world.startHere(['watch', world.folder, inner, '--json']));
  await until(() => world.requests() === 2);
  put(join(inner, 'later.fit'), anotherRecording());
  await until(() => world.recordings().length === 3);
  await stop(watcher);
  expect(events(watcher, 'ready')).toMatchObject([{ files: 2, queued: 2 }]);
  expect(world.requests()).toBe(3);
});

it('--new-only counts a file in two watched folders once', async () => {
  await openWorld();
  const inner = join(world.folder, 'inner');
  put(join(world.folder, 'outer.fit'), anotherRecording());
  put(join(inner, 'inner.fit'), anotherRecording());
  const args = ['watch', world.folder, inner, '--new-only', '--json'];
  const watcher = await ready(world.startHere(args));
  expect(events(watcher, 'ready')).toMatchObject([{ files: 2, queued: 0 }]);
  await stop(watcher);
  expect(world.requests()).toBe(0);
});

it('counts a recording and its copy once, if its file is read again', async () => {
  await openWorld();
  mkdirSync(world.folder);
  await world.stopService();
  const killed = await ready(world.watchProgram());
  // A file that changed just before is not remembered.
  put(join(world.folder, 'ride.fit'), anotherRecording());
  await until(() => events(killed, 'kept').length === 1);
  killed.child.kill('SIGKILL');
  await killed.finished;
  const next = await ready(world.watch());
  expect(events(next, 'ready')).toMatchObject([{ files: 1, queued: 1 }]);
  await stop(next);
});
