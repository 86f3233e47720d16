import { describe, expect, it } from 'vitest';
import {
  type World,
  openLoggedInWorld,
  requestCounts,
  requestLines,
} from '../support/acceptance.ts';
import { makeRecording, truncated } from '../support/fit-maker.ts';
import { ndjson } from '../support/program.ts';
import { until } from '../support/until.ts';

/** Writes `count` short recordings into `card`, all different. */
function fillCard(world: World, count: number): void {
  for (let seed = 0; seed < count; seed++) {
    world.write(
      `card/${String(seed).padStart(3, '0')}.fit`,
      makeRecording({ seed, durationSecs: 5 }),
    );
  }
}

function receivedCounts({ sandbox }: World): number[] {
  const recordings = sandbox.control.state('athlete-1').athletes[0]?.recordings ?? [];
  return recordings.map(({ receivedCount }) => receivedCount);
}

/** Uploads that were answered, over all runs. */
function answered({ sandbox }: World): number {
  return sandbox.control.requests({ route: 'upload-fit' }).filter(({ status }) => status === 200)
    .length;
}

/** Uploads that the sandbox has begun to receive, over all runs. */
function begun({ sandbox }: World): number {
  return sandbox.control.requests({ route: 'upload-fit' }).length;
}

const JOBS = 4;

describe('an interrupted upload', () => {
  it('exits 130 after Ctrl-C, and the same command sends the rest', async () => {
    const world = await openLoggedInWorld();
    fillCard(world, 60);
    world.sandbox.control.addFaults('upload-fit:delay=50ms*inf');
    const running = world.start(['upload', '--json', 'card']);
    await until(() => answered(world) >= 8);
    running.child.kill('SIGINT');
    const first = await running.finished;
    expect(first.code).toBe(130);
    const done = ndjson(first.stdout).filter(({ outcome }) => outcome === 'uploaded').length;
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(60);
    expect(ndjson(first.stdout).slice(-2)).toMatchObject([
      { type: 'error', code: 'INTERRUPTED' },
      { type: 'summary', uploaded: done },
    ]);
    expect(first.stderr).toMatch(
      /^\d+ of 60 recordings done; run the same command to continue\.$/m,
    );

    world.sandbox.control.clearFaults();
    const lines = await world.lines(['upload', 'card']);
    expect(lines.at(-1)).toMatchObject({ total: 60, skipped: done, failed: 0 });
    const counts = receivedCounts(world);
    expect(counts).toHaveLength(60);
    // Only requests in flight at the kill are sent twice.
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(60 + JOBS);
  });

  it('lets sync explain say that an upload began, and count no request', async () => {
    const world = await openLoggedInWorld();
    fillCard(world, 1);
    world.sandbox.control.addFaults('upload-fit:hang*inf');
    const running = world.start(['upload', 'card']);
    await until(() => begun(world) === 1);
    running.child.kill('SIGKILL');
    await running.finished;
    const { stdout } = await world.sync(['explain', 'card/000.fit']);
    expect(stdout).toContain(
      'waiting. An upload began, and the platform has not confirmed it yet.',
    );
    expect(stdout).toContain('Sent as card/000.fit\n');
  });

  it('loses and duplicates nothing after repeated kill -9', async () => {
    const world = await openLoggedInWorld();
    const count = 90;
    const rounds = 4;
    fillCard(world, count);
    world.sandbox.control.addFaults('upload-fit:delay=20ms*inf');
    for (let round = 1; round <= rounds; round++) {
      const before = begun(world);
      const running = world.start(['upload', 'card']);
      // At a different moment each time: with requests begun, or answered and not written down.
      await until(() => begun(world) >= before + round);
      running.child.kill('SIGKILL');
      expect((await running.finished).code).toBe(null);
    }
    world.sandbox.control.clearFaults();
    expect((await world.sync(['upload', 'card'])).code).toBe(0);
    const counts = receivedCounts(world);
    expect(counts).toHaveLength(count);
    const total = counts.reduce((sum, one) => sum + one, 0);
    expect(total).toBeLessThanOrEqual(count + rounds * JOBS);
    const [status] = await world.lines(['status']);
    expect(status).toMatchObject({ uploads: { pending: 0, confirmed: count, rejected: 0 } });

    world.sandbox.control.clearRequests();
    expect((await world.sync(['upload', 'card'])).stdout).toContain('Nothing to send.');
    expect(requestLines(world.sandbox)).toEqual([]);
  });
});

