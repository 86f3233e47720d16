import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../api/wire.ts';
import { messageOf } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { checkZone } from '../base/zone-name.ts';
import { type Config, accountKey } from '../config/config.ts';
import { makeFolder, replaceFile } from '../system/storage.ts';
import type { AppContext } from './context.ts';

/*
 * The state folder keeps the time zone that the platform last named for each account, for `sync status`,
 * which sends no request.
 */

export interface PlatformZone {
  /** IANA zone name. */
  readonly name: string;
  /** When the platform named it (ISO 8601). */
  readonly seenAt: string;
}

/** Records the zone of the athlete's profile at the platform. If that fails, `sync status` cannot compare zones. */
export function rememberPlatformZone(
  { clock, trace }: Pick<AppContext, 'clock' | 'trace'>,
  config: Config,
  name: string,
): void {
  const { stateDir } = config.paths;
  const seenAt = new Date(clock.now()).toISOString();
  const key = accountKey(config, config.account);
  try {
    makeFolder(stateDir, 0o700);
    const all = { ...readAll(stateDir), [key]: { name, seenAt } };
    replaceFile(fileIn(stateDir), `${JSON.stringify(all)}\n`);
  } catch (error) {
    trace(`The platform's zone was not recorded: ${messageOf(error)}`);
  }
}

/** Returns the zone that the platform last named for this account, if this machine asked. */
export function lastPlatformZone(config: Config): PlatformZone | undefined {
  const found = readAll(config.paths.stateDir)[accountKey(config, config.account)];
  if (!isObject(found)) return undefined;
  const { name, seenAt } = found;
  return isZone(name) && typeof seenAt === 'string' ? { name, seenAt } : undefined;
}

/** Another release of the zone data may not have a zone that was recorded. */
function isZone(name: unknown): name is string {
  try {
    return typeof name === 'string' && checkZone(name) === name;
  } catch {
    return false;
  }
}

function fileIn(stateDir: string): string {
  return join(stateDir, 'platform-zones.json');
}

/** A missing or damaged file counts as empty. */
function readAll(stateDir: string): Record<string, unknown> {
  try {
    const all = parseJson(readFileSync(fileIn(stateDir), 'utf8'));
    return isObject(all) ? all : {};
  } catch {
    return {};
  }
}
