import type { ServiceClient } from '../api/client.ts';
import { startOf } from '../api/workout-pages.ts';
import type { WireObject } from '../api/wire.ts';
import type { Context } from '../base/context.ts';
import { SyncError } from '../base/errors.ts';
import { SCALE, type Shape } from '../fit/recorded.ts';
import type { LedgerRide } from '../ledger/rides.ts';
import type { UploadLedger } from '../ledger/uploads.ts';
import { metresBetween } from '../tracks/distance.ts';

/** Share of a conversion's time that must be covered, and overlap of two recordings of one ride. */
const COVERED = 0.95;
const SAME = 0.8;
/** Median distance of two recordings of one ride at the same times (m). */
const NEAR_METRES = 100;
/** Difference between the starts of a ride in a recording and in the list of workouts (ms). */
const SAME_START_MS = 120_000;

/** A workout of the platform that is of no recording in the ledger. */
type OtherWorkout = NonNullable<ReturnType<typeof otherWorkout>>;

/** A recording that may cover another one. */
export type CoveringRide = Pick<LedgerRide, 'path' | 'isConverted' | 'shape'>;

type Span = readonly [from: number, to: number];

/** Compares a recording with the others of its time: in the ledger, and at the platform. */
export class Rides {
  readonly #ledger: UploadLedger;
  readonly #runStartedAt: number;
  #workouts: readonly OtherWorkout[] = [];
  /** Recordings that a dry run would have sent. */
  readonly #planned: LedgerRide[] = [];
  /** Recordings that the platform took, and has no workout of. */
  #missing: ReadonlySet<string> = new Set();

  /** @param runStartedAt start of a run that sends FIT recordings before conversions (ms since the epoch) */
  constructor(ledger: UploadLedger, runStartedAt = Infinity) {
    this.#ledger = ledger;
    this.#runStartedAt = runStartedAt;
  }

  /**
   * Reads the platform's workouts of these times. A platform that lists none for this login has none.
   *
   * @param starts of recordings (ms since the epoch)
   * @throws SyncError if the platform cannot be asked now
   */
  async readPlatform(
    context: Pick<Context, 'clock' | 'signal'>,
    starts: readonly number[],
    client: () => Promise<ServiceClient>,
  ): Promise<void> {
    const begun = [Math.min(...starts) - DAY_MS, Math.max(...starts) + DAY_MS] as const;
    const days = starts.map((startedAt) => ({ startedAt, confirmedAt: startedAt }));
    const { NO_LIST } = await import('./own-workouts.ts');
    const { verifyUploads } = await import('./verify.ts');
    try {
      const uploads = this.#ledger.confirmed({ begun });
      const { platform } = this.#ledger;
      const { items, others } = await verifyUploads(context, uploads, client, platform, days);
      this.#workouts = others.flatMap((workout) => otherWorkout(workout) ?? []);
      this.#missing = new Set(
        items.flatMap(({ outcome, upload }) => (outcome === 'missing' ? upload.sha256 : [])),
      );
    } catch (error) {
      if (!(error instanceof SyncError) || !NO_LIST.includes(error.code)) throw error;
    }
  }

  /** Notes a recording that a dry run would send. */
  plan(ride: LedgerRide): void {
    this.#planned.push(ride);
  }

  #ridesAt(shape: Shape): LedgerRide[] {
    const isThen = ({ startedAt, endedAt }: LedgerRide) =>
      startedAt <= shape.endedAt && endedAt >= shape.startedAt;
    return [...this.#ledger.rides(shape), ...this.#planned.filter(isThen)];
  }

  /**
   * Returns the recordings that cover a conversion, as {@link coverOf} does. They count if the platform still has them,
   * or if this run failed to send them, so that the next one does.
   *
   * @param label `externalId` of the conversion's workout
   * @param isUnsure it was sent, and no answer confirmed it: a workout without an `externalId` may be its own
   */
  coverOf(shape: Shape, label: string, isUnsure: boolean): readonly string[] | undefined {
    const taken = this.#ridesAt(shape).filter(({ state, sha256, isConverted, changedAt }) =>
      state === 'confirmed'
        ? !this.#missing.has(sha256)
        : !isConverted && changedAt >= this.#runStartedAt,
    );
    const others = this.#workouts.filter(
      ({ externalId }) => externalId !== label && !(isUnsure && externalId === undefined),
    );
    return coverOf(shape, taken, others);
  }

  /**
   * Returns the recordings of the same ride that were sent, or are being sent: both lie within each other by
   * 80 %, their sports are of one family, and they were not written as one file.
   */
  sameAs(shape: Shape, sha256: string): LedgerRide[] {
    return this.#ridesAt(shape).filter(
      ({ startedAt, endedAt, shape: other, ...ride }) =>
        ride.sha256 !== sha256 &&
        shareIn(shape, [[startedAt, endedAt]]) >= SAME &&
        shareIn({ startedAt, endedAt }, [[shape.startedAt, shape.endedAt]]) >= SAME &&
        (ride.isConverted || other.fileId !== shape.fileId) &&
        isOneFamily(shape.sport, other.sport),
    );
  }
}

