import { setImmediate } from 'node:timers/promises';
import { Parser } from 'htmlparser2';
import { printable } from '../base/printable.ts';
import { isCalendarDate } from '../base/time.ts';
import { XmlFault, XmlFeed, decodedXml, inUtf8 } from '../base/xml.ts';
import type { FitRecord } from '../fit/write-totals.ts';
import type { TrackKind } from './kind.ts';

type Values = { -readonly [Key in keyof FitRecord]: FitRecord[Key] };

/** A point as the file states it. A class with every field: there may be a hundred thousand. */
export class Point implements Values {
  /** With its fraction (s since 1970). */
  time = NaN;
  /** Number of its segment: the timer stood still between two of them. */
  segment: number;
  latitude: number | undefined = undefined;
  longitude: number | undefined = undefined;
  altitude: number | undefined = undefined;
  distance: number | undefined = undefined;
  speed: number | undefined = undefined;
  heartRate: number | undefined = undefined;
  cadence: number | undefined = undefined;
  power: number | undefined = undefined;
  temperature: number | undefined = undefined;

  constructor(segment: number) {
    this.segment = segment;
  }
}

export interface Lap {
  /** Seconds since 1970. */
  readonly from: number;
  /** Without pauses. */
  secs?: number;
  /** m */
  distance?: number;
  /** kcal */
  calories?: number;
  isRest?: boolean;
}

/** A `trk` of GPX, or an `Activity` of TCX. */
export interface Track {
  name?: string | undefined;
  /** The file's word. */
  sport?: string;
  /** Points with a time, in the order of the file. */
  readonly points: Point[];
  readonly laps: Lap[];
}

export type TrackFile = ReturnType<typeof emptyFile>;

function emptyFile(kind: TrackKind) {
  return {
    kind,
    /** The program or the device that wrote the file. */
    creator: '',
    tracks: [] as Track[],
    /** Track points without a time that can be read. */
    untimed: 0,
    /** Values that cannot be read: how many, and the first. */
    unreadTimes: { count: 0, first: '' },
    /** Positions of GPX that cannot be read or are not on the earth. */
    unplaced: { count: 0, first: '' },
    /** What else the file holds: `rte`, `wpt`, `course`, `workout`. */
    others: new Set<string>(),
  };
}

/** Parts of the document between two pauses for the event loop: 1 MB. */
const PARTS = 64;

/**
 * Reads a GPX 1.0, GPX 1.1 or TCX file. Values that no device measures are left out.
 *
 * @throws XmlFault if the document ends before its root element does, or exceeds a limit; the signal's reason
 */
export async function readTracks(
  bytes: Buffer,
  kind: TrackKind,
  signal: AbortSignal,
): Promise<TrackFile> {
  const reader = new TrackReader(kind);
  const feed = new XmlFeed();
  const parser: Parser = new Parser(
    {
      onopentag(tag, attributes) {
        feed.opened();
        reader.open(tag, attributes);
      },
      ontext: (text) => reader.addText(text),
      onclosetag() {
        feed.closed();
        reader.close();
      },
    },
    { xmlMode: true, decodeEntities: false },
  );
  const parts = feed.write(parser, inUtf8(bytes));
  for (let count = 0; parts.next().done !== true; count++) {
    if (count % PARTS > 0) continue;
    // Lets a signal in, also between small files.
    await setImmediate();
    signal.throwIfAborted();
  }
  // The end of the document closes what is still open.
  const { isWhole } = reader;
  parser.end();
  if (!isWhole) throw new XmlFault('is cut off: its end is missing', true);
  return reader.file;
}

const MAX_NAMES = 500;

type Channel = Exclude<keyof FitRecord, 'time'>;

/**
 * The channels of a point: their elements, by the names that Garmin, Strava, Suunto, Polar and phone apps use, and the
 * values that devices measure and FIT can hold. A heart rate of 0 is a sensor without contact.
 */
const CHANNELS = {
  latitude: ['latitudedegrees', -90, 90],
  longitude: ['longitudedegrees', -180, 179.999_999],
  altitude: ['ele altitudemeters', -500, 12_000],
  distance: ['distancemeters', 0, 4e7],
  speed: ['speed', 0, 65],
  heartRate: ['hr heartrate value', 1, 254],
  cadence: ['cad cadence runcadence', 0, 254],
  power: ['power powerinwatts bikepower watts', 0, 4_000],
  temperature: ['atemp temp temperature', -100, 100],
} as const satisfies Record<Channel, readonly [elements: string, least: number, most: number]>;

