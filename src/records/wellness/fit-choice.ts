import { type Text, phrase, sync } from '../../base/phrase.ts';
import type { FitSample } from '../../fit/wellness.ts';
import { type NumberRule, WELLNESS_FIELDS } from '../fields.ts';
import { dateAt } from '../days/local-date.ts';
import type { RecordOptions, Zone } from '../types.ts';

/** Chooses the measurements of many FIT files that count. */

/** A FIT file and its wellness. */
export interface FitFile {
  readonly name: string;
  /** Its identity over all runs: an absolute path, or the path in an archive. */
  readonly origin: string;
  readonly samples: readonly FitSample[];
}

/** Without `now`, every day counts as over; without `user`, weights of several users are left out. */
type Options = Pick<RecordOptions, 'zone' | 'now' | 'user'>;

/** A measurement on its day. */
export interface Dated {
  readonly file: FitFile;
  readonly sample: FitSample;
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** The zone decided about the day, not the device's local time. */
  readonly zoneUsed: boolean;
  /** The latest VO2max of the other sport on that day, if it differs. */
  readonly other?: FitSample;
}

/** Time by which the clock of a device may be ahead (ms). */
const AHEAD_MS = 24 * 3_600_000;
/** No device wrote FIT before this day: clocks that were never set do (s since 1970). */
const FIRST_FIT = Date.UTC(2008, 0, 1) / 1000;

/**
 * Chooses the latest measurement of each field and day, in any order of the files. A resting heart rate
 * counts after its day is over in the athlete's zone and on the device's clock: it falls during the day.
 *
 * @returns `notes` about a day that is not over and VO2max of several sports; `warnings` about measurements that
 *   were left out
 */
export function chooseSamples(files: Iterable<FitFile>, options: Options) {
  const { credible, warnings } = credibleSamples(files, options);
  const [open, over] = split(credible, (dated) => isOpen(dated, options));
  const users = new Set(over.flatMap(({ sample }) => (isWeight(sample) ? [sample.user] : [])));
  const [others, own] = split(over, ({ sample }) => isOfOther(sample, users, options.user));
  const chosen = chooseLatest(own);
  return {
    chosen,
    notes: [...openNote(open), ...sportNote(chosen)],
    warnings: [...warnings, ...userWarning(others, users, options.user)],
  };
}

/** Returns the measurements of a plausible value and time, and warnings of the others. */
export function credibleSamples(
  files: Iterable<FitFile>,
  { zone, now }: Pick<Options, 'zone' | 'now'>,
): { readonly credible: readonly Dated[]; readonly warnings: readonly string[] } {
  const all = withCardOffsets([...files]).flatMap((file) =>
    file.samples.map((sample) => ({ file, sample, ...dayOf(sample, zone) })),
  );
  const [odd, plausible] = split(all, ({ sample }) => !isPlausible(sample));
  const [mistimed, credible] = split(plausible, ({ sample }) => !isTimely(sample, now));
  return { credible, warnings: [...oddWarning(odd), ...clockWarning(mistimed)] };
}

/** Greatest time between a measurement and the source of its offset (s). */
const SAME_DAY_SECS = 24 * 3_600;

/**
 * Gives measurements without an offset the one that the same card states nearest to their time: a file
 * in `METRICS` states none, but those in `MONITOR` do. A VO2max is often stamped at local midnight.
 */
export function withCardOffsets(files: readonly FitFile[]): readonly FitFile[] {
  const stated = new Map<string, FitSample[]>();
  for (const { origin, samples } of files) {
    const known = samples.filter(({ offset }) => offset !== undefined);
    stated.set(cardOf(origin), [...(stated.get(cardOf(origin)) ?? []), ...known]);
  }
  return files.map((file) => ({
    ...file,
    samples: file.samples.map((sample) => {
      if (sample.offset !== undefined) return sample;
      const distance = ({ at }: FitSample) => Math.abs(at - sample.at);
      const nearest = (stated.get(cardOf(file.origin)) ?? []).reduce<FitSample | undefined>(
        (best, each) => (best && distance(best) <= distance(each) ? best : each),
        undefined,
      );
      const isNear = nearest?.offset !== undefined && distance(nearest) <= SAME_DAY_SECS;
      return isNear ? { ...sample, offset: nearest.offset } : sample;
    }),
  }));
}

/** Returns the folder above that of a file: the folders of wellness files are side by side. */
function cardOf(origin: string): string {
  return origin.replace(/(?:[^\\/]*[\\/])?[^\\/]*$/, '');
}

function split<T>(all: readonly T[], test: (one: T) => boolean): [T[], T[]] {
  const yes: T[] = [];
  const no: T[] = [];
  for (const one of all) (test(one) ? yes : no).push(one);
  return [yes, no];
}

/** A device's slip cannot be corrected: it must not fail each run, nor hide an earlier measurement. */
function isPlausible({ field, value }: FitSample): boolean {
  const { min, max } = rangeOf(field);
  return value >= min && value <= max;
}

function rangeOf(field: FitSample['field']): NumberRule {
  return WELLNESS_FIELDS[field] as NumberRule;
}

