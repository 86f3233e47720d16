import type { FileId } from './file-id.ts';
import { DEGREES, isFix, type Position, positionOf } from './local-time.ts';
import { dateOf, FIT_EPOCH_MS, type Message, isDated } from './messages.ts';

/** Time, places and channels of a recording: to find other recordings of the same ride. */
export type Shape = Readonly<ReturnType<Recorded['shape']>>;

/** A time (s since 1970) and a position, in 1/10,000 degrees. */
export type Place = readonly [at: number, latitude: number, longitude: number];

export const SCALE = 10_000;

/** Fields of a record, the old and the enhanced one. */
const CHANNELS = {
  altitude: [2, 78],
  cadence: [4],
  heartRate: [3],
  position: [0],
  power: [7],
  temperature: [13],
} as const;
type Channel = keyof typeof CHANNELS;
const ALL_CHANNELS = Object.keys(CHANNELS) as readonly Channel[];

/** Asked for every record: a loop makes no object. */
function isIn(message: Message, channel: Channel): boolean {
  for (const field of CHANNELS[channel]) if (message.number(field) !== undefined) return true;
  return false;
}

/** Positions are kept for every whole minute; of long recordings, for these multiples (s). */
const STEPS = [60, 300, 1800, 21_600];
/** Most positions of a recording that are kept. */
const MOST_PLACES = 120;
/** No position is assumed within a longer gap (s). */
const LONGEST_GAP_SECS = 60;
/** Longest credible time between two records (s): more shows that the file is damaged. */
const LONGEST_PAUSE_SECS = 30 * 86_400;

/** Faster than any sport but flying (m/s), and the time by which a distance may be ahead of its record (s). */
const FASTEST = 60;
const SLACK_SECS = 10;

/** Sums up the records of a recording: takes one after the other, and keeps none. */
export class Recorded {
  firstPosition: Position | undefined;
  /** Records with a date. */
  #records = 0;
  readonly #time = new Span();
  readonly #credible = new Span();
  /** Credible distance, and its time. */
  #metres = 0;
  #metresAt = 0;
  #missing = ALL_CHANNELS;
  readonly #places = new Places();

  add(message: Message): void {
    const { timestamp } = message;
    const latitude = message.number(0);
    const longitude = message.number(1);
    this.firstPosition ??= positionOf(latitude, longitude);
    if (isDated(timestamp)) {
      const isFirst = this.#records++ === 0;
      if (isFirst || isNear(timestamp, this.#credible.to)) this.#credible.add(timestamp);
      this.#time.add(timestamp);
      for (const channel of this.#missing) {
        if (isIn(message, channel))
          this.#missing = this.#missing.filter((each) => each !== channel);
      }
      this.#places.add(timestamp, latitude, longitude);
    }
    this.#addDistance((message.number(5) ?? 0) / 100);
  }

  #addDistance(metres: number): void {
    const at = Math.max(0, this.#credible.to);
    const since = this.#metresAt || Math.min(this.#credible.from, at);
    if (metres < this.#metres || metres - this.#metres > FASTEST * (at - since + SLACK_SECS))
      return;
    this.#metres = metres;
    this.#metresAt = at;
  }

  /** Credible time from the first record to the last, and the last credible distance. */
  get sums() {
    const { from, to } = this.#credible;
    const isEmpty = this.#records === 0;
    return {
      startTime: isEmpty ? undefined : dateOf(from),
      secs: isEmpty ? undefined : to - from,
      distanceMetres: this.#metres || undefined,
    };
  }

  /** @param timerSecs of all sessions; undefined if the device states none */
  shape(
    fileId: FileId | undefined,
    sessions: readonly { readonly sport: number | undefined }[],
    timerSecs: number | undefined,
  ) {
    const { from, to } = this.#time;
    const { manufacturer, product, serial, timeCreated } = fileId ?? {};
    return {
      /** ms since 1970; infinite without records. */
      startedAt: FIT_EPOCH_MS + from * 1000,
      endedAt: FIT_EPOCH_MS + to * 1000,
      timerSecs: timerSecs ?? Math.max(0, to - from),
      records: this.#records,
      sport: sessions.length === 1 ? sessions[0]?.sport : undefined,
      /** Two parts of one recording have the same. */
      fileId: [manufacturer, product, serial, timeCreated?.getTime()].join(),
      isOneSession: sessions.length < 2,
      channels: ALL_CHANNELS.filter((channel) => !this.#missing.includes(channel)),
      places: this.#places.kept,
    };
  }
}

/** From the earliest time to the latest (s, as in {@link dateOf}); infinite without any. */
class Span {
  from = Infinity;
  to = -Infinity;

  add(at: number): void {
    if (at < this.from) this.from = at;
    if (at > this.to) this.to = at;
  }
}

/** Collects the positions at whole minutes, between the two records around each. */
class Places {
  readonly #all: Place[] = [];
  /** The last position (s since 1970, semicircles). */
  #lastAt: number | undefined;
  #lastLatitude = 0;
  #lastLongitude = 0;

  get kept(): readonly Place[] {
    const step = STEPS.find((secs) => this.#at(secs).length <= MOST_PLACES) ?? 86_400;
    return this.#at(step);
  }

  #at(step: number): Place[] {
    return this.#all.filter(([at]) => at % step === 0);
  }

  /** @param timestamp s, as in {@link dateOf} */
  add(timestamp: number, latitude: number | undefined, longitude: number | undefined): void {
    if (latitude === undefined || longitude === undefined || !isFix(latitude, longitude)) return;
    const at = FIT_EPOCH_MS / 1000 + timestamp;
    const from = this.#lastAt ?? at;
    if (at - from <= LONGEST_GAP_SECS) {
      for (let minute = Math.ceil(from / 60) * 60; minute <= at; minute += 60) {
        if (minute === this.#all.at(-1)?.[0]) continue;
        const share = at === from ? 1 : (minute - from) / (at - from);
        this.#all.push([
          minute,
          between(this.#lastLatitude, latitude, share),
          between(this.#lastLongitude, longitude, share),
        ]);
      }
    }
    this.#lastAt = at;
    this.#lastLatitude = latitude;
    this.#lastLongitude = longitude;
  }
}

/** Returns a place between two (semicircles), in 1/10,000 degrees. */
function between(a: number, b: number, share: number): number {
  return Math.round((a * DEGREES + (b * DEGREES - a * DEGREES) * share) * SCALE);
}

/** Returns whether two times of records are credible together (s). */
export function isNear(time: number, before = time): boolean {
  return Math.abs(time - before) <= LONGEST_PAUSE_SECS;
}