const MEASURED = Object.keys(CHANNELS) as Channel[];

const BY_ELEMENT: ReadonlyMap<string, Channel> = new Map(
  MEASURED.flatMap((channel) =>
    CHANNELS[channel][0].split(' ').map((name) => [name, channel] as const),
  ),
);

type Role = 'root' | 'track' | 'segment' | 'point' | 'lap' | 'other';

/** What the elements of each kind of file stand for; the extensions of one use names of the other. */
const ROLES: Readonly<Record<TrackKind, Readonly<Partial<Record<string, Role>>>>> = {
  gpx: {
    ...{ gpx: 'root', trk: 'track', trkseg: 'segment', trkpt: 'point' },
    ...{ rte: 'other', wpt: 'other' },
  },
  tcx: {
    ...{ trainingcenterdatabase: 'root', activity: 'track', track: 'segment', trackpoint: 'point' },
    ...{ lap: 'lap', course: 'other', workout: 'other' },
  },
};

interface Element {
  /** In lower case, without the prefix: programs choose prefixes freely. */
  readonly name: string;
  readonly role: Role | undefined;
  readonly channel: Channel | undefined;
}

/** Collects the tracks of a document. */
class TrackReader {
  readonly file: TrackFile;
  isWhole = false;
  readonly #roles: (typeof ROLES)[TrackKind];
  readonly #elements = new Map<string, Element>();
  /** The open elements. */
  readonly #open: Element[] = [];
  #text = '';
  #track: Track | undefined;
  #point: Point | undefined;
  #segment = 0;
  #points = 0;

  constructor(kind: TrackKind) {
    this.#roles = ROLES[kind];
    this.file = emptyFile(kind);
  }

  /** Returns what the elements of a tag stand for. */
  #elementOf(tag: string): Element {
    const known = this.#elements.get(tag);
    if (known !== undefined) return known;
    const name = tag.slice(tag.lastIndexOf(':') + 1).toLowerCase();
    const element = { name, role: this.#roles[name], channel: BY_ELEMENT.get(name) };
    if (this.#elements.size < MAX_NAMES) this.#elements.set(tag, element);
    return element;
  }

  open(tag: string, attributes: Readonly<Record<string, string>>): void {
    const element = this.#elementOf(tag);
    this.#open.push(element);
    this.#text = '';
    switch (element.role) {
      case 'root':
        this.file.creator = textOf(attributes['creator'] ?? '');
        break;
      case 'track':
        this.#track = { points: [], laps: [] };
        if (attributes['Sport'] !== undefined) this.#track.sport = textOf(attributes['Sport']);
        break;
      case 'segment':
        this.#segment++;
        break;
      case 'lap': {
        const from = timeOf(attributes['StartTime'] ?? '');
        if (!Number.isNaN(from)) this.#track?.laps.push({ from });
        break;
      }
      case 'point':
        this.#point = new Point(this.#segment);
        this.#points++;
        this.#place(this.#point, attributes['lat'] ?? '', attributes['lon'] ?? '');
        break;
      case 'other':
        this.file.others.add(element.name);
        break;
      case undefined:
    }
  }

  #place(point: Point, lat: string, lon: string): void {
    setChannel(point, 'latitude', lat);
    setChannel(point, 'longitude', lon);
    const isPlaced = point.latitude !== undefined && point.longitude !== undefined;
    if (isPlaced || lat.trim() === '' || lon.trim() === '') return;
    this.#noteUnread(this.file.unplaced, `lat="${textOf(lat)}" lon="${textOf(lon)}"`);
  }