describe('several processes that upload one folder at once', () => {
  it('send each recording once in total', async () => {
    const processes = 3;
    const world = await openLoggedInWorld();
    fillCard(world, 40);
    world.sandbox.control.addFaults('upload-fit:delay=5ms*inf');
    const runs = await Promise.all(
      Array.from({ length: processes }, () => world.program(['upload', '--json', 'card'])),
    );
    expect(runs.map(({ code }) => code)).toEqual(runs.map(() => 0));
    expect(receivedCounts(world)).toEqual(Array(40).fill(1));
    const summaries = runs.map(({ stdout }) => ndjson(stdout).at(-1) ?? {});
    const sum = (key: string) =>
      summaries.reduce((total, summary) => total + Number(summary[key]), 0);
    expect({ uploaded: sum('uploaded'), skipped: sum('skipped') }).toEqual({
      uploaded: 40,
      skipped: 40 * (processes - 1),
    });
    expect(requestCounts(world.sandbox)).toEqual({ 'upload-fit': 40 });
  });

  it('wait for the upload of another process, and take it over after a kill', async () => {
    const world = await openLoggedInWorld();
    fillCard(world, 20);
    world.sandbox.control.addFaults('upload-fit:hang*2');
    const stuck = world.start(['upload', 'card']);
    await until(() => answered(world) === 18);
    const other = world.start(['upload', '--json', 'card']);
    await until(() => other.stdout().split('\n').length === 18 + 1);
    expect(ndjson(other.stdout()).map(({ outcome }) => outcome)).toEqual(Array(18).fill('skipped'));
    stuck.child.kill('SIGKILL');
    const { code, stdout } = await other.finished;
    expect([code, ndjson(stdout).at(-1)]).toMatchObject([0, { uploaded: 2, skipped: 18 }]);
    expect(receivedCounts(world)).toEqual(Array(20).fill(1));
    // The two that hung, and no needless request.
    expect(begun(world)).toBe(22);
  });
});

it('sync upload of a hundred files sends each good file once and reports thirty bad ones, despite faults of the platform', async () => {
  const world = await openLoggedInWorld();
  fillCard(world, 70);
  const good = makeRecording({ seed: 999, durationSecs: 5 });
  for (let i = 0; i < 10; i++) {
    world.write(`card/bad-${i}.fit`, truncated(good, 1 + i));
    world.write(`card/letter-${i}.fit`, `Dear diary ${i}`);
    world.write(`card/course-${i}.fit`, makeRecording({ seed: 500 + i, type: 6, durationSecs: 5 }));
  }
  const { control } = world.sandbox;
  for (const skip of [4, 16, 28, 40, 52]) {
    control.addFaults(`upload-fit:503(retry-after=0)+${skip}`, `upload-fit:reset+${skip + 6}`);
  }
  expect((await world.lines(['upload', 'card'], { code: 3 })).at(-1)).toEqual({
    ...{
      type: 'summary',
      total: 100,
      uploaded: 70,
      duplicate: 0,
      covered: 0,
      held: 0,
      skipped: 10,
    },
    ...{ invalid: 20, rejected: 0, failed: 0 },
  });
  expect(receivedCounts(world)).toEqual(Array(70).fill(1));
  expect(begun(world)).toBe(80);
  control.clearRequests();
  const again = await world.sync(['upload', '--json', 'card']);
  expect(ndjson(again.stdout).at(-1)).toMatchObject({ skipped: 80, invalid: 20 });
  expect(requestLines(world.sandbox)).toEqual([]);
});