const DAY_MS = 86_400_000;

/**
 * Returns the recordings and workouts that cover a conversion, as paths and titles; undefined if `sync` has to send it.
 * They cover it if 95 % of its time lies within recordings of one session, each of them near it and with every channel
 * of it. Another conversion needs as many channels.
 */
export function coverOf(
  shape: Shape,
  rides: readonly CoveringRide[],
  others: readonly OtherWorkout[] = [],
): readonly string[] | undefined {
  const covering = [
    ...rides
      .filter((ride) => covers(ride, shape))
      .map(({ path, shape: { startedAt, endedAt } }) => ({
        by: path,
        span: [startedAt, endedAt] as Span,
      })),
    ...others
      .filter(({ lacks }) => !lacks.some(isIn(shape)))
      .map((workout) => ({ by: `the workout "${workout.title}"`, span: spanOf(workout, shape) })),
  ].filter(({ span: [from, to] }) => to > shape.startedAt && from < shape.endedAt);
  const spans = covering.map(({ span }) => span);
  return shareIn(shape, spans) < COVERED ? undefined : covering.map(({ by }) => by);
}

/** Returns the facts of a listed workout; undefined without a start and a duration. */
function otherWorkout(workout: WireObject) {
  const { title, durationSec, averageHr, averageWatts, externalId } = workout;
  const startedAt = Date.parse(startOf(workout) ?? '');
  if (Number.isNaN(startedAt) || typeof durationSec !== 'number') return undefined;
  return {
    title: typeof title === 'string' ? title : '',
    /** ms since 1970. */
    startedAt,
    /** Without pauses (s). */
    secs: durationSec,
    externalId,
    /** Channels of which it shows no average. */
    lacks: [
      ...(averageHr === null ? (['heartRate'] as const) : []),
      ...(averageWatts === null ? (['power'] as const) : []),
    ],
  };
}

function isIn({ channels }: Shape) {
  return (channel: Shape['channels'][number]) => channels.includes(channel);
}

function covers({ shape: other, isConverted }: CoveringRide, shape: Shape): boolean {
  if (!other.isOneSession || !isNear(other, shape)) return false;
  return isConverted
    ? other.channels.length >= shape.channels.length
    : shape.channels.every(isIn(other));
}

/** Returns the time of a workout. The list leaves its pauses out. */
function spanOf({ startedAt, secs }: OtherWorkout, shape: Shape): Span {
  const isSameStart = Math.abs(startedAt - shape.startedAt) <= SAME_START_MS;
  const isWhole = isSameStart && secs >= COVERED * shape.timerSecs;
  return isWhole ? [shape.startedAt, shape.endedAt] : [startedAt, startedAt + secs * 1000];
}

/** Returns the share of a time that lies within spans, from 0 to 1. */
function shareIn(
  { startedAt, endedAt }: Pick<Shape, 'startedAt' | 'endedAt'>,
  spans: readonly Span[],
): number {
  let reached = startedAt;
  let inside = 0;
  for (const [from, to] of spans.toSorted(([a], [b]) => a - b)) {
    const end = Math.min(to, endedAt);
    inside += Math.max(0, end - Math.max(from, reached));
    reached = Math.max(reached, end);
  }
  return inside / Math.max(1, endedAt - startedAt);
}

/** Compares the positions at the same minutes; without any, two recordings may be of one ride. */
function isNear(a: Shape, b: Shape): boolean {
  const others = new Map(b.places.map((place) => [place[0], place]));
  const apart = a.places.flatMap(([at, ...here]) => {
    const [, ...there] = others.get(at) ?? [];
    return there.length === 0 ? [] : metresBetween(placeOf(here), placeOf(there));
  });
  const [median = 0] = apart.toSorted((x, y) => x - y).slice(apart.length >> 1);
  return median < NEAR_METRES;
}

function placeOf([latitude = NaN, longitude = NaN]: readonly number[]) {
  return { latitude: latitude / SCALE, longitude: longitude / SCALE };
}

/** Families of sports, by `sport` of the FIT profile: e-bikes, and all that is on foot. */
const FAMILIES: Readonly<Record<number, number>> = { 21: 2, 11: 1, 16: 1, 17: 1, 35: 1 };
/** Generic, fitness equipment and training may be any sport. */
const GENERIC: readonly number[] = [0, 4, 10];

function isOneFamily(a = 0, b = 0): boolean {
  return GENERIC.includes(a) || GENERIC.includes(b) || (FAMILIES[a] ?? a) === (FAMILIES[b] ?? b);
}
