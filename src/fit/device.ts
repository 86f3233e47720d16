import { getFitManufacturerName } from 'fit-file-parser/profile';
import type { FileId } from './summary.ts';

/**
 * The device that made a recording, as it goes out in the metadata: `garmin-4062-3412345678`, the
 * manufacturer's name (its number if the name isn't known), the product's number and the serial
 * number. What the recording does not say is left out; undefined if it says nothing.
 */
export function deviceId(fileId: FileId | undefined): string | undefined {
  if (fileId === undefined) return undefined;
  const { manufacturer, product, serial } = fileId;
  const parts = [getFitManufacturerName(manufacturer) ?? manufacturer, product, serial];
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? undefined : known.join('-');
}