  #noteUnread(unread: TrackFile['unplaced'], written: string): void {
    if (unread.count++ === 0) unread.first = `point ${this.#points}, ${written}`;
  }

  addText(text: string): void {
    this.#text += text;
  }

  /** Closes the element that was opened last. */
  close(): void {
    const element = this.#open.pop();
    if (element === undefined) return;
    const { name, role } = element;
    if (role === 'root') this.isWhole = true;
    if (role === 'track') {
      if (this.#track !== undefined) this.file.tracks.push(this.#track);
      this.#track = undefined;
    } else if (role === 'point') this.#endPoint();
    else if (this.#point !== undefined) this.#addValue(this.#point, element);
    else if (this.#track !== undefined) this.#addFact(this.#track, name);
    this.#text = '';
  }

  #endPoint(): void {
    const point = this.#point;
    this.#point = undefined;
    if (point === undefined || this.#track === undefined) return;
    // Receivers write 0, 0 without a fix, and programs half a position.
    const { latitude, longitude } = point;
    if (latitude === undefined || longitude === undefined || (!latitude && !longitude)) {
      point.latitude = undefined;
      point.longitude = undefined;
    }
    if (Number.isNaN(point.time)) this.file.untimed++;
    // Devices write a time without values at the ends of a pause.
    else if (MEASURED.some((channel) => point[channel] !== undefined)) {
      this.#track.points.push(point);
    }
  }

  #addValue(point: Point, { name, channel }: Element): void {
    if (name === 'time') {
      point.time = timeOf(this.#text);
      if (Number.isNaN(point.time) && this.#text.trim() !== '')
        this.#noteUnread(this.file.unreadTimes, `time="${textOf(this.#text)}"`);
      return;
    }
    if (channel !== undefined) setChannel(point, channel, this.#text);
  }

  /** Takes the facts about a whole track or lap. */
  #addFact(track: Track, name: string): void {
    const lap = track.laps.at(-1);
    switch (`${this.#open.at(-1)?.name ?? ''} ${name}`) {
      case 'trk name':
        track.name = textOf(this.#text) || undefined;
        break;
      case 'trk type':
        track.sport = textOf(this.#text);
        break;
      case 'creator name':
        this.file.creator ||= textOf(this.#text);
        break;
      case 'lap totaltimeseconds':
        if (lap !== undefined) lap.secs = Number(this.#text);
        break;
      case 'lap distancemeters':
        if (lap !== undefined) setChannel(lap, 'distance', this.#text);
        break;
      case 'lap calories':
        if (lap !== undefined) lap.calories = Number(this.#text);
        break;
      case 'lap intensity':
        if (lap !== undefined) lap.isRest = this.#text.trim().toLowerCase() === 'resting';
    }
  }
}

function setChannel<C extends Channel>(
  point: Partial<Record<C, number | undefined>>,
  channel: C,
  text: string,
): void {
  let value = Number(text);
  if (value === 0 && text.trim() === '') return;
  // Some programs write a decimal comma.
  if (Number.isNaN(value)) value = Number(text.replace(',', '.'));
  const [, least, most] = CHANNELS[channel];
  if (value >= least && value <= most) point[channel] = value;
}

/** A time of ISO 8601, also with a blank between its parts, with slashes, or with a comma before the fraction. */
const TIME =
  /^\d{4}[-/]\d\d[-/]\d\d[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d+))? ?(?:Z|([+-]\d\d)(?::?(\d\d))?)?$/i;

/** The usual form, which `Date.parse` reads, too. */
const USUAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Days that every month has. `Date.parse` moves those after the end of a month to the next one. */
const SHORTEST_MONTH = 28;

/** Returns seconds since 1970; NaN for a text that is no time. A time without a zone is UTC. */
function timeOf(text: string): number {
  const written = text.trim();
  // Seconds or milliseconds since 1970.
  if (/^\d{10}(?:\d{3})?$/.test(written)) return Number(written) / (written.length > 10 ? 1000 : 1);
  const day = written.slice(0, 10).replaceAll('/', '-');
  if (Number(day.slice(8)) > SHORTEST_MONTH && !isCalendarDate(day)) return NaN;
  if (USUAL_TIME.test(written)) return Date.parse(written) / 1000;
  const [found, clock = '', fraction = '0', hours = '+00', minutes = '00'] =
    TIME.exec(written) ?? [];
  if (found === undefined) return NaN;
  return (
    Date.parse(`${day}T${clock}${clock.length > 5 ? `.${fraction}` : ''}${hours}:${minutes}`) / 1000
  );
}

/** Longest name that is kept (characters). */
const MAX_NAME = 200;

function textOf(value: string): string {
  return printable(decodedXml(value.slice(0, 4 * MAX_NAME)))
    .trim()
    .slice(0, MAX_NAME);
}
