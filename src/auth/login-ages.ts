import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Text, joinTexts, phrase, sync } from '../base/phrase.ts';
import { parseJson } from '../base/json.ts';
import { makeFolder, replaceFile } from '../system/storage.ts';

/*
 * Some services end a login a fixed time after it was made, without announcing it. The state folder
 * keeps the ages that logins reached at each service, to warn before the next one ends.
 */

/** A login that the service ended. Times are ms since 1970. */
export interface EndedLogin {
  readonly beganAt: number;
  /** When the end was noticed: the login may have ended earlier. */
  readonly endedAt: number;
}

interface ServiceAges {
  /** The greatest age at which a login was seen to work, in ms. */
  readonly longestMs: number;
  readonly ended: readonly EndedLogin[];
}

/** Number of ended logins kept for each service. */
const REMEMBERED = 10;
/** A login that ended at a younger age (ms) was ended by a person, not by a time limit. */
const LEAST_LIMIT_MS = 24 * 3_600_000;
/** A login in use is recorded this often, in ms. */
const RECORD_EVERY_MS = 6 * 3_600_000;
/**
 * A login that probably ends within this time is warned about (ms), or within a share of its life.
 */
const SOON_MS = 7 * 86_400_000;
const SOON_SHARE = 0.2;

/** Records that a login worked at this age (ms). @throws what the disk throws */
export function recordAlive(stateDir: string, service: string, ageMs: number): void {
  const { longestMs, ended } = agesOf(stateDir, service);
  if (ageMs > longestMs + RECORD_EVERY_MS) write(stateDir, service, { longestMs: ageMs, ended });
}

/** Records that the service ended a login. @throws what the disk throws */
export function recordEnd(stateDir: string, service: string, login: EndedLogin): void {
  const { longestMs, ended } = agesOf(stateDir, service);
  write(stateDir, service, { longestMs, ended: [...ended, login].slice(-REMEMBERED) });
}

/** A login that is about as old as earlier ones were when the service ended them. */
export interface AgeWarning {
  readonly ageMs: number;
  /** The age at which an earlier login had ended. */
  readonly endedAfterMs: number;
}

/**
 * Warns of a login that may end soon. An end that another login outlived was a decision, not a
 * time limit: it does not count.
 *
 * @param beganAt ms since 1970
 */
export function ageWarning(
  where: { readonly stateDir: string; readonly service: string },
  beganAt: number,
  now: number,
): AgeWarning | undefined {
  const { longestMs, ended } = agesOf(where.stateDir, where.service);
  const limits = ended
    .map((login) => login.endedAt - login.beganAt)
    .filter((limit) => limit > longestMs && limit >= LEAST_LIMIT_MS);
  if (limits.length === 0) return undefined;
  const endedAfterMs = Math.min(...limits);
  const ageMs = now - beganAt;
  const soon = Math.min(SOON_MS, endedAfterMs * SOON_SHARE);
  return ageMs >= endedAfterMs - soon ? { ageMs, endedAfterMs } : undefined;
}

/** Returns the warning in words. */
export function ageText({ ageMs, endedAfterMs }: AgeWarning): Text {
  return joinTexts(
    [
      `An earlier login at this service ended after ${span(endedAfterMs)};`,
      phrase`this one is ${span(ageMs)} old: run ${sync('login')} soon.`,
    ],
    ' ',
  );
}

function span(ms: number): string {
  const hours = Math.round(ms / 3_600_000);
  return hours >= 48 ? `${Math.round(hours / 24)} days` : `${hours} h`;
}

function fileOf(stateDir: string): string {
  return join(stateDir, 'login-ages.json');
}

function agesOf(stateDir: string, service: string): ServiceAges {
  return readAll(stateDir).get(service) ?? { longestMs: 0, ended: [] };
}

/** A missing or damaged file counts as empty: losing it costs only a warning. */
function readAll(stateDir: string): Map<string, ServiceAges> {
  try {
    const entries = parseJson(readFileSync(fileOf(stateDir), 'utf8')) as Record<string, unknown>;
    return new Map(
      Object.entries(entries).flatMap(([service, value]) =>
        isAges(value) ? [[service, value]] : [],
      ),
    );
  } catch {
    return new Map();
  }
}

function isAges(value: unknown): value is ServiceAges {
  if (typeof value !== 'object' || value === null) return false;
  const { longestMs, ended } = value as Record<string, unknown>;
  const isLogin = (login: unknown) => {
    if (typeof login !== 'object' || login === null) return false;
    const { beganAt, endedAt } = login as Record<string, unknown>;
    return typeof beganAt === 'number' && typeof endedAt === 'number';
  };
  return typeof longestMs === 'number' && Array.isArray(ended) && ended.every(isLogin);
}

function write(stateDir: string, service: string, ages: ServiceAges): void {
  makeFolder(stateDir, 0o700);
  const all = Object.fromEntries(readAll(stateDir).set(service, ages));
  replaceFile(fileOf(stateDir), `${JSON.stringify(all)}\n`);
}
