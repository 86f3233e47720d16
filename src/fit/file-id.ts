import { getFitManufacturerName } from 'fit-file-parser/profile';
import { MESSAGE, type Message, readMessages } from './messages.ts';

/** The `file_id` message (0). Fields that the device omitted or marked invalid are undefined. */
export type FileId = Readonly<ReturnType<typeof fileIdOf>>;

const ACTIVITY_FILE = 4;

/** Bytes from the beginning of a recording that hold `file_id` and the device's `device_info`. */
export const HEAD_BYTES = 4096;

/**
 * Reads the `file_id` of a recording; undefined if there is none. Makers that leave the product's name out
 * there, such as Wahoo, write it in the `device_info` of the recording device.
 *
 * @param first the beginning of the file; in practice 256 bytes are enough but for the product's name
 */
export function readFileId(first: Uint8Array): FileId | undefined {
  let fileId: FileId | undefined;
  readMessages(first.subarray(0, HEAD_BYTES), {
    [MESSAGE.fileId]: (message) => {
      fileId ??= fileIdOf(message);
      return fileId.manufacturer !== GARMIN && fileId.productName === undefined;
    },
    [MESSAGE.deviceInfo]: (message) => {
      if (fileId === undefined || message.number(0) !== RECORDING_DEVICE) return true;
      fileId = { ...fileId, productName: message.text(27) };
      return fileId.productName === undefined;
    },
  });
  return fileId;
}

export const GARMIN = 1;
/** `device_info.device_index` of the device itself; the others are its sensors. */
const RECORDING_DEVICE = 0;

/** Decodes a `file_id` message. */
export function fileIdOf(message: Message) {
  return {
    /** 4 is an activity; see {@link describeFileType}. */
    type: message.number(0),
    manufacturer: message.number(1),
    /** Never 0: devices write that if they have no product number. */
    product: message.number(2) || undefined,
    productName: message.text(8),
    serial: message.number(3) || undefined,
    /** The start; on some devices, the time when the file was written. */
    timeCreated: message.date(4),
  };
}

/**
 * Returns whether a FIT file holds an activity. The stated type decides, of any file in a chain of them. Some
 * programs state none. Such a file is an activity if it has a session or a record, and no course message before it.
 *
 * @param bytes the whole file; only its `file_id` is read if that names an activity
 */
export function isActivity(bytes: Uint8Array, fileId: FileId | undefined): boolean {
  if (fileId?.type === ACTIVITY_FILE) return true;
  let found = false;
  const isFound = (): false => {
    found = true;
    return false;
  };
  readMessages(bytes, {
    [MESSAGE.fileId]: (message) => !(found = fileIdOf(message).type === ACTIVITY_FILE),
    ...(fileId?.type === undefined && {
      [MESSAGE.session]: isFound,
      [MESSAGE.record]: isFound,
      [MESSAGE.course]: () => false,
    }),
  });
  return found;
}

/** Returns `file_id.type` in words: "an activity", "settings". */
export function describeFileType(type: number | undefined): string {
  if (type === undefined) return 'data of an unknown type';
  return FILE_TYPES[type] ?? `data of type ${type}`;
}

/**
 * Types of the FIT profile, and some (8, 29, 44, 49, 68, 70) that Garmin devices announce by name when they
 * transfer files.
 */
const FILE_TYPES: Readonly<Record<number, string>> = {
  1: 'a device description',
  2: 'settings',
  3: 'sport settings',
  [ACTIVITY_FILE]: 'an activity',
  5: 'a workout plan',
  6: 'a course',
  7: 'a schedule',
  8: 'saved locations',
  9: 'weight measurements',
  10: 'totals',
  11: 'goals',
  14: 'blood pressure measurements',
  15: 'monitoring data',
  20: 'an activity summary',
  28: 'daily monitoring data',
  29: 'personal records',
  32: 'monitoring data',
  34: 'a segment',
  35: 'a list of segments',
  40: 'a display configuration',
  44: 'fitness metrics',
  49: 'sleep data',
  68: 'HRV status',
  70: 'a health snapshot',
};

/**
 * Returns the device ID for the metadata, such as `garmin-4062-3412345678`: manufacturer (its number
 * if the name is unknown), product number and serial number. Omits missing parts; undefined if all
 * are missing.
 */
export function deviceId(fileId: FileId | undefined): string | undefined {
  if (fileId === undefined) return undefined;
  const { manufacturer, product, serial } = fileId;
  const parts = [getFitManufacturerName(manufacturer) ?? manufacturer, product, serial];
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? undefined : known.join('-');
}
