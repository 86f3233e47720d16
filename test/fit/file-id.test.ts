import { describe, expect, it } from 'vitest';
import {
  deviceId,
  describeFileType,
  isActivity,
  readFileId,
  type FileId,
} from '../../src/fit/file-id.ts';
import { makeRecording, unfinished, wrapRecords, zeroFilled } from '../support/fit-maker.ts';
import { START, fitFile, fitMessage, message, u32 } from '../support/fit-messages.ts';
import { realRecordings } from '../support/real-recordings.ts';

const startTime = new Date('2026-02-15T22:30:00Z');
const ride = { startTime, manufacturer: 1, product: 4062, serial: 3412345678, type: 4 };
const rideId: FileId = {
  type: 4,
  manufacturer: 1,
  product: 4062,
  productName: undefined,
  serial: 3412345678,
  timeCreated: startTime,
};

describe('the file_id of a recording', () => {
  it.each([
    ['little-endian', makeRecording(ride)],
    ['big-endian', makeRecording({ ...ride, bigEndian: true })],
    ['with a 12-byte header', makeRecording({ ...ride, headerSize: 12 })],
    ['of several segments', makeRecording({ ...ride, chained: 2 })],
    ['still being written', unfinished(makeRecording(ride))],
  ])('is read from the first 256 bytes: %s', (_, bytes) => {
    expect(readFileId(bytes.subarray(0, 256))).toEqual(rideId);
  });

  it('omits fields that the device omitted or marked invalid', () => {
    const bytes = wrapRecords(
      Uint8Array.from(
        message(0, [
          [0, 0x00, [0xff]],
          [1, 0x84, [0xff, 0xff]],
          [3, 0x8c, [0, 0, 0, 0]],
          [4, 0x86, u32(1000)],
          [8, 0x07, [...Buffer.from('COROS DURA\0junk')]],
        ]),
      ),
    );
    expect(readFileId(bytes)).toEqual({
      type: undefined,
      manufacturer: undefined,
      product: undefined,
      productName: 'COROS DURA',
      serial: undefined,
      timeCreated: undefined,
    });
  });

  it.each([
    ['no bytes', new Uint8Array(0)],
    ['zeroes', zeroFilled(256)],
    ['only a header', makeRecording().subarray(0, 14)],
    ['a definition that is cut', makeRecording().subarray(0, 30)],
    ['data that are cut', makeRecording().subarray(0, 40)],
    ['data before any definition', wrapRecords(Uint8Array.of(0, 1, 2, 3))],
    ['no file_id', wrapRecords(Uint8Array.from(message(20, [[3, 2, [120]]])))],
  ])('is undefined if there is none: %s', (_, bytes) => {
    expect(readFileId(bytes)).toBeUndefined();
  });

  it.each([
    [4, 'an activity'],
    [2, 'settings'],
    [5, 'a workout plan'],
    [6, 'a course'],
    [32, 'monitoring data'],
    [44, 'fitness metrics'],
    [49, 'sleep data'],
    [68, 'HRV status'],
    [200, 'data of type 200'],
    [undefined, 'data of an unknown type'],
  ])('type %s is called "%s"', (type, words) => {
    expect(describeFileType(type)).toBe(words);
  });
});

describe('isActivity', () => {
  const record = fitMessage('record', { timestamp: START, heartRate: 120 });
  const session = fitMessage('session', { startTime: START, sport: 2 });
  const course = fitMessage('course', { name: 'Around the lake' });
  const fileId = (type?: number) =>
    fitMessage('fileId', { manufacturer: 1, ...(type === undefined ? {} : { type }) });

  it.each<[boolean, string, number[][]]>([
    [true, 'that states it', [fileId(4)]],
    [true, 'without a type, but with records', [fileId(), record]],
    [true, 'without a type, but with a session', [fileId(), session]],
    [true, 'with an invalid type, but with records', [fileId(0xff), record, session]],
    [true, 'without a file_id, but with records', [record]],
    [false, 'without a type and without records', [fileId()]],
    [false, 'without a type that is a course', [fileId(), course, record]],
    [false, 'of settings', [fileId(2)]],
    [false, 'of a course, with records', [fileId(6), record]],
    [false, 'of an activity summary, with a session', [fileId(20), session]],
    [false, 'of HRV status, with a session', [fileId(68), session]],
    [false, 'of an unknown type, with records', [fileId(200), record]],
  ])('returns %s for a file %s', (expected, _, messages) => {
    const bytes = fitFile(...messages);
    expect(isActivity(bytes, readFileId(bytes))).toBe(expected);
  });

  it('is true for a chain with an activity behind another file', () => {
    const chain = (...files: number[][][]) => Buffer.concat(files.map((all) => fitFile(...all)));
    const isOne = (bytes: Buffer) => isActivity(bytes, readFileId(bytes));
    expect(isOne(chain([fileId(2)], [fileId(4), record]))).toBe(true);
    expect(isOne(chain([fileId(32)], [fileId(2)], [fileId(4), record]))).toBe(true);
    expect(isOne(chain([fileId(2)], [fileId(6), record]))).toBe(false);
  });
});

it.each<[Partial<FileId> | undefined, string | undefined]>([
  [{}, 'garmin-4062-3412345678'],
  [{ manufacturer: 65000 }, '65000-4062-3412345678'],
  [{ serial: undefined }, 'garmin-4062'],
  [{ product: undefined }, 'garmin-3412345678'],
  [{ manufacturer: undefined, product: undefined }, '3412345678'],
  [{ manufacturer: undefined, product: undefined, serial: undefined }, undefined],
  [undefined, undefined],
])('deviceId turns %o into %s', (part, expected) => {
  expect(deviceId(part && { ...rideId, ...part })).toBe(expected);
});

it('takes product 0 and serial number 0 for none', () => {
  const bytes = makeRecording({ manufacturer: 260, product: 0, serial: 0 });
  expect(readFileId(bytes)).toMatchObject({ product: undefined, serial: undefined });
  expect(deviceId(readFileId(bytes))).toBe('zwift');
});

describe.skipIf(!realRecordings.present)(`real recordings${realRecordings.note}`, () => {
  it('have these types', () => {
    const notActivities: Readonly<Record<string, string>> = {
      'course.fit': 'a course',
      'garmin-edge510-settings.fit': 'settings',
      'garmin-monitoring-stress-day.fit': 'monitoring data',
      'hrv-overnight.fit': 'daily monitoring data',
      'workout-plan.fit': 'a workout plan',
    };
    const types = realRecordings.names().map((name) => {
      const first = realRecordings.read(name).subarray(0, 256);
      return [name, describeFileType(readFileId(first)?.type)];
    });
    expect(Object.fromEntries(types)).toEqual(
      Object.fromEntries(
        realRecordings.names().map((name) => [name, notActivities[name] ?? 'an activity']),
      ),
    );
  });
});
