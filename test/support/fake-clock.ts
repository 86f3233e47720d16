import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from './program.ts';

/** Returns the library that changes what processes take for the time; undefined if there is none. */
function findLibrary(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const below = readdirSync('/usr/lib').map((name) => join('/usr/lib', name));
  return [...below, '/usr/lib64', '/usr/lib', '/usr/local/lib']
    .map((folder) => join(folder, 'faketime', 'libfaketimeMT.so.1'))
    .find((path) => existsSync(path));
}

const LIBRARY = findLibrary();

/** Why no clock can be changed here; undefined if one can. */
export function whyNoFakeClock(): string | undefined {
  return LIBRARY === undefined ? 'no libfaketime' : undefined;
}

/** The clock of the processes that are started with its variables. */
export interface FakeClock {
  readonly env: NodeJS.ProcessEnv;
  /** Steps the clock, also that of running processes. @param offsetSecs to the real time */
  set(offsetSecs: number): void;
}

/**
 * Makes a clock that differs from the real one. Only the time of day does: durations stay real, as if a
 * user or NTP set the clock. Times of files stay real, too.
 */
export function makeFakeClock({ dir }: Pick<Home, 'dir'>, name = 'clock'): FakeClock {
  const file = join(dir, name);
  const set = (offsetSecs: number) => {
    writeFileSync(file, `${offsetSecs < 0 ? '' : '+'}${String(offsetSecs)}\n`);
  };
  set(0);
  return {
    set,
    env: {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    },
  };
}
