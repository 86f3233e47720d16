import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { uncheckedTls } from '../../api/open-http.ts';
import type { AppContext } from '../../app/context.ts';
import { leakingVariables } from '../../app/config.ts';
import { platformZone, zoneToType } from '../../app/platform-zone.ts';
import { chooseZoneData, zoneFor } from '../../app/zone.ts';
import { readZone } from '../../app/zone-facts.ts';
import { readWatchers, silentFolders } from '../../app/watchers.ts';
import { REPLUG, silentText, stoppedText } from '../../app/words/watchers.ts';
import { phrase, sync } from '../../base/phrase.ts';
import { isUtc } from '../../base/zone-name.ts';
import type { Config } from '../../config/config.ts';
import { releasedBy } from '../../records/days/zones/newest.ts';
import { isExecutable, isOwnLauncher } from '../../system/executables.ts';
import { thisProcess } from '../../system/this-process.ts';
import { ago } from '../../terminal/words.ts';
import { type CheckResult, bad, failed, good, odd } from './finding.ts';
import { VERSION } from '../../base/version.ts';

/** Enough inotify watches for large device folders and for other programs. */
const ENOUGH_WATCHES = 8_192;

export function checkNode(): CheckResult {
  const { nodePath, nodeVersion, zoneData } = thisProcess;
  const zones = zoneData === undefined ? '' : `, with zone data ${zoneData}`;
  return good(`sync ${VERSION} on Node.js ${nodeVersion} (${nodePath})${zones}.`);
}

/** Finds variables of Node.js that give the login away. */
export function checkNodeVariables({ env }: AppContext, config: Config): CheckResult[] {
  const unchecked = uncheckedTls(env);
  const encrypted = config.get('baseUrl')?.protocol !== 'http:';
  const leaks = leakingVariables(env).map(({ message, hint }) => odd(message, hint));
  return unchecked !== undefined && encrypted ? [failed(unchecked), ...leaks] : leaks;
}

export function checkWatches({ platform }: AppContext): CheckResult {
  if (platform !== 'linux') return good('Folders can be watched (this system has no known limit).');
  try {
    const limit = Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8'));
    return limit >= ENOUGH_WATCHES
      ? good(`Up to ${limit} folders can be watched.`)
      : odd(
          `Only ${limit} folders can be watched, by all programs together.`,
          phrase`Raise it: \`sudo sysctl fs.inotify.max_user_watches=524288\`. ${sync('watch', '--poll')} needs none.`,
        );
  } catch {
    return odd('This system does not report new files.', phrase`Use ${sync('watch', '--poll')}.`);
  }
}

/** Finds watchers that are stopped, and watched folders that do not answer. */
export function checkSilence({ clock }: AppContext, config: Config): CheckResult[] {
  const now = clock.now();
  const facts = readWatchers(config, now);
  const stopped = facts.watching.filter((watcher) => watcher.stopped);
  return [
    ...stopped.map(({ pid, since }) =>
      bad(
        `The watcher that began ${ago(now - Date.parse(since))} sends nothing.`,
        stoppedText(pid),
      ),
    ),
    ...silentFolders(facts).map((folder) => bad(silentText(folder), REPLUG)),
  ];
}

/** Checks which `sync` a shell starts: this program, or the system's. */
export function checkName({ env, platform, programDir }: AppContext): CheckResult {
  const first = (env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, platform === 'win32' ? 'sync.cmd' : 'sync'))
    .find(isExecutable);
  if (first === undefined || isOwnLauncher(first, programDir) || platform === 'win32') {
    return good('`sync` in a shell is this program.');
  }
  return odd(
    `\`sync\` in a shell is ${first}, not this program.`,
    'Type `athlete-sync` instead, or put the folder of this program first on the PATH.',
  );
}

export async function checkZone(context: AppContext, config: Config): Promise<CheckResult> {
  const { name, from } = await zoneFor(config, context);
  if (from !== 'machine' || !isUtc(name)) return good(`Days are counted in ${name}.`);
  return odd(
    `Days are counted in ${name}, this machine's zone.`,
    phrase`If you live elsewhere, run ${sync('config', 'set', 'timezone', zoneToType(config))}.`,
  );
}

/** Reads the platform's zone, and reports it if its clocks differ from the zone in which days are counted. */
export async function checkPlatformZone(
  context: AppContext,
  config: Config,
): Promise<CheckResult[]> {
  const asked = await platformZone(context, config);
  const { days, platform, differs } = await readZone(context, config);
  if (asked === undefined || platform === undefined || !differs) return [];
  return [
    odd(
      `The platform has you in ${platform.name}, and days are counted in ${days.name}.`,
      phrase`If you live in ${platform.name}, run ${sync('config', 'set', 'timezone', platform.name)}.`,
    ),
  ];
}

const ZONE_DATA_FROM = {
  runtime: 'part of Node.js',
  shipped: 'shipped with sync',
} as const;

const YEAR_MS = 365 * 86_400_000;

/** Names the zone data that decides about days, and warns if it is more than a year old. */
export async function checkZoneData(context: AppContext): Promise<CheckResult> {
  const { version, origin } = await chooseZoneData();
  const name = `Zone data ${version}, ${ZONE_DATA_FROM[origin]}`;
  const age = context.clock.now() - Date.parse(releasedBy(version));
  if (age <= YEAR_MS) return good(`${name}.`);
  return odd(
    `${name}, is more than a year old: days and times are wrong wherever rules changed since.`,
    'Update sync or Node.js.',
  );
}
