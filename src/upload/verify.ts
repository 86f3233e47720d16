import type { Context } from '../base/context.ts';
import type { ConfirmedUpload } from '../ledger/uploads.ts';
import type { ServiceClient } from '../api/client.ts';
import type { JsonObject } from '../api/wire.ts';
import { workoutPages } from '../api/workout-pages.ts';

/** What the platform made of a recording that it took. */
export interface Verified {
  readonly upload: ConfirmedUpload;
  /**
   * `pending`: there is no workout of it yet, and it was taken less than {@link PROCESSING_MS} ago.
   * `missing`: there still is none: it could not be processed, or the workout was deleted.
   */
  readonly outcome: 'present' | 'missing' | 'pending';
  /** The workout that it became, if the service names it. */
  readonly workoutId?: string;
}

/** How long the platform may take to make a workout of a recording, in ms. */
export const PROCESSING_MS = 3_600_000;

/** Workouts asked for in one request. */
const PAGE = 200;
const DAY_MS = 86_400_000;
/** How far the platform's start and duration may be from the recording's, in ms. */
const TOLERANCE_MS = 60_000;

/**
 * Compares recordings that the service took with the workouts that the platform has, those that it
 * holds for duplicates included. The service is asked only if there is a recording.
 *
 * @returns one for each recording, in their order.
 * @throws whatever the client throws: `SCOPE_MISSING` without `workout:read`.
 */
export async function verifyUploads(
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
  uploads: readonly ConfirmedUpload[],
  client: () => Promise<ServiceClient>,
): Promise<Verified[]> {
  if (uploads.length === 0) return [];
  const now = clock.now();
  const match = matcher(uploads, await listWorkouts(uploads, await client(), signal));
  return uploads.map((upload) => {
    const workout = match(upload);
    if (workout !== undefined) {
      const { id } = workout;
      return { upload, outcome: 'present', ...(typeof id === 'string' ? { workoutId: id } : {}) };
    }
    const fresh = Math.abs(now - upload.confirmedAt) < PROCESSING_MS;
    return { upload, outcome: fresh ? 'pending' : 'missing' };
  });
}

async function listWorkouts(
  uploads: readonly ConfirmedUpload[],
  client: ServiceClient,
  signal: AbortSignal,
): Promise<JsonObject[]> {
  let from = Infinity;
  let to = -Infinity;
  for (const { startedAt, confirmedAt } of uploads) {
    // Without a start of its own, its workout begins when the platform processed it.
    from = Math.min(from, startedAt ?? confirmedAt);
    to = Math.max(to, startedAt ?? confirmedAt + PROCESSING_MS);
  }
  const query = {
    startDate: dayOf(from - DAY_MS),
    // Deployed services end the range when this day begins, in UTC.
    endDate: dayOf(to + 2 * DAY_MS),
    includeDuplicates: true,
  };
  const found: JsonObject[] = [];
  for await (const page of workoutPages(client, query, () => PAGE, signal)) {
    found.push(...page);
  }
  return found;
}

/** FIT counts time from the end of 1989 in 32 bits: every day has a year of four digits. */
function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** A workout of the platform, and when it began (ms since the epoch). */
interface Listed {
  readonly workout: JsonObject;
  readonly date: number;
}

/**
 * Finds the workout of each recording. First by what identifies it: the id that the service named, or
 * the label of an upload. Recordings of one start and name share their workout. The others match by
 * start and duration, each workout once.
 */
function matcher(
  uploads: readonly ConfirmedUpload[],
  workouts: readonly JsonObject[],
): (upload: ConfirmedUpload) => JsonObject | undefined {
  const byLabel = new Map<unknown, JsonObject>();
  for (const workout of workouts) {
    byLabel.set(`id ${String(workout['id'])}`, workout);
    if (workout['source'] === SOURCE && typeof workout['externalId'] === 'string') {
      byLabel.set(labelKey(workout['externalId']), workout);
    }
  }
  const labelled = new Map<ConfirmedUpload, JsonObject>();
  for (const upload of uploads) {
    const workout =
      (upload.workoutId === undefined ? undefined : byLabel.get(`id ${upload.workoutId}`)) ??
      byLabel.get(labelOf(upload));
    if (workout !== undefined) labelled.set(upload, workout);
  }
  const taken = new Set(labelled.values());
  const left: Listed[] = workouts
    .filter((workout) => !taken.has(workout) && !isFromElsewhere(workout))
    .map((workout) => ({ workout, date: Date.parse(String(workout['date'])) }))
    .filter(({ date }) => !Number.isNaN(date))
    .sort((a, b) => a.date - b.date);
  return (upload) => labelled.get(upload) ?? takeNearest(upload, left);
}

/** What deployed services put into `source` of a workout that was uploaded as a FIT file. */
const SOURCE = 'fit_file';

/**
 * `fit_START_NAME`: the start in ms, and the file name with `_` for whatever is no letter, digit or `_`.
 * How many `_` a character becomes depends on its encoding: a row of them counts as one.
 */
function labelOf({ startedAt, sentAs }: ConfirmedUpload): string | undefined {
  return startedAt === undefined ? undefined : labelKey(`fit_${startedAt}_${sentAs}`);
}

function labelKey(label: string): string {
  return `label ${label.replace(/\W/g, '_').replace(/_+/g, '_')}`;
}

/** A workout of another source, such as a device's own platform, is no upload. */
function isFromElsewhere({ source, externalId }: JsonObject): boolean {
  return typeof source === 'string' && source !== SOURCE && typeof externalId === 'string';
}

/** The nearest workout of that start and duration; it is taken out of those that are left. */
function takeNearest(upload: ConfirmedUpload, left: Listed[]): JsonObject | undefined {
  const { startedAt } = upload;
  if (startedAt === undefined) return takeNamesake(upload, left);
  let best: { readonly index: number; readonly off: number } | undefined;
  for (let index = firstFrom(left, startedAt - TOLERANCE_MS); index < left.length; index++) {
    const { workout, date } = left[index] as Listed;
    if (date > startedAt + TOLERANCE_MS) break;
    if (!isAsLong(upload, workout)) continue;
    const off = Math.abs(date - startedAt);
    if (best === undefined || off < best.off) best = { index, off };
  }
  return best && left.splice(best.index, 1)[0]?.workout;
}

/** A recording that does not say when it began: the platform put another time into its label. */
function takeNamesake({ sentAs }: ConfirmedUpload, left: Listed[]): JsonObject | undefined {
  const end = labelKey(`_${sentAs}`).slice('label '.length);
  const index = left.findIndex(
    ({ workout: { externalId } }) =>
      typeof externalId === 'string' && labelKey(externalId).endsWith(end),
  );
  return index < 0 ? undefined : left.splice(index, 1)[0]?.workout;
}

/** Index of the first workout that began then or later; `left` is sorted. */
function firstFrom(left: readonly Listed[], from: number): number {
  let low = 0;
  let high = left.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((left[middle] as Listed).date < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A duration that is not known on either side says nothing. */
function isAsLong({ durationSecs }: ConfirmedUpload, { durationSec }: JsonObject): boolean {
  if (durationSecs === undefined || typeof durationSec !== 'number' || durationSec === 0) {
    return true;
  }
  return Math.abs(durationSec - durationSecs) * 1000 <= TOLERANCE_MS;
}
