import { Buffer } from 'node:buffer';
import { createCipheriv, createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { crc32, deflateRawSync } from 'node:zlib';

/** Writes a zip archive member by member, so that its size is not bounded by the memory. */
class ZipWriter {
  #fd;
  #at = 0;
  #directory = [];

  constructor(path) {
    this.#fd = openSync(path, 'w');
  }

  get size() {
    return this.#at;
  }

  add(name, bytes, { deflate = false } = {}) {
    const packed = deflate ? deflateRawSync(bytes, { level: 6 }) : bytes;
    const fixed = Buffer.alloc(26);
    fixed.writeUInt16LE(20, 0);
    fixed.writeUInt16LE(deflate ? 8 : 0, 4);
    fixed.writeUInt32LE(crc32(bytes), 10);
    fixed.writeUInt32LE(packed.length, 14);
    fixed.writeUInt32LE(bytes.length, 18);
    fixed.writeUInt16LE(name.length, 22);
    const offset = Buffer.alloc(14);
    offset.writeUInt32LE(this.#at, 10);
    const made = Buffer.from([20, 0]);
    this.#directory.push(
      Buffer.from('PK\x01\x02', 'latin1'),
      made,
      fixed,
      offset,
      Buffer.from(name),
    );
    this.#write(Buffer.from('PK\x03\x04', 'latin1'), fixed, Buffer.from(name), packed);
  }

  close() {
    const start = this.#at;
    this.#write(...this.#directory);
    const end = Buffer.alloc(18);
    end.writeUInt16LE(this.#directory.length / 5, 4);
    end.writeUInt16LE(this.#directory.length / 5, 6);
    end.writeUInt32LE(this.#at - start, 8);
    end.writeUInt32LE(start, 12);
    this.#write(Buffer.from('PK\x05\x06', 'latin1'), end);
    closeSync(this.#fd);
  }

  #write(...parts) {
    for (const part of parts) {
      for (let from = 0; from < part.length;) {
        from += writeSync(this.#fd, part, from, part.length - from);
      }
      this.#at += part.length;
    }
  }
}

const MB = 1_000_000;
const DAYS = 4_000;

/**
 * Writes a zip archive like the account export of Garmin: archives with recordings inside it, JSON of up
 * to 20 MB, and files that are not understood. The same numbers give the same archive.
 *
 * @param makeRecording of test/support/fit-maker.ts
 * @param megabytes size of the archive
 * @returns the number of recordings and of days
 */
export function writeNestedZip(path, makeRecording, megabytes) {
  const outer = new ZipWriter(path);
  const parts = Math.max(1, Math.round(megabytes / 250));
  const recordingsOfPart = 400;
  for (let part = 0; part < parts; part++) {
    const innerPath = `${path}.part`;
    const inner = new ZipWriter(innerPath);
    for (let index = 0; index < recordingsOfPart; index++) {
      const seed = part * recordingsOfPart + index + 1;
      const startTime = new Date(Date.UTC(2016, 0, 1, 7) + seed * 86_400_000);
      const bytes = makeRecording({ seed, startTime, sizeBytes: 300_000 + (seed % 10) * 20_000 });
      inner.add(`athlete_${seed}.fit`, Buffer.from(bytes), { deflate: index % 4 === 0 });
    }
    inner.close();
    const name = `DI_CONNECT/DI-Connect-Uploaded-Files/UploadedFiles_0-_Part${part + 1}.zip`;
    outer.add(name, readFileSync(innerPath), { deflate: part === 0 });
    rmSync(innerPath);
  }
  const json = (name, value) =>
    outer.add(`DI_CONNECT/${name}`, Buffer.from(JSON.stringify(value)), { deflate: true });
  json('DI-Connect-Aggregator/UDSFile_2016-01-01_2026-12-31.json', days(dailySummary));
  json('DI-Connect-Fitness/athlete_0_summarizedActivities.json', [
    { summarizedActivitiesExport: days(activity) },
  ]);
  const metrics = days(metric);
  for (let index = 0; index < 40; index++) {
    json(`DI-Connect-Metrics/MetricsHeatAltitude_${index}.json`, metrics.slice(index, index + 90));
  }
  for (let index = 0; outer.size < megabytes * MB; index++) {
    outer.add(
      `DI_CONNECT/IT_GLASS/image_${index}.jpg`,
      noise(Math.min(8 * MB, megabytes * MB - outer.size), index),
    );
  }
  outer.close();
  return { recordings: parts * recordingsOfPart, days: DAYS };
}

function days(make) {
  return Array.from({ length: DAYS }, (_, index) =>
    make(new Date(Date.UTC(2016, 0, 1 + index)).toISOString().slice(0, 10), index),
  );
}

/** About 5 kB: 20 MB for all days. */
function dailySummary(calendarDate, index) {
  return {
    userProfilePK: 4711,
    calendarDate,
    totalSteps: 4_000 + (index % 9_000),
    restingHeartRate: 45 + (index % 9),
    totalKilocalories: 2_400 + (index % 700),
    wellnessStartTimeGmt: `${calendarDate}T00:00:00.0`,
    allDayStress: { aggregatorList: [{ type: 'TOTAL', averageStressLevel: 20 + (index % 30) }] },
    bodyBattery: { values: Array.from({ length: 430 }, (_, at) => [at * 144, (at * index) % 101]) },
  };
}

function activity(calendarDate, index) {
  return {
    activityId: index,
    name: `Ride of ${calendarDate}`,
    splits: Array.from({ length: 150 }, (_, at) => ({
      splitIndex: at,
      distance: at * 1000 + index,
    })),
  };
}

function metric(calendarDate, index) {
  return { metricsDate: calendarDate, altitude: index % 3_000, heat: index % 100 };
}

/** Returns bytes that cannot be packed. */
function noise(size, seed) {
  const key = createHash('sha256').update(String(seed)).digest();
  return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size));
}
