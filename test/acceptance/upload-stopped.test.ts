import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/system/this-process.ts';
import type { FaultRoute } from '../../src/sandbox/faults/spec.ts';
import { openLoggedInWorld } from '../support/acceptance.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { until } from '../support/until.ts';
import { makeZip } from '../support/zip-maker.ts';

/** Pause between two tries to send what another process holds (ms). */
const TRY_MS = 100;

/** A clock by which each of these pauses takes 10 s. */
function hurriedClock() {
  let passed = 0;
  const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    if (ms === TRY_MS) passed += 10_000;
    await systemClock.sleep(ms, signal);
  };
  const monotonic = () => systemClock.monotonic() + passed;
  return { clock: { ...systemClock, sleep, monotonic }, passed: () => passed };
}

interface Case {
  readonly what: string;
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly route: FaultRoute;
  readonly args: readonly string[];
  /** What waits for it, with the file behind it unless it names a date; by default the same command. */
  readonly waits?: readonly string[];
}

const DATE = '2026-02-15';
const ride = makeRecording({ sizeBytes: 3_000 });
const meal = { name: 'Bread', calories: 200, logged_at: '2026-02-15T07:30:00+01:00' };

it.runIf(process.platform === 'linux').each<Case>([
  { what: 'a recording', name: 'ride.fit', content: ride, route: 'upload-fit', args: ['upload'] },
  {
    what: 'a recording in an archive',
    name: 'rides.zip',
    content: makeZip([{ name: 'ride.fit', bytes: ride }]),
    route: 'upload-fit',
    args: ['upload'],
  },
  {
    what: 'a wellness day',
    name: 'wellness.json',
    content: '[{"date":"2026-02-15","restingHr":50}]',
    route: 'wellness',
    args: ['push', 'wellness'],
  },
  {
    what: 'a nutrition day',
    name: 'meals.json',
    content: JSON.stringify([{ date: '2026-02-15', items: [meal] }]),
    route: 'nutrition',
    args: ['push', 'nutrition'],
  },
  {
    what: 'a recording for which import waits',
    name: 'ride.fit',
    content: ride,
    route: 'upload-fit',
    args: ['upload'],
    waits: ['import', '--yes'],
  },
  {
    what: 'a nutrition day for which undo waits',
    name: 'meals.json',
    content: JSON.stringify([{ date: DATE, items: [meal] }]),
    route: 'nutrition',
    args: ['push', 'nutrition'],
    waits: ['undo', 'nutrition', DATE],
  },
])(
  '$what that a stopped process is sending: that process is named once, and its end lets the other continue',
  async ({ name, content, route, args, waits = args }) => {
    const world = await openLoggedInWorld();
    const { control } = world.sandbox;
    const file = world.write(name, content);
    control.addFaults(`${route}:hang`);
    const { child, finished } = world.start([...args, file]);
    await until(() => control.requests({ route }).length === 1);
    child.kill('SIGSTOP');
    const status = `/proc/${child.pid ?? 0}/status`;
    await until(() => /^State:\s+T/m.test(readFileSync(status, 'latin1')));
    const { clock, passed } = hurriedClock();
    const isUndo = waits.includes(DATE);
    const waiting = world.sync(isUndo ? waits : [...waits, file], { clock });
    // After half a minute, and more tries.
    await until(() => passed() > 60_000);
    child.kill('SIGKILL');
    child.kill('SIGCONT');
    await finished;
    const { code, stderr } = await waiting;
    expect(code).toBe(0);
    // The hanging request has no status; an undo finds nothing of it.
    const statuses = control.requests({ route }).map(({ status }) => status);
    expect(statuses).toEqual(isUndo ? [null] : expect.arrayContaining([200]));
    expect(stderr).toContain(
      `Waiting for process ${child.pid ?? 0}, which began to send the same and is stopped: `,
    );
    expect(stderr.match(/is stopped/g)).toHaveLength(1);
  },
);
