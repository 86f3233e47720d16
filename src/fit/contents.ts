import { MESSAGE, type Message, dateOf, readMessages } from './messages.ts';
import { positionOf } from './local-time.ts';
import { isNear } from './recorded.ts';
import { printableText } from '../base/printable.ts';
import { type Averaged, cadenceOf } from './summary.ts';

/** The records of a recording, which `sync inspect` shows. */
export type Contents = ReturnType<typeof readContents>;

/** Means of the records, without and with zeroes: no pulse found, coasting, standing still. */
export type Means = Readonly<Record<Averaged, Mean>>;

/** Reads the records of all segments; of a damaged file, those before the damage. */
export function readContents(bytes: Uint8Array) {
  const samples = new Samples();
  const developerFields = new Map<string, { name: string; units: string | undefined }>();
  let laps = 0;
  let records = 0;
  const end = readMessages(bytes, {
    [MESSAGE.record]: (message) => {
      records++;
      samples.add(message);
    },
    [MESSAGE.lap]: () => {
      laps++;
    },
    [MESSAGE.fieldDescription]: (message) => {
      const name = printableText(message.text(3));
      if (name === undefined) return;
      developerFields.set(name, { name, units: printableText(message.text(8)) });
    },
  });
  // Bytes that are missing in the middle of a file shift the fields of one record before the next is invalid.
  if (!end.complete && samples.endsMisread) records--;
  return {
    samples,
    startTime: samples.startTime,
    laps,
    /** Records, also those without a time, which are not among the samples. */
    records,
    means: samples.means,
    developerFields: [...developerFields.values()],
    /** Where the reading ended; incomplete if records cannot be decoded. */
    end,
  };
}

/** The records of an activity, one array for each field. A value is NaN if a record lacks it. */
export class Samples {
  /** Seconds since the first record, including pauses. */
  readonly at: number[] = [];
  /** Degrees; both coordinates or neither. */
  readonly latitude: number[] = [];
  readonly longitude: number[] = [];
  /** Metres. */
  readonly altitude: number[] = [];
  /** Metres below the surface. */
  readonly depth: number[] = [];
  readonly power: number[] = [];
  /** Beats per minute; no pulse found is no value. */
  readonly heartRate: number[] = [];
  /** Metres since the start. */
  readonly distance: number[] = [];
  /** Metres per second. */
  readonly speed: number[] = [];
  readonly #means = { power: new Mean(), heartRate: new Mean(), cadence: new Mean() };
  #first: number | undefined;
  #isMisread = false;

  get startTime(): Date | undefined {
    return dateOf(this.#first);
  }

  /** Whether the last record's time is far from the time of the record before it, which shows damage. */
  get endsMisread(): boolean {
    return this.#isMisread;
  }

  add(message: Message): void {
    const { timestamp } = message;
    this.#isMisread = false;
    if (timestamp === undefined) return;
    this.#first ??= timestamp;
    const at = timestamp - this.#first;
    this.#isMisread = !isNear(at, this.at.at(-1));
    if (this.#isMisread) return;
    const power = upTo(MOST_WATTS, message.number(7));
    const heartRate = upTo(MOST_BPM, message.number(3));
    const cadence = cadenceOf(message.number(4), message.number(53));
    const position = positionOf(message.number(0), message.number(1));
    this.at.push(at);
    this.latitude.push(position?.latitude ?? NaN);
    this.longitude.push(position?.longitude ?? NaN);
    this.altitude.push(altitudeOf(message.number(78) ?? message.number(2)));
    this.depth.push((message.number(92) ?? NaN) / 1000);
    this.power.push(power ?? NaN);
    this.heartRate.push(heartRate || NaN);
    this.distance.push((message.number(5) ?? NaN) / 100);
    const speed = message.number(73) ?? message.number(6) ?? NaN;
    this.speed.push(upTo(MOST_SPEED, speed / 1000) ?? NaN);
    this.#means.power.add(power);
    this.#means.heartRate.add(heartRate);
    this.#means.cadence.add(cadence);
  }

  get means(): Means {
    return this.#means;
  }
}

/** More than athletes reach: the record is damaged (W, bpm, m/s). */
const MOST_WATTS = 4_000;
const MOST_BPM = 240;
const MOST_SPEED = 100;

function upTo(most: number, value: number | undefined): number | undefined {
  return value !== undefined && value > most ? undefined : value;
}

/** Converts an altitude from fifths of a metre above -500 m. */
function altitudeOf(value: number | undefined): number {
  return value === undefined ? NaN : value / 5 - 500;
}

/** Undefined if all values are 0: devices write 0 if they have no sensor. */
class Mean {
  #sum = 0;
  #count = 0;
  #zeroes = 0;

  add(value: number | undefined): void {
    if (value === undefined) return;
    this.#sum += value;
    this.#count++;
    if (value === 0) this.#zeroes++;
  }

  get withZeroes(): number | undefined {
    return this.#sum === 0 ? undefined : this.#sum / this.#count;
  }

  get withoutZeroes(): number | undefined {
    return this.#sum === 0 ? undefined : this.#sum / (this.#count - this.#zeroes);
  }
}
