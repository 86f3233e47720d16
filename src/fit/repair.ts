import { readContents } from './contents.ts';
import { crc16 } from './crc16.ts';
import { CRC_BYTES, isUnfinished, readHeader, sealed } from './envelope.ts';
import { DEFINITION, isDated, MESSAGE, type Message, OTHERS, readRecords } from './messages.ts';
import { readSummary } from './summary.ts';

/** A complete copy of a recording that is not whole. */
export type Repair = Readonly<NonNullable<ReturnType<typeof repairRecording>>>;

export type Kept = Readonly<ReturnType<typeof contentsOf>>;

/**
 * Returns a copy with correct lengths and checksums, which has the credible messages and ends after the
 * last of them; undefined if no record of an activity can be read.
 */
export function repairRecording(bytes: Uint8Array) {
  const parts: Uint8Array[] = [];
  let at = 0;
  let droppedBytes = 0;
  let isDoubtful = false;
  for (let isCut = false; !isCut;) {
    const segment = repairSegment(bytes, at);
    if (segment === undefined) break;
    parts.push(segment.bytes);
    at = segment.next;
    droppedBytes += segment.droppedBytes;
    isDoubtful ||= segment.isDoubtful;
    ({ isCut } = segment);
  }
  const copy = new Uint8Array(Buffer.concat(parts));
  const kept = contentsOf(copy);
  if (kept.records === 0) return undefined;
  const cutBytes = bytes.length - at;
  return {
    bytes: copy,
    kept,
    /** Bytes at the end of the original that are not in the copy. */
    cutBytes,
    /** Bytes between messages of the copy that are not in it. */
    droppedBytes,
    /** Whether values in the copy may be wrong: the damage is more than a missing end. */
    isDoubtful,
    /** Time after the last record that the device's summary covers (s); 0 without a summary. */
    lostSecs: lostSecs(copy, kept),
  };
}

/**
 * Returns the segment at `start`, repaired if it is not whole, and `next`, the offset in the original behind its bytes;
 * undefined if there is nothing to keep.
 */
function repairSegment(bytes: Uint8Array, start: number) {
  const header = readHeader(bytes, start);
  if (header === undefined) return undefined;
  const dataStart = start + header.headerSize;
  const dataEnd = dataStart + header.dataSize;
  const next = dataEnd + CRC_BYTES;
  const isInside = !isUnfinished(header) && next <= bytes.length;
  if (isInside && crc16(bytes.subarray(start, next)) === 0) {
    const whole = { droppedBytes: 0, isDoubtful: false, isCut: false };
    return { bytes: bytes.subarray(start, next), next, ...whole };
  }
  const isShort = !isUnfinished(header) && bytes.length < dataEnd;
  const limit = isUnfinished(header) ? bytes.length : Math.min(dataEnd, bytes.length);
  const fillers = fillersIn(bytes, dataStart, isInside ? next : bytes.length);
  const salvage = new Salvage(bytes, fillers);
  const { kept, isPure, left } = salvage.read(dataStart, limit);
  const end = kept.at(-1)?.end;
  if (end === undefined) return undefined;
  const data = kept.map((span) => bytes.subarray(span.start, span.end));
  const copy = Buffer.concat([bytes.subarray(start, dataStart), ...data]);
  const droppedBytes = start + copy.length;
  const isCut = !isInside || (end < dataEnd && readHeader(bytes, next) === undefined);
  return {
    bytes: sealed(copy, header.headerSize),
    droppedBytes: (isCut ? end : dataEnd) - droppedBytes,
    // A short file that ends behind a message, or behind its checksum, lacks bytes elsewhere.
    isDoubtful: isInside || !isPure || (isShort && left <= CRC_BYTES),
    next: isCut ? end : next,
    isCut,
  };
}

interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

/** Longest credible time between two records (s). */
const LONGEST_PAUSE_SECS = 86_400;

/**
 * Chooses the messages of a damaged segment that are credible. A definition is credible by its form, and a
 * message with a time by that time. Messages without a time are as credible as those around them.
 */
