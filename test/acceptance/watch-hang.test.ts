import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { mountFuse, whyNoFuse } from '../support/fuse.ts';
import { isAlive } from '../support/processes.ts';
import { ndjson } from '../support/program.ts';
import { anotherRecording, openWorld, put, ready, until, world } from '../watch/support.ts';

/** The contract is 5 s; a machine that is busy may take longer to notice, not for minutes. */
const SOON_MS = 15_000;
const SILENT = { timeout: 120_000, interval: 1_000 };

beforeEach(async () => {
  await openWorld();
  // After the file system is unmounted: deleting its folder would wait for it for ever.
});

/** What the main thread of a process waits for in the kernel. */
function waitsIn(pid: number | undefined): string {
  return readFileSync(`/proc/${String(pid)}/wchan`, 'latin1');
}

/** Mounts a folder with a recording at the watched folder. */
async function mountRide() {
  const source = join(world.home.dir, 'source');
  put(join(source, 'ride.fit'), anotherRecording());
  return await mountFuse(source, world.folder);
}

const noFuse = whyNoFuse();
const note = noFuse === undefined ? '' : ` (skipped: ${noFuse})`;

describe.skipIf(noFuse !== undefined)(`a watched folder whose file system hangs${note}`, () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('does not keep the watcher alive: %s', async (signal) => {
    const { hang } = await mountRide();
    const watcher = world.watchProgram(['--poll', '1']);
    await until(() => world.recordings().length === 1);
    await ready(watcher);
    hang();
    // A look at the folder comes every two seconds: a thread is stuck in it by then.
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const asked = performance.now();
    watcher.child.kill(signal);
    await watcher.finished;
    expect(performance.now() - asked).toBeLessThan(SOON_MS);
  });

  it.each(['upload', 'import'])(
    'does not keep sync %s of a folder from ending during the search',
    async (command) => {
      const { hang } = await mountRide();
      hang();
      const run = world.start([command, world.folder, '--json']);
      // The walk begins at once; from then on the main thread hears nothing.
      await until(() => /fuse|request_wait/.test(waitsIn(run.child.pid)));
      const asked = performance.now();
      run.child.kill('SIGTERM');
      await run.finished;
      expect(performance.now() - asked).toBeLessThan(SOON_MS);
    },
  );

  it.each([
    ['an upload', ['upload']],
    ['a seed that writes there', ['seed', '--out']],
    ['a path in place of a command', []],
  ] as const)('does not delay %s after a second signal', async (_what, args) => {
    const { hang } = await mountRide();
    hang();
    const running = world.start([...args, join(world.folder, 'sub')]);
    await until(() => /fuse|request_wait/.test(waitsIn(running.child.pid)));
    const asked = performance.now();
    running.child.kill('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 3_500));
    running.child.kill('SIGINT');
    await running.finished;
    expect(performance.now() - asked).toBeLessThan(7_500);
  });

  it('stops no folder beside it, is named in the status, and is read when it answers', async () => {
    const [beside, local] = [join(world.home.dir, 'beside'), join(world.home.dir, 'local')];
    for (const folder of [beside, local]) mkdirSync(folder);
    const { hang, answer } = await mountRide();
    await mountFuse(beside, join(world.home.dir, 'card'));
    hang();
    const folders = [world.folder, join(world.home.dir, 'card'), local];
    expect((await world.start(['watch', ...folders, '--daemon', '--json']).finished).code).toBe(0);
    put(join(local, 'local.fit'), anotherRecording());
    put(join(beside, 'beside.fit'), anotherRecording());
    await until(() => world.recordings().length === 2);

    const report = async () => await world.start(['daemon', 'status', '--json']).finished;
    await vi.waitUntil(async () => (await report()).code === 5, SILENT);
    const silent = {
      path: world.folder,
      state: 'silent',
      reason: 'The file system does not answer.',
    };
    const daemon = ndjson((await report()).stdout).find(({ type }) => type === 'daemon');
    expect(daemon).toMatchObject({
      health: { folders: expect.arrayContaining([silent]) as object },
    });
    const status = await world.start(['status']).finished;
    expect(status.stdout).toContain(`${world.folder}: The file system does not answer.`);
    const doctor = await world.start(['doctor']).finished;
    expect(doctor.stdout).toContain(`BAD   ${world.folder}: The file system does not answer.`);
    for (const subject of [join(world.folder, 'ride.fit'), 'today']) {
      const explained = await world.start(['explain', subject]).finished;
      expect(explained.stdout).toContain(`${world.folder}: The file system does not answer.`);
    }
    const logs = await world.start(['daemon', 'logs', '-n', '100']).finished;
    expect(logs.stdout).toContain('The file system does not answer.');

    answer();
    await until(() => world.recordings().length === 3);
    await vi.waitUntil(async () => (await report()).code === 0, SILENT);
    expect(world.requests()).toBe(3);
    await world.start(['daemon', 'stop']).finished;
  });

  it('is stopped as a daemon, which is reported when its process is gone', async () => {
    const { hang } = await mountRide();
    const { stdout } = await world.start(['watch', world.folder, '--daemon', '--json']).finished;
    const pid = Number(ndjson(stdout).find(({ type }) => type === 'daemon-started')?.['pid']);
    hang();
    await new Promise((resolve) => setTimeout(resolve, 12_000));
    const stopped = await world.start(['daemon', 'stop', '--json']).finished;
    const lives = isAlive(pid);
    expect(ndjson(stopped.stdout)).toMatchObject([{ outcome: 'stopped', pid }, { stopped: 1 }]);
    expect(lives).toBe(false);
    expect(stopped.code).toBe(0);
  });
});

describe.skipIf(process.platform !== 'linux')('a system call that restarts after a signal', () => {
  /** Opening a FIFO blocks the main thread until another process opens its other end. */
  function blockable(): NodeJS.ProcessEnv {
    const fifo = join(world.home.dir, 'fifo');
    const block = join(world.home.dir, 'block.cjs');
    put(block, `process.on('SIGUSR2', () => require('node:fs').openSync('${fifo}'));`);
    execFileSync('mkfifo', [fifo]);
    mkdirSync(world.folder);
    return { NODE_OPTIONS: `--require=${block}` };
  }

  async function block(pid: number | undefined): Promise<void> {
    process.kill(Number(pid), 'SIGUSR2');
    await until(() => /wait_for_partner|fifo/.test(waitsIn(pid)));
  }

  // Node.js 24 and later give a thread no handle for signals.
  const isHeard = Number.parseInt(process.versions.node) < 24;

  it.skipIf(!isHeard)('delays the program by 5 s at most', async () => {
    const watcher = await ready(world.watchProgram([], blockable()));
    await block(watcher.child.pid);
    const asked = performance.now();
    watcher.child.kill('SIGTERM');
    await watcher.finished;
    expect(performance.now() - asked).toBeLessThan(SOON_MS);
  });

  it('delays no stop of a daemon, which has no watchdog: it is killed', async () => {
    const daemon = ['watch', '--daemon', '--json', world.folder];
    const { stdout } = await world.start(daemon, { env: blockable() }).finished;
    const pid = Number(ndjson(stdout).find(({ type }) => type === 'daemon-started')?.['pid']);
    await block(pid);
    const stopped = await world.start(['daemon', 'stop', '--json']).finished;
    expect(ndjson(stopped.stdout)).toMatchObject([{ outcome: 'stopped', pid, killed: true }, {}]);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});
