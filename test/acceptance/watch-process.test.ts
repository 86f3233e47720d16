import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readHealth } from '../daemon/support.ts';
import { unfinished } from '../support/fit-maker.ts';
import type { RunningHere } from '../support/in-process.ts';
import { type Finished, ndjson } from '../support/program.ts';
import { installSync, runShell, missingTools, skipNote } from '../support/shell.ts';
import {
  anotherRecording,
  events,
  handlesSigterm,
  put,
  ready,
  sha256,
  stop,
  until,
  useWorld,
  world,
} from '../watch/support.ts';
import { DatabaseSync } from '../support/sqlite.ts';

useWorld();

/** Lets all uploads have happened an hour earlier. */
function anHourLater(): void {
  const ledger = new DatabaseSync(join(world.home.dir, 'state', 'ledger.db'));
  ledger.prepare('UPDATE uploads SET changed_at = changed_at - 3600000').run();
  ledger.close();
}

describe('the end of a watcher', () => {
  it('finishes the uploads in flight after SIGTERM, starts none, and exits with 0', async () => {
    world.sandbox.control.addFaults('upload-fit:delay=700ms*inf');
    for (let i = 0; i < 6; i++) put(join(world.folder, `${i}.fit`), anotherRecording());
    const watcher = world.watchProgram();
    await until(() => world.requests() === 2);
    expect(await stop(watcher)).toBe(0);
    expect(world.requests()).toBe(2);
    expect(world.recordings()).toHaveLength(2);
    expect(events(watcher, 'upload')).toHaveLength(2);
    expect(events(watcher, 'stopped')).toMatchObject([{ queued: 4 }]);

    world.sandbox.control.clearFaults();
    const next = await world.watch();
    await until(() => world.recordings().length === 6);
    await stop(next);
    expect(world.requests()).toBe(6);
  });

  it('aborts after SIGTERM if the platform does not answer, exits with 0, and the next start sends', async () => {
    world.sandbox.control.addFaults('upload-fit:hang*1');
    put(join(world.folder, 'ride.fit'), anotherRecording());
    const watcher = world.watchProgram();
    await until(() => world.requests() === 1);
    const asked = performance.now();
    expect(await stop(watcher)).toBe(0);
    // The contract is 5 s; a machine that is busy may take longer to notice, not for minutes.
    expect(performance.now() - asked).toBeLessThan(15_000);
    expect(world.recordings()).toHaveLength(0);
    const next = await world.watch();
    await until(() => world.recordings().length === 1);
    await stop(next);
  });

  it.skipIf(process.platform === 'win32')(
    'opens no debugger port for SIGUSR1, and continues to watch',
    async () => {
      const watcher = await ready(world.watchProgram());
      watcher.child.kill('SIGUSR1');
      put(join(world.folder, 'ride.fit'), anotherRecording());
      await until(() => world.recordings().length === 1);
      expect(await stop(watcher)).toBe(0);
      expect((await watcher.finished).stderr).not.toMatch(/debugger|inspector/i);
    },
  );

  it.each(['SIGINT', 'SIGTERM'] as const)('exits with 0 after %s', async (signal) => {
    const watcher = await ready(world.watchProgram());
    watcher.child.kill(signal);
    expect((await watcher.finished).code).toBe(0);
  });

  const missing = missingTools('script');
  it.skipIf(process.platform !== 'linux' || missing.length > 0)(
    `exits with 0 if its terminal sends SIGHUP, and has one stream there${skipNote(missing)}`,
    async () => {
      const { home, folder } = world;
      const [out, pidFile] = [join(home.dir, 'out'), join(home.dir, 'pid')];
      const path = [installSync(home)];
      const env = { DIR: folder, OUT: out, PID: pidFile };
      // `script` makes a terminal; `exec` leaves no shell between.
      const line = 'echo $$ > "$PID"; exec sync watch "$DIR" --json > "$OUT" 2> /dev/null';
      const shell = runShell(`script -qec '${line}' /dev/null`, { home, path, env });
      await until(() => existsSync(out) && readFileSync(out, 'utf8').includes('"event":"ready"'));
      process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGHUP');
      await until(() => readFileSync(out, 'utf8').includes('"event":"stopped"'));
      expect((await shell).code).toBe(0);
    },
  );

  const started = {
    'by nohup': 'nohup sync watch "$DIR" --json',
    // dash sets no `_`, and its mask is as usual.
    'by nohup from dash': 'sh -c "exec nohup sync watch \\"$DIR\\" --json"',
    'by a script that ignores SIGHUP': 'trap "" HUP; sync watch "$DIR" --json',
  };
  it.skipIf(process.platform !== 'linux').each(Object.entries(started))(
    'ignores SIGHUP if it was started %s',
    async (_who, line) => {
      const { home, folder } = world;
      const [out, pidFile] = [join(home.dir, 'out'), join(home.dir, 'pid')];
      const path = [installSync(home)];
      const env = { DIR: folder, OUT: out, PID: pidFile };
      const shell = runShell(`${line} > "$OUT" 2>&1 & echo $! > "$PID"; wait`, { home, path, env });
      await until(() => existsSync(out) && readFileSync(out, 'utf8').includes('"event":"ready"'));
      const pid = Number(readFileSync(pidFile, 'utf8'));
      process.kill(pid, 'SIGHUP');
      for (const name of ['a.fit', 'b.fit']) {
        const ride = anotherRecording();
        put(join(folder, name), ride);
        await until(() => world.hashes().includes(sha256(ride)));
        process.kill(pid, 'SIGHUP');
      }
      process.kill(pid, 'SIGTERM');
      await shell;
    },
  );
});