class Salvage {
  /** Confirmed spans; adjacent ones are joined. */
  readonly #kept: ByteSpan[] = [];
  /** The last credible message and those without a time behind it, until the next one confirms them. */
  #held: ByteSpan[] = [];
  /** Messages after the last credible one, from the first that is not credible. */
  #bad = 0;
  #isPure = true;
  /** Times of the last two credible records. */
  #time: number | undefined;
  #before: number | undefined;
  /** Offset of the last of them, and the number of all. */
  #record = 0;
  #count = 0;
  /** Forms of the headers so far: see {@link formOf}. */
  readonly #forms = new Set<number>();
  readonly #bytes: Uint8Array;
  /** Fillers that do not end before the message in the visit. */
  readonly #fillers: ByteSpan[];

  constructor(bytes: Uint8Array, fillers: ByteSpan[]) {
    this.#bytes = bytes;
    this.#fillers = fillers;
  }

  read(from: number, to: number) {
    let isFormed = true;
    const at = readRecords(this.#bytes, from, to, {
      [DEFINITION]: (message) => {
        isFormed = !this.#isInFiller(message) && this.#hasForm(message);
        if (!isFormed) return false;
        this.#forms.add(formOf(this.#bytes[message.start] as number));
        this.#add(message);
        this.#confirm();
        return true;
      },
      [OTHERS]: (message) => this.#visit(message),
    });
    const header = this.#bytes[at] ?? 0;
    const isDefinition = (header & 0xc0) === 0x40;
    // The rest is shorter than the message that it begins: the reader stopped there.
    const isBegun =
      this.#forms.has(formOf(header)) &&
      (!isDefinition || this.#hasForm({ start: at, end: to })) &&
      isFormed;
    const isFilled = this.#isInFiller({ start: at, end: at + 1 });
    const left = to - at;
    const isWhole = left <= CRC_BYTES || isFilled;
    const isEnd = isWhole || isBegun;
    // Behind a cut, nothing confirms messages without a time.
    if (!isWhole) this.#held.splice(1);
    // Otherwise the last message may have bytes too few or too many.
    if (isEnd && this.#bad === 0) this.#confirm();
    return { kept: this.#kept, isPure: this.#isPure && isEnd && !isFilled, left };
  }

  #visit(message: Message): void {
    if (this.#isInFiller(message)) {
      if (this.#bad === 0) this.#confirm();
      this.#bad++;
      this.#isPure = false;
      return;
    }
    const credible = this.#isKnownForm(message) ? this.#isTimely(message) : false;
    if (credible === true) {
      this.#forms.add(formOf(this.#bytes[message.start] as number));
      this.#add(message);
      return;
    }
    if (credible === undefined && this.#bad === 0) {
      this.#held.push({ start: message.start, end: message.end });
      return;
    }
    const [before] = this.#held;
    const header = this.#bytes[message.start];
    // The message before has its length if a header of the same kind follows.
    if (credible === false && before && this.#bytes[before.start] === header) this.#confirm();
    this.#bad++;
    this.#isPure = false;
  }

  /** Adds a credible message. It shows that the one before the damage has its length. */
  #add({ start, end }: ByteSpan): void {
    if (this.#bad <= 1) this.#confirm();
    this.#bad = 0;
    this.#held = [{ start, end }];
  }

  #confirm(): void {
    for (const { start, end } of this.#held) {
      const before = this.#kept.at(-1);
      if (before?.end === start) this.#kept[this.#kept.length - 1] = { start: before.start, end };
      else this.#kept.push({ start, end });
    }
    this.#held = [];
  }

  /** A device that wrote messages of a kind in one form of header does not begin with the other. */
  #isKnownForm({ start }: Message): boolean {
    const form = formOf(this.#bytes[start] as number);
    return form < COMPRESSED || this.#forms.has(form) || !this.#forms.has(form - COMPRESSED);
  }

  /** Returns whether the time of a message is credible; undefined if it has none. */
  #isTimely({ kind, start, timestamp }: Message): boolean | undefined {
    const isRecord = kind === MESSAGE.record;
    const [time, before] = [this.#time, this.#before];
    // A compressed time is near in any case.
    if (this.#bad > 0 && (this.#bytes[start] as number) >= 0x80) return undefined;
    if (!isDated(timestamp)) {
      return isRecord && time !== undefined ? false : undefined;
    }
    if (!isRecord && time === undefined) return undefined;
    const isNear = time !== undefined && Math.abs(timestamp - time) <= LONGEST_PAUSE_SECS;
    const goesBack = time !== undefined && timestamp < time;
    if (!isRecord) return isNear && !(goesBack && this.#bad > 0);
    const isHeld = time === undefined || this.#held[0]?.start === this.#record;
    if (!isNear && (before !== undefined || !isHeld)) return false;
    // Older bytes behind a cut. A clock may be set back after the start.
    const isOlder = before !== undefined && timestamp < before;
    if (isOlder && goesBack && this.#count > CLOCK_SETTLES) return false;
    this.#count++;
    // The time of the record before this one may be wrong: the first one's, or one out of order.
    const isOdd =
      before !== undefined && before <= timestamp && (goesBack || (time ?? before) < before);
    if (isHeld && (isOdd || (time !== undefined && !isNear))) {
      this.#held.shift();
      this.#isPure = false;
    } else this.#before = time;
    this.#time = timestamp;
    this.#record = start;
    return true;
  }

  /** Returns whether a filler begins or ends in the message. A filler inside of it is a value. */
  #isInFiller({ kind, start, end }: ByteSpan & Partial<Message>): boolean {
    while ((this.#fillers[0]?.end ?? Infinity) <= start) this.#fillers.shift();
    const [filler] = this.#fillers;
    // The end of an `activity` is often 0.
    const last = kind === MESSAGE.activity ? end - FILLER_AT_END : end;
    if (filler === undefined || filler.start >= last) return false;
    return filler.start <= start || filler.end > end;
  }

  /** Returns whether a definition, or its beginning, states a byte order, and fields of known types. */
  #hasForm({ start, end }: ByteSpan): boolean {
    const bytes = this.#bytes;
    const fields = bytes[start + 5] as number;
    if (bytes[start + 1] !== 0 || (bytes[start + 2] as number) > 1 || fields === 0) return false;
    for (let i = 0; i < fields && start + 8 + 3 * i < end; i++) {
      const type = bytes[start + 8 + 3 * i] as number;
      if ((type & 0x60) !== 0 || (type & 0x1f) > LAST_TYPE) return false;
    }
    return true;
  }
}

/** Records after which a device has the time of the satellites. */
const CLOCK_SETTLES = 30;

const COMPRESSED = 0x80;

/** Returns a header without its compressed time: the form and the local number of a message. */
function formOf(header: number): number {
  return header < COMPRESSED ? header & 0x6f : COMPRESSED + ((header >> 5) & 3);
}

/** Number of the last base type (`uint64z`). */
const LAST_TYPE = 16;

/** Fewest equal bytes that are taken for a filler: at the end, and elsewhere. */
const FILLER_AT_END = 4;
const FILLER_BYTES = 256;

/** Returns where memory was never written, or was lost: many zeroes, or many bytes 0xff. */
function fillersIn(bytes: Uint8Array, from: number, to: number): ByteSpan[] {
  const found: ByteSpan[] = [];
  for (let at = from; at < to;) {
    const byte = bytes[at];
    const start = at;
    while (at < to && bytes[at] === byte) at++;
    const least = at === to ? FILLER_AT_END : FILLER_BYTES;
    if ((byte === 0 || byte === 0xff) && at - start >= least) found.push({ start, end: at });
  }
  return found;
}

function contentsOf(copy: Uint8Array) {
  const { records, startTime, samples } = readContents(copy);
  const { sessions } = readSummary(copy);
  const secs = samples.at.at(-1);
  return {
    records,
    /** Times of the first and of the last record. */
    from: startTime,
    to: startTime && secs !== undefined ? new Date(startTime.getTime() + secs * 1000) : undefined,
    /** Whether it has a `session` message, which the device writes when the activity is saved. */
    hasSession: sessions.some((each) => (each.startTime ?? each.timerSecs) !== undefined),
  };
}

function lostSecs(bytes: Uint8Array, { to }: Kept): number {
  if (to === undefined) return 0;
  const ends = readSummary(bytes).sessions.flatMap(({ startTime, elapsedSecs }) =>
    startTime === undefined || elapsedSecs === undefined
      ? []
      : startTime.getTime() / 1000 + elapsedSecs,
  );
  return Math.round(Math.max(0, ...ends.map((end) => end - to.getTime() / 1000)));
}
