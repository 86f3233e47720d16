import { createHash } from 'node:crypto';

import { recordingOf, type SyntheticDay, type SyntheticRecording } from '../../src/seed/day.ts';
import { settingOf, synthesize, type SynthesizeOptions } from '../../src/seed/synthesize.ts';

/** Athlete 2 is a runner, with recordings of all kinds. */
export const SUMMER: SynthesizeOptions = {
  days: 30,
  seed: 2,
  until: '2025-09-07',
  zone: 'Europe/Zurich',
};

/** Long enough for a recording of each kind. */
export const SEASON: SynthesizeOptions = { ...SUMMER, days: 60 };

/** Returns the last recording of each kind. */
export function firstOfEachKind(options: SynthesizeOptions): Map<string, SyntheticRecording> {
  const found = new Map<string, SyntheticRecording>();
  for (const { recordings } of synthesize(options)) {
    for (const recording of recordings) found.set(kindOf(recording), recording);
  }
  return found;
}

function kindOf({ truth }: SyntheticRecording): string {
  return `${truth.sport}/${truth.subSport}`;
}

/** Returns a small recording: half an hour on the bike from 07:10, by athlete 1. */
export function sampleRecording({
  date,
  zone,
}: {
  readonly date: string;
  readonly zone: string;
}): SyntheticRecording {
  return recordingOf(settingOf({ seed: 1, until: date, zone }), 0, {
    title: 'Morning ride',
    sport: 'cycling',
    indoors: false,
    race: false,
    startMinute: 7 * 60 + 10,
    segments: [
      { seconds: 420, from: 0.5, to: 0.68, kind: 'warmup' },
      { seconds: 1080, from: 0.74, to: 0.78, kind: 'active' },
      { seconds: 300, from: 0.58, to: 0.45, kind: 'cooldown' },
    ],
  });
}

export function sha256(...parts: (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

/** Replaces each column by a hash: comparing a million numbers takes long. */
export function condensed(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) {
    return sha256(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  }
  if (Array.isArray(value)) return value.map(condensed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, condensed(each)]));
}

/** Returns three hashes of a run: files with their names, wellness, nutrition. */
export function hashesOf(days: Iterable<SyntheticDay>) {
  const files = createHash('sha256');
  const wellness = createHash('sha256');
  const nutrition = createHash('sha256');
  for (const day of days) {
    for (const { fileName, name, bytes } of day.recordings) {
      files.update(`${fileName}\0${name}\0${bytes.length}\0`).update(bytes);
    }
    wellness.update(JSON.stringify(day.wellness));
    nutrition.update(JSON.stringify(day.nutrition));
  }
  return {
    files: files.digest('hex'),
    wellness: wellness.digest('hex'),
    nutrition: nutrition.digest('hex'),
  };
}

export function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}

/** Returns Pearson's coefficient, -1 to 1. */
export function correlation(a: readonly number[], b: readonly number[]): number {
  const [meanA, meanB] = [mean(a), mean(b)];
  let [ab, aa, bb] = [0, 0, 0];
  a.forEach((value, index) => {
    const x = value - meanA;
    const y = (b[index] ?? meanB) - meanB;
    ab += x * y;
    aa += x * x;
    bb += y * y;
  });
  return ab / Math.sqrt(aa * bb);
}
