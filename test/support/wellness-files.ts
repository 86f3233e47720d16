import { fitFile, fitMessage, message, u32 } from './fit-messages.ts';

/** FIT base types. */
const ENUM = 0x00;
const UINT8 = 0x02;
const UINT16 = 0x84;
const UINT32 = 0x86;

const FIT_EPOCH_MS = 631_065_600_000;

const u16 = (value: number) => u32(value).slice(0, 2);

/** Returns a time as FIT counts it. @param local such as `2026-02-15T07:00:00` @param offset hours */
function fitTime(local: string, offset: number): number {
  return (Date.parse(`${local}Z`) - FIT_EPOCH_MS) / 1000 - offset * 3600;
}

/** Values that a device measured at local times, such as `{ '2026-02-15T07:00:00': 52 }`. */
type Measured = Readonly<Record<string, number>>;

export interface WellnessParts {
  /** bpm */
  readonly restingHr?: Measured;
  /** ml/kg/min */
  readonly vo2max?: Measured;
  /** ms */
  readonly hrv?: Measured;
  /** kg, by the user of the scale */
  readonly weight?: Measured;
  readonly user?: number;
  /** Local time minus UTC (h). */
  readonly offset?: number;
}

/** Makes a file as devices write them beside their recordings. */
export function wellnessFile(parts: WellnessParts): Uint8Array {
  const { restingHr = {}, vo2max = {}, hrv = {}, weight = {}, user, offset = 1 } = parts;
  const [first = '2026-02-15T07:00:00'] = [restingHr, vo2max, hrv, weight].flatMap(Object.keys);
  const at = fitTime(first, offset);
  const of = (measured: Measured, make: (time: number, value: number) => number[]) =>
    Object.entries(measured).map(([local, value]) => make(fitTime(local, offset), value));
  return fitFile(
    fitMessage('fileId', { type: 32, manufacturer: 1 }),
    message(103, [
      [253, UINT32, u32(at)],
      [0, UINT32, u32(at + offset * 3600)],
    ]),
    ...of(restingHr, (time, value) =>
      message(211, [
        [253, UINT32, u32(time)],
        [1, UINT8, [value]],
      ]),
    ),
    ...of(vo2max, (time, value) =>
      message(229, [
        [0, UINT32, u32(time)],
        [2, UINT16, u16(Math.round(value * 10))],
        [5, ENUM, [2]],
      ]),
    ),
    ...of(hrv, (time, value) =>
      message(370, [
        [253, UINT32, u32(time)],
        [1, UINT16, u16(Math.round(value * 128))],
      ]),
    ),
    ...of(weight, (time, value) =>
      message(30, [
        [253, UINT32, u32(time)],
        [0, UINT16, u16(Math.round(value * 100))],
        ...(user === undefined ? [] : [[12, UINT16, u16(user)] as const]),
      ]),
    ),
  );
}