describe('a second sync watch', () => {
  it('for the same folder under any name reports the watcher that already runs', async () => {
    const watcher = await ready(world.watchProgram());
    const { code, stdout } = await (await world.watch()).finished;
    expect(code).toBe(2);
    expect(ndjson(stdout)).toMatchObject([{ type: 'error', code: 'BUSY', pid: watcher.child.pid }]);

    const other = join(world.home.dir, 'other');
    mkdirSync(other);
    const both = await world.sync(['watch', other, join(world.folder, '../Garmin'), '--json']);
    expect(both.code).toBe(2);
    expect(ndjson(both.stdout).at(-1)).toMatchObject({
      code: 'BUSY',
      folder: world.folder,
      pid: watcher.child.pid,
    });
    // What never began leaves nothing behind that looks like a watcher.
    const state = join(world.home.dir, 'state');
    expect(readHealth(state, Date.now()).map(({ pid }) => pid)).toEqual([watcher.child.pid]);
    await stop(watcher);

    const next = await ready(world.watch());
    expect(await stop(next)).toBe(0);
  });

  it('for another folder or another account works beside the first', async () => {
    const other = join(world.home.dir, 'other');
    mkdirSync(other);
    const token = world.sandbox.control.mint({ athlete: 'athlete-2' }).access_token;
    const watchers = await Promise.all(
      [
        world.watch(),
        world.startHere(['watch', other, '--json']),
        world.watch([], { SYNC_ACCESS_TOKEN: token }),
      ].map(ready<RunningHere>),
    );
    put(join(world.folder, 'a.fit'), anotherRecording());
    put(join(other, 'b.fit'), anotherRecording());
    const held = () =>
      world.sandbox.control.state().athletes.map(({ recordings }) => recordings.length);
    await until(() => held().join() === '2,1,0');
    expect(await Promise.all(watchers.map(stop))).toEqual([0, 0, 0]);
  });

  it('and sync upload at the same time send no recording twice', async () => {
    world.sandbox.control.addFaults('upload-fit:delay=25ms*inf');
    const watcher = await ready(world.watch());
    const rides = Array.from({ length: 40 }, () => anotherRecording());
    rides.forEach((bytes, i) => put(join(world.folder, `${i}.fit`), bytes));
    const uploads = [1, 2].map(() => world.start(['upload', world.folder, '--json']).finished);
    expect((await Promise.all(uploads)).map(({ code }) => code)).toEqual([0, 0]);
    await until(() => world.recordings().length === 40);
    await stop(watcher);
    expect(world.requests()).toBe(40);
  });
});

/** Runs `sync watch --once` to its end, in this process. */
const runOnce = (mode = '--once', env: NodeJS.ProcessEnv = {}) =>
  world.sync(['watch', world.folder, mode, '--json'], { env });
const missingIn = ({ stdout }: Finished) =>
  ndjson(stdout).filter(({ event }) => event === 'missing');

