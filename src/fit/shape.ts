import { type Position, positionOf } from './local-time.ts';
import { FIT_EPOCH_MS, MESSAGE, type Message, isDated, readMessages } from './messages.ts';
import type { Summary } from './summary.ts';

/** Time, places and channels of a recording: to find other recordings of the same ride. */
export type Shape = Readonly<ReturnType<typeof readShape>>;

/** Fields of a record, the old and the enhanced one. */
const CHANNELS = [
  ['position', [0]],
  ['altitude', [2, 78]],
  ['heartRate', [3]],
  ['cadence', [4]],
  ['power', [7]],
  ['temperature', [13]],
] as const;

/** Positions are kept for every whole minute; of long recordings, for these multiples (s). */
const STEPS = [60, 300, 1800, 21_600];
/** Most positions of a recording that are kept. */
const MOST_PLACES = 120;
/** No position is assumed within a longer gap (s). */
const LONGEST_GAP_SECS = 60;

/** Reads the records of a whole recording. */
export function readShape(bytes: Uint8Array, { sessions, fileId, timerSecs }: Summary) {
  const channels = new Set<(typeof CHANNELS)[number][0]>();
  let missing: readonly (typeof CHANNELS)[number][] = CHANNELS;
  const places = new Places();
  let from = Infinity;
  let to = -Infinity;
  let records = 0;
  readMessages(bytes, {
    [MESSAGE.record]: (message) => {
      const { timestamp } = message;
      if (!isDated(timestamp)) return;
      records++;
      from = Math.min(from, timestamp);
      to = Math.max(to, timestamp);
      const before = channels.size;
      for (const [channel, fields] of missing)
        for (const field of fields) if (message.number(field) !== undefined) channels.add(channel);
      if (channels.size > before) missing = missing.filter(([channel]) => !channels.has(channel));
      places.add(FIT_EPOCH_MS / 1000 + timestamp, message);
    },
  });
  const { manufacturer, product, serial, timeCreated } = fileId ?? {};
  return {
    /** ms since 1970; NaN without records. */
    startedAt: FIT_EPOCH_MS + from * 1000,
    endedAt: FIT_EPOCH_MS + to * 1000,
    timerSecs: timerSecs ?? Math.max(0, to - from),
    records,
    sport: sessions.length === 1 ? sessions[0]?.sport : undefined,
    /** Two parts of one recording have the same. */
    fileId: [manufacturer, product, serial, timeCreated?.getTime()].join(),
    isOneSession: sessions.length < 2,
    channels: [...channels].sort(),
    places: places.kept,
  };
}

/** A time (s since 1970) and a position, in 1/10,000 degrees. */
export type Place = readonly [at: number, latitude: number, longitude: number];

export const SCALE = 10_000;

/** Collects the positions at whole minutes, between the two records around each. */
class Places {
  readonly #all: Place[] = [];
  #last: Position | undefined;
  #lastAt = 0;

  get kept(): readonly Place[] {
    const step = STEPS.find((secs) => this.#at(secs).length <= MOST_PLACES) ?? 86_400;
    return this.#at(step);
  }

  #at(step: number): Place[] {
    return this.#all.filter(([at]) => at % step === 0);
  }

  add(at: number, message: Message): void {
    const position = positionOf(message.number(0), message.number(1));
    if (position === undefined) return;
    const from = this.#last ?? position;
    const before = this.#last === undefined ? at : this.#lastAt;
    this.#lastAt = at;
    this.#last = position;
    if (at - before > LONGEST_GAP_SECS) return;
    for (let minute = Math.ceil(before / 60) * 60; minute <= at; minute += 60) {
      if (minute === this.#all.at(-1)?.[0]) continue;
      const share = at === before ? 0 : (minute - before) / (at - before);
      const between = (a: number, b: number) => Math.round((a + (b - a) * share) * SCALE);
      const { latitude, longitude } = from;
      this.#all.push([
        minute,
        between(latitude, position.latitude),
        between(longitude, position.longitude),
      ]);
    }
  }
}
