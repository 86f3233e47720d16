import { join } from 'node:path';
import { RETRIES } from '../api/retry.ts';
import { SyncError, attempt, messageOf } from '../base/errors.ts';
import { checkZone } from '../base/zone-name.ts';
import { type Config, accountKey } from '../config/config.ts';
import { zoneRules } from '../records/days/zone.ts';
import { withConnection } from './connection.ts';
import type { AppContext } from './context.ts';
import { isObject } from '../base/json.ts';
import { readEntry, writeEntry } from '../system/state-entries.ts';

/** Time limit for the platform's answer (ms). */
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * Asks the platform for the athlete's time zone: `timezone` of the profile, which not every service has.
 * Records the answer for `sync status`.
 *
 * @returns undefined if the platform names no known zone, or does not answer
 */
export async function platformZone(
  context: AppContext,
  config: Config,
): Promise<string | undefined> {
  const limit = AbortSignal.any([context.signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
  try {
    const answer = await withConnection(
      context,
      config,
      { retry: RETRIES.none },
      async (connection) => {
        const client = await connection.client();
        return await client.readProfile(limit);
      },
    );
    const profile = isObject(answer) ? answer['profile'] : undefined;
    return noteZoneOf(profile, context, config);
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof SyncError) && !limit.aborted) throw error;
    return undefined;
  }
}

/**
 * Returns the zone in an athlete profile of the platform, and records it for `sync status`.
 *
 * @returns undefined if the profile names no known zone
 */
export function noteZoneOf(
  profile: unknown,
  context: AppContext,
  config: Config,
): string | undefined {
  const name = knownZone(isObject(profile) ? profile['timezone'] : undefined);
  if (name !== undefined) rememberPlatformZone(context, config, name);
  return name;
}

function knownZone(name: unknown): string | undefined {
  return typeof name === 'string' ? attempt(() => checkZone(name)) : undefined;
}

const WEEK_MS = 7 * 86_400_000;

/** Checks that two zones have the same clocks, from a year before `now` (ms) to a year after it. */
export function sameClocks(one: string, other: string, now: number): boolean {
  const weeks = Array.from({ length: 105 }, (_, index) => now + (index - 52) * WEEK_MS);
  const [a, b] = [zoneRules(one), zoneRules(other)];
  return weeks.every((at) => a.offsetAt(at) === b.offsetAt(at));
}

/*
 * The state folder keeps the time zone that the platform last named for each account, for `sync status`,
 * which sends no request.
 */

/** Records the zone of the athlete's profile at the platform. If that fails, `sync status` cannot compare zones. */
function rememberPlatformZone(
  { clock, trace }: Pick<AppContext, 'clock' | 'trace'>,
  config: Config,
  name: string,
): void {
  const seenAt = new Date(clock.now()).toISOString();
  try {
    writeEntry(fileOf(config), accountKey(config, config.account), { name, seenAt });
  } catch (error) {
    trace(`The platform's zone was not recorded: ${messageOf(error)}`);
  }
}

/** Returns the zone that the platform last named for this account, and when (ISO 8601); undefined before its first answer. */
export function lastPlatformZone(config: Config) {
  const found = readEntry(fileOf(config), accountKey(config, config.account));
  if (!isObject(found)) return undefined;
  const { seenAt } = found;
  // Another release of the zone data may not have a zone that was recorded.
  const name = knownZone(found['name']);
  return name !== undefined && typeof seenAt === 'string' ? { name, seenAt } : undefined;
}

/** Returns the zone for a hint about `timezone`: the platform's last known zone, or else an example. */
export function zoneToType(config: Config): string {
  const asked = config.get('baseUrl') === undefined ? undefined : lastPlatformZone(config);
  return asked?.name ?? 'Europe/Berlin';
}

function fileOf({ paths }: Config): string {
  return join(paths.stateDir, 'platform-zones.json');
}
