import { describe, expect, it } from 'vitest';
import {
  type World,
  openHome,
  openLoggedInWorld,
  requestCounts,
  worldOf,
} from '../support/acceptance.ts';
import { makeRecording, wrapRecords } from '../support/fit-maker.ts';
import { ndjson } from '../support/program.ts';
import { until } from '../support/until.ts';

const ABOUT = { seed: 5, startTime: new Date('2026-02-15T07:10:00Z') };
const [WHOLE_SECS, PART_SECS] = [600, 300];
const whole = makeRecording({ ...ABOUT, durationSecs: WHOLE_SECS });
const part = makeRecording({ ...ABOUT, durationSecs: PART_SECS });

/** Returns where a recording defines its session, without the header before it. */
function sessionAt(recording: Uint8Array): number {
  const at = Buffer.from(recording).indexOf(Uint8Array.of(0, 0, 18, 0));
  if (at < 0) throw new Error('no session');
  return at - 1;
}

const records = part.subarray(14, sessionAt(part));
/** The first half of the recording, without a session. */
const cut = wrapRecords(records);
/** The first half of the recording, with the session of the whole. */
const claiming = wrapRecords(Buffer.concat([records, whole.subarray(sessionAt(whole), -2)]));

const PARTS = [
  ['without a session', cut],
  ['with the session of the whole', claiming],
] as const;

async function workouts(world: World) {
  const { stdout } = await world.sync(['workouts', '--json']);
  return ndjson(stdout).flatMap((line) =>
    line['type'] === 'workout' ? [line['durationSec']] : [],
  );
}

/** Uploads a file. @returns the exit code, and the first line */
async function upload(world: World, ...flags: string[]) {
  const { code, stdout } = await world.sync(['upload', '--json', ...flags]);
  return [code, ndjson(stdout)[0]];
}

/** A second computer of the same athlete, with a ledger of its own. */
function otherComputer({ sandbox }: World): World {
  const { access_token } = sandbox.control.mint();
  return worldOf(
    sandbox,
    openHome({ SYNC_BASE_URL: sandbox.url, SYNC_ACCESS_TOKEN: access_token }),
  );
}

