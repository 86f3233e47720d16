import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { uncheckedTls } from '../../api/open-http.ts';
import type { AppContext } from '../../app/context.ts';
import { leakingVariables } from '../../app/config.ts';
import { platformZone, sameClocks, zoneToType } from '../../app/platform-zone.ts';
import { zoneDataOf, zoneFor } from '../../app/zone.ts';
import { phrase, sync } from '../../base/phrase.ts';
import { isUtc } from '../../base/zone-name.ts';
import type { Config } from '../../config/config.ts';
import { releasedBy } from '../../records/days/zones/newest.ts';
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

export async function checkZone(context: AppContext, config: Config): Promise<CheckResult> {
  const check = 'zone';
  const { name, from } = await zoneFor(config, context);
  if (from !== 'machine' || !isUtc(name)) {
    return { check, state: 'good', message: `Days are counted in ${name}.` };
  }
  return {
    check,
    state: 'odd',
    message: `Days are counted in ${name}, this machine's zone.`,
    hint: phrase`If you live elsewhere, run ${sync('config', 'set', 'timezone', zoneToType(config))}.`,
  };
}

/** Reports a platform zone whose clocks differ from those of the zone that decides about days. */
export async function checkPlatformZone(
  context: AppContext,
  config: Config,
): Promise<CheckResult[]> {
  const theirs = await platformZone(context, config);
  if (theirs === undefined) return [];
  const { name } = await zoneFor(config, context).catch(() => ({ name: undefined }));
  if (name === undefined || sameClocks(theirs, name, context.clock.now())) return [];
  return [
    {
      check: 'zone',
      state: 'odd',
      message: `The platform has you in ${theirs}, and days are counted in ${name}.`,
      hint: phrase`If you live in ${theirs}, run ${sync('config', 'set', 'timezone', theirs)}.`,
    },
  ];
}

const ZONE_DATA_FROM = {
  runtime: 'part of Node.js',
  system: 'installed on this system',
  shipped: 'shipped with sync',
} as const;

const YEAR_MS = 365 * 86_400_000;

/** Names the zone data that decides about days, and warns if it is more than a year old. */
export async function checkZoneData(context: AppContext): Promise<CheckResult> {
  const check = 'zone-data';
  const { version, origin } = await zoneDataOf(context);
  const name = `Zone data ${version}, ${ZONE_DATA_FROM[origin]}`;
  const age = context.clock.now() - Date.parse(releasedBy(version));
  if (age <= YEAR_MS) return { check, state: 'good', message: `${name}.` };
  return {
    check,
    state: 'odd',
    message: `${name}, is more than a year old: days and times are wrong wherever rules changed since.`,
    hint: 'Update sync, Node.js or the time zone data of this system.',
  };
}
