import { mkdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { WatchNotice } from '../../src/watch/report.ts';
import { clientOf } from '../support/delivery.ts';
import { wellnessFile } from '../support/wellness-files.ts';
import { ONE_TRY, dir, folder, happened, sandbox, start } from './in-process.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';
import { anotherRecording, put, until } from './support.ts';

/** Noon in Berlin, on the day after the last in the files. */
const NOW = Date.parse('2026-02-17T11:00:00Z');
const MINUTE = 60_000;

let clock: ManualClock;
beforeEach(() => {
  clock = manualClock(NOW);
  mkdirSync(join(folder, 'Activity'));
});

/** Writes a file that has not changed for an hour. */
function putOld(path: string, bytes: Uint8Array): void {
  put(path, bytes);
  utimesSync(path, (NOW - 3_600_000) / 1000, (NOW - 3_600_000) / 1000);
}

const bodies = () => sandbox.control.requests({ route: 'wellness' }).map(({ body }) => body);
const days = (events: readonly WatchNotice[]) =>
  events.flatMap((notice) =>
    notice.event === 'day' ? [[notice.item.date, notice.item.outcome, notice.fields]] : [],
  );
const watch = (options: Parameters<typeof start>[0] = {}) =>
  start({
    clock,
    wellness: true,
    folders: [join(folder, 'Activity')],
    client: clientOf(sandbox, {}, { policy: ONE_TRY }).client,
    ...options,
  });

/** Advances the clock in steps, so that answers can arrive in between. */
async function pass(ms: number): Promise<void> {
  for (let at = 0; at < ms; at += MINUTE) await clock.advance(MINUTE);
}

const FEB15 = { '2026-02-15T07:00:00': 78, '2026-02-15T22:00:00': 52 };

describe('a watcher with wellness', () => {
  it('sends each completed day of the folders beside the watched one once, after the rides', async () => {
    putOld(join(folder, 'Monitor/1.FIT'), wellnessFile({ restingHr: FEB15 }));
    putOld(join(folder, 'HRVStatus/2.FIT'), wellnessFile({ hrv: { '2026-02-15T06:50:00': 66 } }));
    putOld(
      join(folder, 'Metrics/3.FIT'),
      wellnessFile({ vo2max: { '2026-02-16T18:00:00': 52.3 } }),
    );
    putOld(join(folder, 'Activity/ride.fit'), anotherRecording());
    const { events, end } = watch();
    await until(() => happened(events, 'day').length === 2);
    expect(days(events)).toEqual([
      ['2026-02-15', 'pushed', { date: '2026-02-15', restingHr: 52, hrv: 66 }],
      ['2026-02-16', 'pushed', { date: '2026-02-16', vo2max: 52.3 }],
    ]);
    const order = events.map(({ event }) => event);
    expect(order.indexOf('upload')).toBeLessThan(order.indexOf('day'));
    await end();
    const second = watch();
    await until(() => happened(second.events, 'ready').length === 1);
    await pass(20 * MINUTE);
    expect([days(second.events), bodies().length]).toEqual([[], 2]);
  });
});
void renameSync;
void rmSync;
void dir;
