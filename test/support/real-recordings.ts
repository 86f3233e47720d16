import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Recordings of real devices, which are not part of this project: they lie beside it on some
 * machines. A test that needs them is skipped elsewhere (`describe.skipIf(!realRecordings.present)`)
 * and puts {@link realRecordings.note} into its name, so that the skipping can be seen.
 */
const folder = fileURLToPath(new URL('../../../shared/fit/', import.meta.url));

export const realRecordings = {
  present: existsSync(folder),
  folder,
  note: existsSync(folder) ? '' : ' (skipped: no real recordings beside the project)',

  names(): string[] {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.fit'))
      .sort();
  },

  path(name: string): string {
    return folder + name;
  },

  read(name: string): Buffer {
    return readFileSync(folder + name);
  },
} as const;
