import { crc16 } from '../../src/fit/crc16.ts';

/** FIT counts seconds from 1989-12-31T00:00:00Z; ms since 1970. */
export const FIT_EPOCH_MS = 631_065_600_000;

/** FIT base types, and their sizes (bytes). */
export const ENUM = 0x00;
export const SINT8 = 0x01;
export const UINT8 = 0x02;
export const STRING = 0x07;
export const BYTE = 0x0d;
export const UINT16 = 0x84;
export const SINT32 = 0x85;
export const UINT32 = 0x86;
export const UINT32Z = 0x8c;
export const SIZES: Readonly<Record<number, 1 | 2 | 4>> = {
  [ENUM]: 1,
  [SINT8]: 1,
  [UINT8]: 1,
  [UINT16]: 2,
  [SINT32]: 4,
  [UINT32]: 4,
  [UINT32Z]: 4,
};

/** Seconds since 1989-12-31 of 2026-02-15T07:30:00Z, a Sunday. */
export const START = 1_140_075_000;

/** Global number of each message, and number and base type of its fields. */
const MESSAGES = {
  fileId: [0, { type: [0, ENUM], manufacturer: [1, UINT16], product: [2, UINT16] }],
  sport: [12, { sport: [0, ENUM], subSport: [1, ENUM], name: [3, STRING] }],
  session: [
    18,
    {
      timestamp: [253, UINT32],
      startTime: [2, UINT32],
      latitude: [3, SINT32],
      longitude: [4, SINT32],
      sport: [5, ENUM],
      subSport: [6, ENUM],
      elapsedMs: [7, UINT32],
      timerMs: [8, UINT32],
      distanceCm: [9, UINT32],
      heartRate: [16, UINT8],
      cadence: [18, UINT8],
      power: [20, UINT16],
      maxSpeed: [15, UINT16],
      maxHeartRate: [17, UINT8],
      maxPower: [21, UINT16],
      lengths: [33, UINT16],
      poolCm: [44, UINT16],
      poolUnit: [46, ENUM],
      fractionalCadence: [92, UINT8],
      name: [110, STRING],
      maxDepthMm: [141, UINT32],
    },
  ],
  lap: [19, { timestamp: [253, UINT32] }],
  record: [
    20,
    {
      timestamp: [253, UINT32],
      latitude: [0, SINT32],
      longitude: [1, SINT32],
      altitude: [2, UINT16],
      heartRate: [3, UINT8],
      cadence: [4, UINT8],
      distanceCm: [5, UINT32],
      speed: [6, UINT16],
      power: [7, UINT16],
      depthMm: [92, UINT32],
    },
  ],
  deviceInfo: [23, { index: [0, UINT8], productName: [27, STRING] }],
  weightScale: [30, { timestamp: [253, UINT32], hundredthKg: [0, UINT16], user: [12, UINT16] }],
  course: [31, { name: [5, STRING] }],
  activity: [34, { timestamp: [253, UINT32], local: [5, UINT32] }],
  monitoringInfo: [103, { timestamp: [253, UINT32], local: [0, UINT32] }],
  monitoringHr: [211, { timestamp: [253, UINT32], sevenDays: [0, UINT8], today: [1, UINT8] }],
  maxMet: [
    229,
    { timestamp: [253, UINT32], time: [0, UINT32], tenths: [2, UINT16], sport: [5, ENUM] },
  ],
  hrvStatus: [370, { timestamp: [253, UINT32], week: [0, UINT16], lastNight: [1, UINT16] }],
} as const;

type Kind = keyof typeof MESSAGES;
type Values<K extends Kind> = Partial<
  Record<keyof (typeof MESSAGES)[K][1], number | string | Uint8Array>
>;

/** Returns the definition and the data of one message. Values are as FIT stores them. */
export function fitMessage<K extends Kind>(kind: K, values: Values<K>): number[] {
  const [globalNumber, fields] = MESSAGES[kind] as readonly [
    number,
    Readonly<Record<string, readonly [number, number]>>,
  ];
  const written = Object.entries(values as Record<string, number | string | Uint8Array>).map(
    ([name, value]) => {
      const [number, type] = fields[name] as readonly [number, number];
      return [number, type, encoded(value, type)] as const;
    },
  );
  return message(globalNumber, written);
}

function encoded(value: number | string | Uint8Array, type: number): number[] {
  if (typeof value === 'string') return [...Buffer.from(`${value}\0`)];
  if (typeof value !== 'number') return [...value];
  return [0, 8, 16, 24].slice(0, SIZES[type]).map((shift) => (value >>> shift) & 0xff);
}

/** Makes one FIT segment around given data records. */
export function wrapRecords(
  data: Uint8Array,
  {
    headerSize = 14,
    headerCrc = 'right',
  }: { readonly headerSize?: 12 | 14; readonly headerCrc?: 'right' | 'zero' | 'garbage' } = {},
): Uint8Array {
  const bytes = new Uint8Array(headerSize + data.length + 2);
  bytes.set(data, headerSize);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, headerSize);
  view.setUint8(1, 0x20);
  view.setUint16(2, 2132, true);
  view.setUint32(4, data.length, true);
  bytes.set(Buffer.from('.FIT'), 8);
  if (headerSize === 14) {
    const crc = { right: crc16(bytes.subarray(0, 12)), zero: 0, garbage: 0xbeef }[headerCrc];
    view.setUint16(12, crc, true);
  }
  view.setUint16(bytes.length - 2, crc16(bytes.subarray(0, -2)), true);
  return bytes;
}

/** Returns a whole FIT file of these messages. */
export function fitFile(...messages: readonly (readonly number[])[]): Uint8Array {
  return wrapRecords(Uint8Array.from(messages.flat()));
}

export interface ActivityParts {
  readonly fileId?: Values<'fileId'>;
  readonly sport?: Values<'sport'>;
  readonly session?: Values<'session'>;
  readonly activity?: Values<'activity'>;
  readonly records?: readonly Values<'record'>[];
}

/** Makes a recording of an activity: 10 minutes from {@link START}, with a record each second. */
export function makeActivity({ fileId, sport, session, activity, records = [] }: ActivityParts) {
  const end = START + 600;
  return fitFile(
    fitMessage('fileId', { type: 4, manufacturer: 1, ...fileId }),
    ...(sport === undefined ? [] : [fitMessage('sport', sport)]),
    ...records.map((record, i) => fitMessage('record', { timestamp: START + i, ...record })),
    fitMessage('session', {
      timestamp: end,
      startTime: START,
      elapsedMs: 600_000,
      timerMs: 600_000,
      ...session,
    }),
    ...(activity === undefined ? [] : [fitMessage('activity', { timestamp: end, ...activity })]),
  );
}

/** Converts degrees to the unit of positions in FIT. */
export function semicircles(degrees: number): number {
  return Math.round((degrees * 2 ** 31) / 180);
}

/** Builds a little-endian message of any fields: its definition and its data. */
export function message(
  globalNumber: number,
  fields: readonly (readonly [number: number, baseType: number, bytes: readonly number[]])[],
): number[] {
  return [
    ...[0x40, 0, 0, globalNumber & 0xff, globalNumber >> 8, fields.length],
    ...fields.flatMap(([number, baseType, bytes]) => [number, bytes.length, baseType]),
    0,
    ...fields.flatMap(([, , bytes]) => bytes),
  ];
}

/** Returns the bytes of a little-endian uint32. */
export function u32(value: number): number[] {
  return [value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24];
}
