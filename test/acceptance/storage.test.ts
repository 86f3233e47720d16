import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLoggedInWorld, openWorld, requestLines } from '../support/acceptance.ts';
import { makeUnwritable, syncAsNobody } from '../support/nobody.ts';
import { ndjson } from '../support/program.ts';
import { anotherRecording } from '../watch/support.ts';

const MEND = 'Fix that, or name another folder with SYNC_STATE_DIR.';

describe('a state folder that cannot be used', () => {
  it('is reported by every command, with the fix', async () => {
    const world = await openWorld();
    const file = world.write('a-file', '');
    const unusable = [
      [file, `Error: ${file} is not a folder.\n  ${MEND}\n`],
      [join(file, 'below'), `Error: ${file} is not a folder.\n  ${MEND}\n`],
    ] as const;
    for (const [dir, said] of unusable) {
      const env = { SYNC_STATE_DIR: dir };
      const commands = ['status', 'daemon status', 'daemon logs', 'daemon stop', 'upload x.fit'];
      for (const command of commands) {
        const { code, stdout, stderr } = await world.sync(command.split(' '), { env });
        expect([command, code, stdout, stderr]).toEqual([command, 1, '', said]);
      }
      const doctor = await world.sync(['doctor', '--json'], { env });
      expect(ndjson(doctor.stdout).find(({ check }) => check === 'state')).toEqual({
        type: 'finding',
        check: 'state',
        state: 'bad',
        message: `Record of sent data: ${file} is not a folder.`,
        hint: MEND,
      });
    }
  });

  it.skipIf(process.platform !== 'linux')('ends the command if it takes no folders', async () => {
    const world = await openWorld();
    const env = { SYNC_STATE_DIR: '/proc/x' };
    const { code, stderr } = await world.sync(['upload', 'x.fit'], { env });
    expect([code, stderr]).toEqual([1, `Error: Nothing can be made in /proc.\n  ${MEND}\n`]);
    for (const [flag, args] of [
      ['--out', ['seed', '--days', '1']],
      ['--data', ['sandbox', '--port', '0']],
    ] as const) {
      for (const path of ['/proc/x', '/dev/null']) {
        const run = await world.sync([...args, flag, path]);
        const why =
          path === '/proc/x' ? 'Nothing can be made in /proc.' : '/dev/null is not a folder.';
        expect([run.code, run.stdout]).toEqual([2, '']);
        expect(run.stderr).toContain(`Error: ${flag} ${path}: ${why}\n`);
      }
    }
  });

  it.skipIf(process.platform === 'win32').each(['/tmp', '/dev/null'])(
    'is not made unwritable for all users if others write there on purpose: %s',
    async (path) => {
      const world = await openWorld();
      const env = { SYNC_STATE_DIR: path };
      const hint = 'Name a folder of your own with SYNC_STATE_DIR.';
      const { code, stderr } = await world.sync(['status'], { env });
      expect([code, stderr]).toEqual([2, expect.stringContaining(`\n  ${hint}\n`)]);
      const doctor = await world.sync(['doctor'], { env });
      expect(doctor.stdout).toContain(hint);
      const config = await world.sync(['config', 'list'], { env: { SYNC_CONFIG_DIR: path } });
      expect(config.stderr).toContain('  Name a folder of your own');
      expect(stderr + doctor.stdout + config.stderr).not.toContain('chmod');
    },
  );

  it.skipIf(process.platform === 'win32')(
    'names the record of sent data if this user may not write it, and does not call it damaged',
    async () => {
      const world = await openLoggedInWorld();
      world.write('ride.fit', anotherRecording());
      await world.sync(['upload', 'ride.fit']);
      const ledger = join(world.home.dir, 'state', 'ledger.db');
      makeUnwritable(world, ledger);
      world.sandbox.control.clearRequests();
      const { code, stderr } = await syncAsNobody(world, ['upload', 'ride.fit', '--force']);
      expect([code, stderr]).toEqual([1, `Error: This user may not use ${ledger}.\n  ${MEND}\n`]);
      expect(requestLines(world.sandbox)).toEqual([]);
    },
  );
});

describe.skipIf(process.platform === 'win32')('a pipe instead of a recording', () => {
  it('is refused without waiting by every command that reads recordings', async () => {
    const world = await openLoggedInWorld();
    const pipe = join(world.home.dir, 'pipe.fit');
    mkdirSync(world.home.dir, { recursive: true });
    execFileSync('mkfifo', [pipe]);
    for (const command of ['inspect', 'explain', 'upload']) {
      const { stdout } = await world.sync([command, pipe, '--json']);
      expect(stdout).toContain('It is a pipe or a device, not a file: save it as one first.');
    }
    expect((await world.sync(['inspect', '/dev/zero'])).code).toBe(3);
  });
});

describe.skipIf(process.platform === 'win32')('a pipe, a device or a socket', () => {
  const NOT_A_FILE = /it is a pipe or a device, not a file/i;

  it('is refused without waiting in place of a list of accounts or an export', async () => {
    const world = await openLoggedInWorld();
    const pipe = join(world.home.dir, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const socket = join(world.home.dir, 'socket');
    const server = createServer().listen(socket);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    for (const path of [pipe, socket, '/dev/zero']) {
      for (const command of [
        ['seed', '--accounts', path],
        ['sources', path],
        ['repair', path],
      ]) {
        const { code, stderr } = await world.sync(command);
        expect([command, code]).toEqual([command, 3]);
        expect(stderr).toMatch(NOT_A_FILE);
      }
    }
    const push = await world.sync(['push', 'wellness', socket]);
    expect([push.code, push.stderr + push.stdout]).toEqual([3, expect.stringMatching(NOT_A_FILE)]);
    expect(requestLines(world.sandbox).filter((line) => line.includes('wellness'))).toEqual([]);
  });

  it('is no label, no state and no setting: it delays neither status nor a watcher', async () => {
    const world = await openLoggedInWorld();
    const state = world.home.env['SYNC_STATE_DIR'] ?? '';
    const places = ['outbox/hash/owner', 'watch/1'].map((name) => join(state, name));
    for (const folder of places) mkdirSync(folder, { recursive: true });
    for (const name of [
      'outbox/hash/owner/copy.json',
      'watch/1/watcher.json',
      'platform-zones.json',
    ]) {
      rmSync(join(state, name), { force: true });
      execFileSync('mkfifo', [join(state, name)]);
    }
    const ride = world.write('rides/ride.fit', anotherRecording());
    for (const command of [['status'], ['daemon', 'status'], ['watch', '--once', dirname(ride)]]) {
      expect((await world.program(command)).code).toBe(0);
    }
    expect(requestLines(world.sandbox).filter((line) => line.includes('upload'))).toHaveLength(1);
  });

  it('is read to its end as the input of push, as process substitution passes it', async () => {
    const world = await openLoggedInWorld();
    const pipe = join(world.home.dir, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const push = world.program(['push', 'wellness', pipe, '--json']);
    await writeFile(pipe, '{"date":"2026-02-16","hrv":61}');
    const { code, stdout } = await push;
    expect([code, ndjson(stdout)[0]]).toMatchObject([0, { outcome: 'pushed', date: '2026-02-16' }]);
  });
});