describe.each(PARTS)('a part of a recording %s', (_, bytes) => {
  it('is not sent after the whole, and --force replaces the workout', async () => {
    const world = await openLoggedInWorld();
    world.write('whole.fit', whole);
    world.write('part.fit', bytes);
    expect(await upload(world, 'whole.fit')).toMatchObject([0, { outcome: 'uploaded' }]);
    world.sandbox.control.clearRequests();
    const detail =
      'It is shorter than the recording that was sent (whole.fit). --force replaces its workout.';
    const skipped = { outcome: 'skipped', reason: 'shorter', detail };
    expect(await upload(world, 'part.fit')).toMatchObject([0, skipped]);
    expect(await upload(world, 'part.fit', '--dry-run')).toMatchObject([0, skipped]);
    expect((await world.sync(['explain', 'part.fit'])).stdout).toContain(
      'part.fit: not sent. It is shorter than the recording that was sent (whole.fit).',
    );
    expect(requestCounts(world.sandbox)).toEqual({});
    expect(await workouts(world)).toEqual([WHOLE_SECS]);

    expect(await upload(world, 'part.fit', '--force')).toMatchObject([
      0,
      { outcome: 'uploaded', note: 'It replaces the workout of a longer recording (whole.fit).' },
    ]);
    expect(await workouts(world)).toHaveLength(1);
    const { stdout } = await world.sync(['verify']);
    expect(stdout).toMatch(/whole\.fit: the workout is shorter: (?:4:59|5:00)/);
    expect(stdout).toContain('2 recordings: 2 are workouts (1 shorter than recorded).');
  });

  it('is not sent after the whole, if the platform may have taken that although its answers were lost', async () => {
    const world = await openLoggedInWorld();
    world.write('whole.fit', whole);
    world.write('part.fit', bytes);
    world.sandbox.control.addFaults('upload-fit:504*inf');
    expect(await upload(world, 'whole.fit')).toMatchObject([5, { outcome: 'failed' }]);
    world.sandbox.control.clearFaults();
    const detail = expect.stringContaining('recording that was sent (whole.fit)') as unknown;
    expect(await upload(world, 'part.fit')).toMatchObject([0, { reason: 'shorter', detail }]);
  });

  it('is not sent after the whole, if that upload was killed and the platform lists no workouts', async () => {
    const world = await openLoggedInWorld();
    world.write('whole.fit', whole);
    world.write('part.fit', bytes);
    world.sandbox.control.addFaults('upload-fit:hang', 'workouts:404*inf');
    const running = world.start(['upload', 'whole.fit']);
    await until(() => requestCounts(world.sandbox)['upload-fit'] === 1);
    running.child.kill('SIGKILL');
    await running.finished;
    const detail = expect.stringContaining('recording that was sent (whole.fit)') as unknown;
    expect(await upload(world, 'part.fit')).toMatchObject([0, { reason: 'shorter', detail }]);
  });

  it('is sent if the platform refuses the whole, which another process sends meanwhile', async () => {
    const world = await openLoggedInWorld();
    world.write('whole.fit', whole);
    world.write('part.fit', bytes);
    world.sandbox.control.addFaults('upload-fit:delay=2s', 'upload-fit:400', 'workouts:404*inf');
    const running = world.start(['upload', 'whole.fit']);
    await until(() => requestCounts(world.sandbox)['upload-fit'] === 1);
    expect(await upload(world, 'part.fit')).toMatchObject([0, { outcome: 'uploaded' }]);
    expect((await running.finished).stdout).toContain('refused');
  });

  it('is not sent by another computer if the platform lists the whole', async () => {
    const world = await openLoggedInWorld();
    world.write('whole.fit', whole);
    await upload(world, 'whole.fit');
    const other = otherComputer(world);
    other.write('part.fit', bytes);
    world.sandbox.control.clearRequests();
    const detail =
      'It is shorter than the workout that the platform has of it. --force replaces its workout.';
    expect(await upload(other, 'part.fit')).toMatchObject([0, { outcome: 'skipped', detail }]);
    expect(requestCounts(world.sandbox)).not.toHaveProperty('upload-fit');
    expect(await workouts(world)).toEqual([WHOLE_SECS]);

    // A login that may not list workouts, or a platform that lists none, has nothing to compare.
    world.sandbox.control.addFaults('workouts:404');
    expect(await upload(other, 'part.fit')).toMatchObject([0, { outcome: 'uploaded' }]);
  });

  it('is sent if nothing longer was, and its workout is replaced by the whole', async () => {
    const world = await openLoggedInWorld();
    world.write('part.fit', bytes);
    world.write('whole.fit', whole);
    expect(await upload(world, 'part.fit')).toMatchObject([0, { outcome: 'uploaded' }]);
    const { stdout } = await world.sync(['upload', 'whole.fit']);
    expect(stdout).toContain(
      'uploaded. It replaces the workout of a shorter recording (part.fit).',
    );
    expect(await workouts(world)).toEqual([WHOLE_SECS]);
  });

  it('does not fill the workout if both are sent at once', async () => {
    for (const names of [
      ['a.fit', 'b.fit'],
      ['b.fit', 'a.fit'],
    ]) {
      const world = await openLoggedInWorld();
      const [first = '', second = ''] = names;
      world.write(`card/${first}`, whole);
      world.write(`card/${second}`, bytes);
      world.sandbox.control.addFaults('upload-fit:delay=50ms*inf');
      const { code, stderr } = await world.sync(['upload', 'card']);
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('Another sync')]);
      expect(await workouts(world)).toEqual([WHOLE_SECS]);
    }
  });

  it('is passed over by a watcher, which says so', async () => {
    const world = await openLoggedInWorld();
    world.write('whole.fit', whole);
    await upload(world, 'whole.fit');
    world.write('card/part.fit', bytes);
    const { code, stdout } = await world.sync(['watch', 'card', '--once']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('shorter than what was sent')]);
    expect(await workouts(world)).toEqual([WHOLE_SECS]);
  });
});
