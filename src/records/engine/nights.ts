import { type Span, countOnce, lengthOf } from './spans.ts';

/** Finds the main sleep of each day in the stages that devices recorded. */

/** A stage of sleep. */
export interface Stage extends Span {
  /** The fields that its time counts for. */
  readonly fields: readonly string[];
  /** The athlete's calendar date at its end. */
  readonly endDate: string;
  readonly source: string;
}

/** The main sleep of a day. */
export interface Night {
  readonly date: string;
  /** Seconds by field, each more than 0. */
  readonly seconds: ReadonlyMap<string, number>;
  readonly source: string;
}

/** Parts further apart than this belong to two sleeps (s). */
const MAX_GAP = 3_600;

/** Returns the longest sleep of each day, by the time asleep. @param prefer as in `SpanOrder` */
export function nightsOf(stages: readonly Stage[], prefer: readonly string[]): Night[] {
  const longest = new Map<string, { readonly night: Night; readonly total: number }>();
  for (const sleep of sleepsOf(stages)) {
    const seconds = new Map<string, number>();
    let total = 0;
    // An origin that tells stages apart counts before one that knows only sleep.
    const weight = (own: readonly Stage[]) =>
      new Set(own.map(({ fields }) => fields.join())).size * DAY +
      own.reduce((total, stage) => total + lengthOf(stage), 0);
    countOnce(sleep, { prefer, weight, within: true }, (stage, part) => {
      const counted = part * lengthOf(stage);
      if (isAsleep(stage)) total += counted;
      for (const field of stage.fields) seconds.set(field, (seconds.get(field) ?? 0) + counted);
    });
    for (const [field, counted] of seconds) if (counted === 0) seconds.delete(field);
    const [first] = sleep;
    if (first === undefined) continue;
    const last = sleep.reduce((one, other) => (other.end > one.end ? other : one));
    const date = last.endDate;
    if (total <= (longest.get(date)?.total ?? 0)) continue;
    longest.set(date, { night: { date, seconds, source: first.source }, total });
  }
  return [...longest.values()].map(({ night }) => night);
}

const DAY = 86_400;

function sleepsOf(stages: readonly Stage[]): Stage[][] {
  return followingEachOther(stages).map(fromFirstToLastAsleep);
}

/** Divides parts of sleeps into sleeps, by time (s). */
export function followingEachOther<T extends Pick<Span, 'start' | 'end'>>(
  parts: readonly T[],
): T[][] {
  const sleeps: T[][] = [];
  let end = -Infinity;
  for (const part of parts.toSorted((a, b) => a.start - b.start)) {
    if (part.start - end > MAX_GAP) sleeps.push([]);
    sleeps.at(-1)?.push(part);
    end = Math.max(end, part.end);
  }
  return sleeps;
}

/** Leaves out what an origin recorded before the athlete fell asleep, or after waking. */
function fromFirstToLastAsleep(stages: readonly Stage[]): Stage[] {
  const asleep = stages.filter(isAsleep);
  const start = asleep.reduce((first, stage) => Math.min(first, stage.start), Infinity);
  const end = asleep.reduce((last, stage) => Math.max(last, stage.end), -Infinity);
  return stages.filter((stage) => stage.end > start && stage.start < end);
}

function isAsleep({ fields }: Stage): boolean {
  return fields.some((field) => field !== 'sleepAwakeSecs');
}
