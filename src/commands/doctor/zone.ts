import type { AppContext } from '../../app/context.ts';
import { platformZone, sameClocks } from '../../app/platform-zone.ts';
import { zoneDataOf, zoneFor } from '../../app/zone.ts';
import { phrase, sync } from '../../base/phrase.ts';
import { isUtc } from '../../base/zone-name.ts';
import type { Config } from '../../config/config.ts';
import { releasedBy } from '../../records/days/zones/newest.ts';
import type { CheckResult } from './finding.ts';

/** Names the zone that decides about days. */
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
    hint: phrase`If you live elsewhere, run ${sync('config', 'set', 'timezone', 'Europe/Berlin')}.`,
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
