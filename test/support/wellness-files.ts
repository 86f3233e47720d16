import { FIT_EPOCH_MS, fitFile, fitMessage } from './fit-messages.ts';

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
    fitMessage('monitoringInfo', { timestamp: at, local: at + offset * 3600 }),
    ...of(restingHr, (timestamp, today) => fitMessage('monitoringHr', { timestamp, today })),
    ...of(vo2max, (time, value) =>
      fitMessage('maxMet', { time, tenths: Math.round(value * 10), sport: 2 }),
    ),
    ...of(hrv, (timestamp, value) =>
      fitMessage('hrvStatus', { timestamp, lastNight: Math.round(value * 128) }),
    ),
    ...of(weight, (timestamp, value) =>
      fitMessage('weightScale', {
        timestamp,
        hundredthKg: Math.round(value * 100),
        ...(user === undefined ? {} : { user }),
      }),
    ),
  );
}
