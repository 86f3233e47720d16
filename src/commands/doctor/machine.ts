import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { uncheckedTls } from '../../api/open-http.ts';
import type { AppContext } from '../../app/context.ts';
import { leakingVariables } from '../../app/config.ts';
import { phrase, sync } from '../../base/phrase.ts';
import type { Config } from '../../config/config.ts';
import { isExecutable, isOwnLauncher } from '../../system/executables.ts';
import { thisProcess } from '../../system/this-process.ts';
import { runtimeZoneVersion } from '../../system/zoneinfo.ts';
import { type CheckResult, failed } from './finding.ts';

/** Enough inotify watches for large device folders and for other programs. */
const ENOUGH_WATCHES = 8_192;

export function checkNode({ version }: AppContext): CheckResult {
  const { nodePath, nodeVersion } = thisProcess;
  const zoneData = runtimeZoneVersion();
  const zones = zoneData === undefined ? '' : `, with zone data ${zoneData}`;
  const message = `sync ${version} on Node.js ${nodeVersion} (${nodePath})${zones}.`;
  return { check: 'node', state: 'good', message };
}

/** Finds variables of Node.js that give the login away. */
export function checkNodeVariables({ env }: AppContext, config: Config): CheckResult[] {
  const check = 'node';
  const unchecked = uncheckedTls(env);
  const encrypted = config.get('baseUrl')?.protocol !== 'http:';
  const leaks = leakingVariables(env).map((leak): CheckResult => ({
    check,
    state: 'odd',
    ...leak,
  }));
  return unchecked !== undefined && encrypted ? [failed(check, unchecked), ...leaks] : leaks;
}

export function checkWatches({ platform }: AppContext): CheckResult {
  const check = 'watch';
  if (platform !== 'linux') {
    const message = 'Folders can be watched (this system has no known limit).';
    return { check, state: 'good', message };
  }
  try {
    const limit = Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8'));
    return limit >= ENOUGH_WATCHES
      ? { check, state: 'good', message: `Up to ${limit} folders can be watched.` }
      : {
          check,
          state: 'odd',
          message: `Only ${limit} folders can be watched, by all programs together.`,
          hint: phrase`Raise it: \`sudo sysctl fs.inotify.max_user_watches=524288\`. ${sync('watch', '--poll')} needs none.`,
        };
  } catch {
    return {
      check,
      state: 'odd',
      message: 'This system does not report new files.',
      hint: phrase`Use ${sync('watch', '--poll')}.`,
    };
  }
}

/** Checks which `sync` a shell starts: this program, or the system's. */
export function checkName({ env, platform, programDir }: AppContext): CheckResult {
  const check = 'name';
  const first = (env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, platform === 'win32' ? 'sync.cmd' : 'sync'))
    .find(isExecutable);
  if (first === undefined || isOwnLauncher(first, programDir) || platform === 'win32') {
    return { check, state: 'good', message: '`sync` in a shell is this program.' };
  }
  return {
    check,
    state: 'odd',
    message: `\`sync\` in a shell is ${first}, not this program.`,
    hint: 'Type `athlete-sync` instead, or put the folder of this program first on the PATH.',
  };
}
