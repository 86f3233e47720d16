import { type Text, phrase, sync } from '../../base/phrase.ts';
import { TRANSITION, paceOf } from '../../fit/sports.ts';
import { resendText } from '../../app/words/uploads.ts';
import { fileOf } from '../../inputs/recording-names.ts';
import { capital, clockTime, distance, weekday } from '../../terminal/words.ts';
import type {
  RecordingDevice,
  FileFindings,
  InspectItem,
  SessionFindings,
  ShownAverages,
} from './findings.ts';
import { type Screen, pictureLines, rounded } from './picture.ts';

type NamedItem = Exclude<InspectItem, { state: 'unreadable' }>;

export function inspectLines(item: InspectItem, screen: Screen): Text[] {
  if (item.state === 'unreadable') return [item.path, `  Cannot be read. ${item.detail}`];
  const span = item.recordedSecs ?? 0;
  const picture = pictureLines(item.samples, span, { ...screen, columns: screen.columns - 2 });
  const blocks = [
    verdictLines(item),
    item.state === 'not-fit' ? [] : activityLines(item),
    picture,
    fileLines(item),
  ];
  const body = blocks
    .filter((block) => block.length > 0)
    .flatMap((block, i) => (i === 0 ? block : ['', ...block]));
  return [item.path, ...body.map((line) => (line === '' ? '' : phrase`  ${line}`))];
}

/** Reports the problem of a file, how much of it can be read, and whether it is sent. */
function verdictLines(item: NamedItem): Text[] {
  const { path, state, detail, isSent, hasWellness, holds = '' } = item;
  const file = fileOf(path);
  const isDamaged = state === 'incomplete' || state === 'corrupt';
  return present([
    detail,
    state === 'whole' && item.readableBytes !== undefined
      ? 'Its checksum is correct, but it cannot be decoded to its end: the device or program that wrote it made a mistake.'
      : undefined,
    readableLine(item),
    isDamaged && item.records > 0 && file === path
      ? phrase`${sync('repair', path)} writes a complete copy of what can be read.`
      : undefined,
    state === 'whole' && !isSent
      ? phrase`Not an activity but ${holds}, so uploads leave it out. ${resendText(path, '--any-type', 'sends it all the same')}`
      : undefined,
    hasWellness ? phrase`${sync('push', 'wellness', file)} sends its wellness.` : undefined,
  ]);
}

function readableLine(item: NamedItem): string | undefined {
  const { state, readableBytes, size, records, recordedSecs } = item;
  if (state === 'not-fit' || (state === 'whole' && readableBytes === undefined)) return undefined;
  const part = `${(readableBytes ?? size).toLocaleString('en-US')} of ${size.toLocaleString('en-US')} bytes`;
  const time = recordedSecs === undefined ? '' : ` over ${clockTime(recordedSecs)}`;
  return `Readable: ${part}, ${counted(records, 'record') ?? 'no records'}${time}.`;
}

function activityLines(item: FileFindings): Text[] {
  const { averages } = item;
  const title = item.name ?? capital(item.holds ?? 'data of an unknown type');
  const course = [
    timeText(item),
    distanceText(item.distanceMeters),
    pace(item),
    item.sessions.length === 1 ? item.sessions.map(poolText)[0] : undefined,
    item.ascentMeters ? `${rounded(item.ascentMeters)} m up` : undefined,
    item.maxDepthMeters && `${item.maxDepthMeters.toFixed(1)} m deep`,
  ];
  const effort = [...averageTexts(averages), quantity(item.calories, 'kcal')];
  return present([
    title,
    startLine(item),
    ...[course, effort].map((figures) => present(figures).join('   ')),
    contradictionLine(item),
    maximaLine(item),
    fromRecordsLine(item),
    ...(item.sessions.length > 1 ? item.sessions.map(sessionLine) : []),
    countsLine(item),
    developerFieldsLine(item),
  ]);
}

function averageTexts(averages: ShownAverages): (string | undefined)[] {
  return [
    quantity(averages.power, 'W'),
    quantity(averages.heartRate, 'bpm'),
    averages.cadenceUnit && quantity(averages.cadence, averages.cadenceUnit),
  ];
}

function contradictionLine({ recordedAverages }: FileFindings): string | undefined {
  const found = present(averageTexts(recordedAverages));
  return found.length === 0 ? undefined : `Its records average ${found.join(', ')} instead.`;
}

function maximaLine({ maxima, sessions }: FileFindings): string | undefined {
  const { power, heartRate, speedMetersPerSec: speed } = maxima;
  const sport = sportOfAll(sessions);
  const speedText = speed && sport && speedIn(speed, sport);
  const found = present([quantity(power, 'W'), quantity(heartRate, 'bpm'), speedText]);
  return found.length === 0 ? undefined : `Maximum: ${found.join(', ')}`;
}

function fromRecordsLine({ fromRecords }: FileFindings): string | undefined {
  const names = fromRecords.map((field) => (field === 'elapsedSecs' ? 'time' : 'distance'));
  return names.length === 0
    ? undefined
    : `Its records state the ${names.join(' and the ')}; no session does.`;
}