describe('sync watch --once', () => {
  it('sends new recordings and ends with the summary and the exit codes of upload', async () => {
    const rides = [anotherRecording(), anotherRecording()];
    rides.forEach((bytes, i) => put(join(world.folder, `${i}.fit`), bytes));
    const first = await runOnce();
    expect(first.code).toBe(0);
    expect(ndjson(first.stdout).at(-1)).toMatchObject({ type: 'summary', total: 2, uploaded: 2 });
    const second = await runOnce();
    expect(second.code).toBe(0);
    expect(ndjson(second.stdout).at(-1)).toMatchObject({ total: 2, uploaded: 0, skipped: 2 });
    expect(world.requests()).toBe(2);

    put(join(world.folder, 'open.fit'), unfinished(anotherRecording()));
    const third = await runOnce();
    expect(third.code).toBe(3);
    expect(ndjson(third.stdout).at(-1)).toMatchObject({ total: 3, invalid: 1, skipped: 2 });
  });

  // Elsewhere the file system takes no such name.
  it.runIf(process.platform === 'linux')(
    'exits with 3 if a file cannot be opened by its name, and sends the others',
    async () => {
      put(join(world.folder, 'ride.fit'), anotherRecording());
      writeFileSync(Buffer.from(`${world.folder}/M\xfcnchen.fit`, 'latin1'), 'x');
      const { code, stdout } = await runOnce();
      expect([code, world.requests()]).toEqual([3, 1]);
      expect(ndjson(stdout)[0]).toMatchObject({ event: 'problem' });
    },
  );

  it('reports an outage, keeps the bytes, and delivers them in the next run', async () => {
    put(join(world.folder, 'ride.fit'), anotherRecording());
    world.sandbox.control.addFaults('upload-fit:reset*inf');
    const first = await runOnce();
    expect([first.code, ndjson(first.stdout).at(-1)]).toMatchObject([5, { total: 1, failed: 1 }]);
    world.sandbox.control.clearFaults();
    rmSync(world.folder, { recursive: true });
    mkdirSync(world.folder);
    expect((await runOnce()).code).toBe(0);
    expect(world.recordings()).toHaveLength(1);
  });

  it('does not wait for hours if the service requests that', async () => {
    put(join(world.folder, 'ride.fit'), anotherRecording());
    world.sandbox.control.addFaults('upload-fit:503(retry-after=3600)*1');
    expect((await runOnce()).code).toBe(5);
    expect((await runOnce()).code).toBe(0);
    expect(world.recordings()).toHaveLength(1);
  });

  it('finishes the uploads in flight when it is stopped', async () => {
    put(join(world.folder, 'ride.fit'), anotherRecording());
    world.sandbox.control.addFaults('upload-fit:delay=1200ms*1');
    const first = world.watchProgram(['--once']);
    await until(() => world.requests() === 1);
    await until(() => handlesSigterm(first));
    first.child.kill('SIGTERM');
    expect((await first.finished).code).toBe(130);
    expect(world.recordings().map(({ receivedCount }) => receivedCount)).toEqual([1]);
    expect((await runOnce()).code).toBe(0);
    expect(world.recordings().map(({ receivedCount }) => receivedCount)).toEqual([1]);
  });

  it('reports rejected recordings, also during their backoff', async () => {
    put(join(world.folder, 'ride.fit'), anotherRecording());
    world.sandbox.control.addFaults('upload-fit:422*1');
    expect((await runOnce()).code).toBe(6);
    const second = await runOnce();
    expect(second.code).toBe(6);
    expect(ndjson(second.stdout)[0]).toMatchObject({
      outcome: 'skipped',
      reason: 'refused-before',
    });
    expect(world.requests()).toBe(1);
  });

  it('ends with 4 if the login has ended', async () => {
    put(join(world.folder, 'a.fit'), anotherRecording());
    world.sandbox.control.revoke();
    expect((await runOnce()).code).toBe(4);
  });

  it('reports once, with exit code 6, a recording without a workout an hour after its upload', async () => {
    world.sandbox.control.settings({ processingMs: null });
    const [good, bad] = [anotherRecording(), anotherRecording()];
    put(join(world.folder, 'good.fit'), good);
    put(join(world.folder, 'bad.fit'), bad);
    expect((await runOnce()).code).toBe(0);
    await world.sandbox.control.process({ sha256: sha256(good) });
    anHourLater();
    const late = await runOnce();
    expect(late.code).toBe(6);
    expect(missingIn(late)).toMatchObject([
      { type: 'watch', path: join(world.folder, 'bad.fit'), sha256: sha256(bad) },
    ]);
    const next = await runOnce();
    expect([next.code, missingIn(next)]).toEqual([0, []]);
    expect(world.requests()).toBe(2);
  });

  it('reports that uploads are not verified without workout:read, and still exits normally', async () => {
    const scopes = ['workout:write', 'profile:read'] as const;
    const env = { SYNC_ACCESS_TOKEN: world.sandbox.control.mint({ scopes }).access_token };
    put(join(world.folder, 'ride.fit'), anotherRecording());
    expect((await runOnce('--once', env)).code).toBe(0);
    anHourLater();
    const { code, stdout } = await world.sync(['watch', world.folder, '--once'], { env });
    expect([code, stdout]).toEqual([0, /^Uploads are not verified: .*workout:read/m]);
  });

  it('reports a missing folder with the closest name and exits with 3, like upload', async () => {
    mkdirSync(join(world.folder, 'Activity'), { recursive: true });
    const missing = join(world.folder, 'Activty');
    const { code, stdout } = await world.sync(['watch', missing, '--once', '--json']);
    expect(code).toBe(3);
    expect(ndjson(stdout)[0]).toMatchObject({
      outcome: 'invalid',
      reason: 'unreadable',
      detail: `It does not exist yet. Did you mean ${join(world.folder, 'Activity')}?`,
    });
    expect(world.sandbox.control.requests({ route: 'upload-fit' })).toEqual([]);
  });

  it.each([
    ['circle', 3, 'It is a link that leads back to itself.'],
    ['x'.repeat(300), 3, 'name too long'],
    ['', 2, 'An argument is empty.'],
    ['--poll=Garmin', 2, 'name it first: `sync watch Garmin --poll`'],
    ['ride.fit', 2, 'is a file; watch takes folders.'],
  ])('reports why the folder %j cannot be watched', async (name, exitCode, why) => {
    symlinkSync('circle', join(world.folder, 'circle'));
    put(join(world.folder, 'ride.fit'), anotherRecording());
    const { code, stdout } = await world.sync(['watch', name, '--once', '--json'], {
      cwd: world.folder,
    });
    expect([code, world.requests()]).toEqual([exitCode, 0]);
    expect(stdout).toContain(why);
  });
});