/** Returns the local day of a measurement: by the device's local time, which is where the athlete was. */
export function dayOf({ at, offset }: FitSample, zone: Zone): Pick<Dated, 'date' | 'zoneUsed'> {
  return offset === undefined
    ? { date: dateAt(at * 1000, zone), zoneUsed: true }
    : { date: dateByOffset(at, offset), zoneUsed: false };
}

function dateByOffset(at: number, offset: number): string {
  return new Date((at + offset) * 1000).toISOString().slice(0, 10);
}

function isTimely({ at }: FitSample, now = Infinity): boolean {
  return at >= FIRST_FIT && at * 1000 <= now + AHEAD_MS;
}

function isOpen({ sample, date }: Dated, { zone, now }: Options): boolean {
  if (sample.field !== 'restingHr' || now === undefined) return false;
  const { offset } = sample;
  return (
    date >= dateAt(now, zone) ||
    (offset !== undefined && date >= dateByOffset(Math.floor(now / 1000), offset))
  );
}

function isWeight({ field }: FitSample): boolean {
  return field === 'weight';
}

/** @param users all users of the scale; one without a number is unknown, perhaps a guest */
function isOfOther(
  sample: FitSample,
  users: ReadonlySet<number | undefined>,
  wanted: number | undefined,
): boolean {
  if (!isWeight(sample)) return false;
  return wanted === undefined ? users.size > 1 : sample.user !== wanted;
}

/** Chooses the latest of each field and day, and finds the VO2max of another sport beside it. */
function chooseLatest(all: readonly Dated[]): Dated[] {
  const bySport = latestBy(all, (dated) => `${dayKey(dated)} ${dated.sample.sport ?? ''}`);
  const chosen = new Map(latestBy(bySport, dayKey).map((dated) => [dayKey(dated), dated]));
  for (const dated of bySport) {
    const key = dayKey(dated);
    const winner = chosen.get(key);
    if (winner === undefined || winner.sample.value === dated.sample.value) continue;
    if (dated.sample.field === 'vo2max') chosen.set(key, { ...winner, other: dated.sample });
  }
  return [...chosen.values()];
}

function dayKey({ sample, date }: Dated): string {
  return `${sample.field} ${date}`;
}

/** Of measurements of one second, the last in the order of reading counts. */
function latestBy(all: readonly Dated[], keyOf: (dated: Dated) => string): Dated[] {
  const latest = new Map<string, Dated>();
  for (const dated of all) {
    const key = keyOf(dated);
    const before = latest.get(key);
    if (before === undefined || dated.sample.at >= before.sample.at) latest.set(key, dated);
  }
  return [...latest.values()];
}

function openNote(open: readonly Dated[]): Text[] {
  const days = [...new Set(open.map(({ date }) => date))].sort();
  return days.length === 0
    ? []
    : [`The resting heart rate of ${days.join(', ')} is not sent before the day is over.`];
}

function oddWarning(odd: readonly Dated[]): string[] {
  const [first] = odd;
  if (first === undefined) return [];
  const { file, sample, date } = first;
  const { field, value } = sample;
  const { min, max, unit } = rangeOf(field);
  const others = odd.length - 1;
  const more =
    ['', ' Another value is out of range.'][others] ?? ` ${others} more values are out of range.`;
  return [
    `${file.name}: ${field} of ${date} is ${value} ${unit} and not sent: the range is ${min} to ${max}.${more}`,
  ];
}

function clockWarning(mistimed: readonly Dated[]): string[] {
  const [first] = mistimed;
  if (first === undefined) return [];
  const what =
    mistimed.length === 1
      ? `a measurement of ${first.date} is`
      : `measurements of ${first.date} and ${mistimed.length - 1} more are`;
  return [`${first.file.name}: ${what} not sent: the device's clock was wrong.`];
}

/** @param others weights that are not sent */
function userWarning(
  others: readonly Dated[],
  users: ReadonlySet<number | undefined>,
  wanted: number | undefined,
): Text[] {
  if (others.length === 0 || (wanted !== undefined && users.has(wanted))) return [];
  const known = [...users].filter((user) => user !== undefined).sort((a, b) => a - b);
  const names = known.map((user) => `user ${user}`);
  const all = (users.has(undefined) ? [...names, 'an unknown user'] : names).join(', ');
  if (wanted !== undefined)
    return [`No weight is of user ${wanted}: the files have those of ${all}.`];
  const command = sync('push', 'wellness', '--user', String(known[0] ?? 0));
  return [
    phrase`No weight is sent: the files have those of ${all}. ${command} with these files sends those of one.`,
  ];
}

/** Names the sports if a series of VO2max mixes them: that of running is not that of cycling. */
function sportNote(chosen: readonly Dated[]): Text[] {
  const days = new Map<string, number>();
  for (const { sample } of chosen) {
    if (sample.field !== 'vo2max') continue;
    const sport = sample.sport ?? 'another sport';
    days.set(sport, (days.get(sport) ?? 0) + 1);
  }
  if (days.size < 2) return [];
  const parts = [...days].map(
    ([sport, count]) => `${sport} (${count} ${count === 1 ? 'day' : 'days'})`,
  );
  return [`The VO2max is from ${parts.join(' and ')}, which a device measures separately.`];
}
