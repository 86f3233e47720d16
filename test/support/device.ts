import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { garminXml, write } from '../devices/support.ts';

/**
 * Writes the files of an Edge 840 into a folder, which stands for its disk.
 *
 * @param rides its recordings; each becomes a file `N.fit`
 */
export function makeEdge(root: string, serial: string, rides: readonly Uint8Array[]) {
  const activities = join(root, 'Garmin/Activity');
  mkdirSync(activities, { recursive: true });
  rides.forEach((bytes, i) => write(join(activities, `${i}.fit`), bytes));
  // The file by which it is recognised comes last.
  write(join(root, 'Garmin/GarminDevice.xml'), garminXml('Edge 840', serial));
  return { root, activities };
}
