import type { FitSample } from '../../fit/wellness.ts';
import type { RecordLedger } from '../../ledger/records.ts';
import type { MeasuredFile } from '../../ledger/wellness.ts';
import { dayOf, withCardOffsets } from '../../records/wellness/fit-choice.ts';
import { readFitDays } from '../../records/fit-days.ts';
import { mergeDays } from '../../records/merge.ts';
import { dateAt } from '../../records/days/local-date.ts';
import type { PreparedRecord, Rank, Zone } from '../../records/types.ts';
import { settleDay } from '../../records/wellness/settle.ts';
import { isSettled, isGivenUp } from '../send/refusal-backoff.ts';

/** A file is finished this long after its last measurement (s): the day is over in every zone. */
const OPEN_SECS = 48 * 3_600;

/**
 * Decides which days are sent: completed days with a record that the service has not taken. A day that
 * the service refused is due again after a pause.
 *
 * @param fresh files that are not in the ledger
 * @param when the athlete's zone, and the time now (ms)
 */
export async function planDays(
  ledger: RecordLedger,
  fresh: readonly MeasuredFile[],
  when: { readonly zone: Zone; readonly now: number; readonly rank: Rank },
) {
  const { wellness } = ledger;
  const open = [...wellness.openFiles(), ...fresh.flatMap(extentOf)];
  if (open.length === 0) return { due: [], isScaleShared: false, settle: () => undefined };
  const first = Math.min(...open.map((file) => file.first));
  const last = Math.max(...open.map((file) => file.last));
  // The days of a file have measurements in others, too.
  const kept = wellness.measured(first - OPEN_SECS, last + OPEN_SECS);
  const { zone, now, rank } = when;
  const today = dateAt(now, zone);
  // A scale does not tell which of its users is the athlete.
  const isShared = wellness.scaleUsers(fresh).size > 1;
  const isUsable = (sample: FitSample) =>
    dayOf(sample, zone).date < today && !(isShared && sample.field === 'weight');
  const files = layered(kept, fresh).map(({ path, samples }) => ({
    name: path,
    origin: path,
    samples,
  }));
  const past = withCardOffsets(files).map((file) => ({
    ...file,
    samples: file.samples.filter(isUsable),
  }));
  const { inputs } = await readFitDays(past, { zone, now, strict: false });
  const { records } = mergeDays('wellness', inputs);
  const openPaths = new Set(open.map(({ path }) => path));
  const daysOf = new Map(
    past
      .filter(({ name }) => openPaths.has(name))
      .map(({ name, samples }) => [name, new Set(samples.map((each) => dayOf(each, zone).date))]),
  );
  const wanted = new Set([...daysOf.values()].flatMap((days) => [...days]));
  const due: PreparedRecord[] = [];
  const resting = new Set<string>();
  for (const record of records.filter(({ date }) => wanted.has(date))) {
    const day = wellness.day(record.date);
    const { values, notes } = settleDay(record, day.sent, { rank, force: false, whole: false });
    if (Object.keys(values).length === 0 || record.digest === day.watched) continue;
    if (ledger.isUnchanged('wellness', record.date, record.digest)) continue;
    const { refusal } = day;
    if (refusal?.digest === record.digest) {
      const { refusals, at: changedAt } = refusal;
      const standing = { state: 'rejected', attempts: refusals, refusals, changedAt } as const;
      if (isGivenUp(standing)) continue;
      if (isSettled(standing, now)) {
        resting.add(record.date);
        continue;
      }
    }
    due.push({ ...record, fields: values, warnings: [...record.warnings, ...notes] });
  }
  return {
    due,
    isScaleShared: isShared,
    /** Records the files of which every day is finished. @param left days that were not sent */
    settle: (left: ReadonlySet<string>) => {
      const isFinished = (day: string) => !left.has(day) && !resting.has(day);
      const finished = open.filter(
        ({ path, last }) =>
          last < now / 1000 - OPEN_SECS && [...(daysOf.get(path) ?? [])].every(isFinished),
      );
      wellness.settleFiles(finished.map(({ path }) => path));
    },
  };
}

function extentOf({ path, samples }: MeasuredFile) {
  if (samples.length === 0) return [];
  const times = samples.map(({ at }) => at);
  return [{ path, first: Math.min(...times), last: Math.max(...times) }];
}

/** Returns the files of both lists; of a file in both, the fresh reading. */
function layered(
  kept: readonly MeasuredFile[],
  fresh: readonly MeasuredFile[],
): readonly MeasuredFile[] {
  const isFresh = new Set(fresh.map(({ path }) => path));
  return [...kept.filter(({ path }) => !isFresh.has(path)), ...fresh];
}