it.skipIf(process.platform === 'win32')(
  'finds nothing in a current folder that was deleted, and watches others from it',
  async () => {
    put(join(world.folder, 'ride.fit'), anotherRecording());
    const { home, folder } = world;
    const line = (command: string) => `sync ${command} --json; echo $?`;
    const { stdout, stderr } = await runShell(
      ['mkdir gone; cd gone; rmdir ../gone', line('push wellness day.json'), line('watch . --once')]
        .concat(line(`watch ${folder} --once`))
        .join('\n'),
      { home, path: [installSync(home)] },
    );
    expect(stdout.split('\n').filter((text) => /^\d$/.test(text))).toEqual(['3', '3', '0']);
    expect(stderr).not.toContain('Error');
    expect(world.requests()).toBe(1);
  },
);

it('sync watch --dry-run shows the recordings to send, sends nothing and records nothing', async () => {
  put(join(world.folder, 'ride.fit'), anotherRecording());
  const dry = await runOnce('--dry-run');
  expect([dry.code, ndjson(dry.stdout)[0]]).toMatchObject([0, { outcome: 'would-upload' }]);
  expect(world.requests()).toBe(0);
  expect((await runOnce()).code).toBe(0);
  expect(world.requests()).toBe(1);
});

it('the command line of sync watch rejects a file with a hint', async () => {
  const file = join(world.folder, 'ride.fit');
  put(file, anotherRecording());
  const { code, stderr } = await world.sync(['watch', file, '--once']);
  expect([code, stderr]).toEqual([2, /sync upload/]);
});

it('the text output of sync watch is one line per event with its time', async () => {
  const watcher = await world.startHere(['watch', world.folder]);
  await watcher.waitFor(/Ready: nothing to send\./);
  put(join(world.folder, 'ride.fit'), anotherRecording());
  await watcher.waitFor(/ride\.fit: uploaded/);
  expect(await stop(watcher)).toBe(0);
  const lines = watcher.stdout().trimEnd().split('\n');
  expect(lines.map((line) => line.replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}/, ''))).toEqual([
    `Watching ${world.folder}.`,
    'Ready: nothing to send.',
    /^\S*\/ride\.fit: uploaded \(... .\d ... .*\)$/,
    'Stopped: 1 uploaded.',
  ]);
  expect(watcher.stderr()).toBe('');
});
