import { spawnSync } from 'node:child_process';
import type { ServiceDefinition } from '../../../src/daemon/os-service/definition.ts';

/** Folders with everything in their names that some format takes for its own. */
export const ODD_FOLDERS = [
  '/home/ann/Garmin',
  '/home/ann/two words',
  '/home/ann/a "quoted" one',
  "/home/ann/it's",
  '/home/ann/100%',
  '/home/ann/%h %n %%',
  '/home/ann/$HOME ${HOME} $$',
  '/home/ann/back\\slash\\',
  '/home/ann/<tags> & more;',
  '/home/ann/Läufe 🏃 跑步',
  '/home/ann/`ls` ; # !',
  '/home/ann/-dash',
  '/home/ann/<![CDATA[ ]]> <!-- --',
] as const;

export function definitionOf(
  folders: readonly string[],
  changes: Partial<ServiceDefinition> = {},
): ServiceDefinition {
  return {
    profile: 'default',
    watches: folders.join(', '),
    command: ['/usr/bin/node', '/opt/sync/dist/main.cjs', 'watch', ...folders],
    env: { SYNC_STATE_DIR: '/home/ann/.local/state/athlete-sync' },
    crashFile: '/home/ann/crash.log',
    ...changes,
  };
}

/** Is there such a program on this machine? */
export function present(program: string): boolean {
  return spawnSync(program, ['--version']).error === undefined;
}

/** Returns the suffix of a test title if the program is missing. */
export function noteWithout(program: string): string {
  return present(program) ? '' : ` (skipped: no ${program} here)`;
}

/** Runs a Python program over `input`. @returns its output, parsed as JSON */
export function python(program: string, input: string | Buffer): unknown {
  const { status, stdout, stderr } = spawnSync('python3', ['-c', program], {
    input,
    encoding: 'utf8',
    env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
