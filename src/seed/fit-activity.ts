import { FitBaseType, type FitEncoderField } from 'fit-file-parser/encoder';

import { enumeration, text, time, uint16, uint8 } from './fit-fields.ts';
import {
  activityFields,
  Event,
  EventType,
  lapFields,
  lengthFields,
  RecordFields,
  sessionFields,
} from './fit-messages.ts';
import { FitWriter, type MessageWriter } from './fit-writer.ts';
import type { RecordingTruth } from './recording.ts';

/** Name of the user, to mark the file as synthetic for anyone who opens it. */
const SYNTHETIC_NAME = 'Synthetic athlete';

/** Global and local message numbers: with its own local number, a message is defined once. */
const Message = {
  fileId: [0, 0],
  fileCreator: [49, 1],
  userProfile: [3, 2],
  zonesTarget: [7, 3],
  deviceInfo: [23, 4],
  event: [21, 5],
  record: [20, 6],
  length: [101, 7],
  lap: [19, 8],
  session: [18, 9],
  activity: [34, 10],
} as const;

/** The owner as a device describes them. */
interface Owner {
  readonly age: number;
  /** kg */
  readonly weight: number;
  readonly restingHr: number;
  readonly maxHr: number;
  /** W */
  readonly ftp: number;
}

/** Encodes a recording as a FIT activity file. The same arguments give the same bytes. */
export function encodeActivity(
  truth: RecordingTruth,
  owner: Owner,
  encoder: MessageWriter = new FitWriter(sizeOf(truth)),
): Uint8Array {
  const write = ([global, local]: readonly [number, number], fields: FitEncoderField[]) => {
    encoder.writeMessage(global, fields, local);
  };
  const timer = (instant: number, type: number) => {
    write(Message.event, [time(253, instant), enumeration(0, Event.timer), enumeration(1, type)]);
  };

  writeHead(write, truth, owner);
  timer(truth.start, EventType.start);
  let firstLap = 0;
  let firstLength = 0;
  const sessions: FitEncoderField[][] = [];
  for (const [number, session] of truth.sessions.entries()) {
    const fields = new RecordFields(session.records);
    const pauses = [...session.pauses];
    const lengths = [...session.lengths.entries()];
    const laps = [...session.laps.entries()];
    for (const [index, now] of session.records.timestamp.entries()) {
      if (pauses[0] !== undefined && pauses[0].to < now) {
        timer(pauses[0].from, EventType.stopAll);
        timer(pauses[0].to, EventType.start);
        pauses.shift();
      }
      write(Message.record, fields.at(index));
      const [length] = lengths;
      if (length !== undefined && length[1].start + length[1].seconds === now) {
        write(Message.length, lengthFields(firstLength + length[0], length[1]));
        lengths.shift();
      }
      const [lap] = laps;
      if (lap?.[1].totals.end === now) {
        write(Message.lap, lapFields(firstLap + lap[0], lap[1], session, firstLength));
        laps.shift();
      }
    }
    sessions.push(sessionFields(number, session, firstLap, truth.sessions.length > 1));
    firstLap += session.laps.length;
    firstLength += session.lengths.length;
  }
  timer(truth.end, EventType.stopAll);
  for (const fields of sessions) write(Message.session, fields);
  write(Message.activity, activityFields(truth));
  return encoder.close();
}

/** Estimates the file's size generously (bytes). Records make up most of it. */
function sizeOf(truth: RecordingTruth): number {
  let records = 0;
  for (const session of truth.sessions) records += session.records.timestamp.length;
  return records * 30 + 32_768;
}

function writeHead(
  write: (message: readonly [number, number], fields: FitEncoderField[]) => void,
  truth: RecordingTruth,
  owner: Owner,
): void {
  const { name, manufacturer, product } = truth.device;
  // Marks the file as synthetic too.
  const productName = `${name} (synthetic)`;
  write(Message.fileId, [
    enumeration(0, 4), // activity
    uint16(1, manufacturer),
    uint16(2, product),
    { number: 3, size: 4, baseType: FitBaseType.Uint32z, value: truth.serial },
    time(4, truth.start),
    text(8, productName),
  ]);
  write(Message.fileCreator, [uint16(0, 100)]);
  write(Message.deviceInfo, [
    time(253, truth.start),
    uint8(0, 0), // the device that made the file
    uint16(2, manufacturer),
    { number: 3, size: 4, baseType: FitBaseType.Uint32z, value: truth.serial },
    uint16(4, product),
    uint16(5, 100),
    text(27, productName),
  ]);
  write(Message.userProfile, [
    text(0, SYNTHETIC_NAME),
    uint8(2, owner.age),
    uint16(4, Math.round(owner.weight * 10)),
    uint8(8, owner.restingHr),
  ]);
  write(Message.zonesTarget, [uint8(1, owner.maxHr), uint16(3, owner.ftp)]);
}