/** Returns "40 lengths of 25 m". */
function poolText({ pool }: SessionFindings): string | undefined {
  if (pool === undefined) return undefined;
  const { lengthMetres, isInYards, lengths } = pool;
  const size = isInYards ? `${Math.round(lengthMetres / 0.9144)} yd` : `${lengthMetres} m`;
  return lengths ? `${counted(lengths, 'length')} of ${size}` : `${size} pool`;
}

function startLine({ startTime, localStartTime }: FileFindings): string | undefined {
  if (startTime === undefined) return undefined;
  if (localStartTime === undefined) {
    return `${startTime.slice(0, 16).replace('T', ' ')} UTC; the device does not say the local time`;
  }
  const day = weekday(new Date(localStartTime.slice(0, 10)));
  const time = localStartTime.slice(0, 16).replace('T', ' ');
  return `${day} ${time} local time (UTC${localStartTime.slice(19)})`;
}

function sessionLine(session: SessionFindings, index: number): string {
  const sport = [session.sport ?? 'unknown sport', session.subSport].filter(Boolean).join(', ');
  const figures = present([
    timeText(session),
    distanceText(session.distanceMeters),
    poolText(session),
  ]);
  return `${index + 1}. ${sport.padEnd(24)} ${figures.join('   ')}`.trimEnd();
}

function countsLine({ laps, records, segments }: FileFindings): string | undefined {
  const counts = [
    counted(records, 'record'),
    counted(laps, 'lap'),
    segments !== undefined && segments > 1 ? counted(segments, 'FIT segment') : undefined,
  ];
  return present(counts).join(', ') || undefined;
}

function developerFieldsLine({ developerFields }: FileFindings): string | undefined {
  if (developerFields.length === 0) return undefined;
  const names = developerFields.map(({ name, units }) =>
    units === undefined ? name : `${name} (${units})`,
  );
  return `Developer fields: ${names.join(', ')}`;
}

function fileLines({ device, size, sha256, state }: NamedItem): string[] {
  return present([
    device && `Device  ${deviceName(device)} (${device.id})`,
    `File    ${size.toLocaleString('en-US')} bytes, ${state === 'not-fit' ? 'no recording' : state === 'whole' ? 'whole' : 'not whole'}`,
    `SHA-256 ${sha256}`,
  ]);
}

/** "Garmin Edge 840"; not "Coros COROS DURA". A mere number is in the ID beside it. */
function deviceName({ manufacturer = '', product: stated = '' }: RecordingDevice): string {
  const product = /^\d+$/.test(stated) && /[a-z]/.test(manufacturer) ? '' : stated;
  const maker = manufacturer.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  if (product.toLowerCase().startsWith(manufacturer)) return product === '' ? maker : product;
  return `${maker} ${product}`.trim();
}

function pace({ sessions, timerSecs, distanceMeters }: FileFindings): string | undefined {
  const sport = sportOfAll(sessions);
  if (!timerSecs || !distanceMeters || sport === undefined) return undefined;
  return speedIn(distanceMeters / timerSecs, sport);
}

function sportOfAll(sessions: readonly SessionFindings[]): SessionFindings | undefined {
  const parts = sessions.filter(({ numbers }) => numbers.sport !== TRANSITION);
  const [first] = parts;
  return parts.every(({ numbers }) => numbers.sport === first?.numbers.sport) ? first : undefined;
}

/** @param speed in m/s */
function speedIn(speed: number, { numbers }: SessionFindings): string {
  const by = paceOf(numbers);
  return by === undefined
    ? `${(3.6 * speed).toFixed(1)} km/h`
    : `${clockTime(by.meters / speed)} ${by.unit}`;
}

/** Returns the time without pauses, and with them if there are any: "58:52 (59:56 with pauses)". */
function timeText({
  timerSecs,
  elapsedSecs,
}: Pick<SessionFindings, 'timerSecs' | 'elapsedSecs'>): string | 0 | undefined {
  if (timerSecs === undefined) return elapsedSecs && clockTime(elapsedSecs);
  const hasPauses = elapsedSecs !== undefined && elapsedSecs - timerSecs >= 1;
  return `${clockTime(timerSecs)}${hasPauses ? ` (${clockTime(elapsedSecs)} with pauses)` : ''}`;
}

function distanceText(meters: number | undefined): string | undefined {
  return meters ? distance(meters, 2) : undefined;
}

function quantity(value: number | undefined, unit: string): string | undefined {
  return value === undefined || value === 0 ? undefined : `${rounded(value)} ${unit}`;
}

function counted(n: number, noun: string): string | undefined {
  return n === 0 ? undefined : `${n.toLocaleString('en-US')} ${noun}${n === 1 ? '' : 's'}`;
}

function present<T extends Text>(parts: readonly (T | 0 | undefined)[]): T[] {
  return parts.filter((part) => part !== undefined && part !== 0 && part !== '') as T[];
}
