import { getFitManufacturerName } from 'fit-file-parser/profile';
import type { FileId } from './file-id.ts';

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
