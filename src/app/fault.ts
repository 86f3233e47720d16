import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SyncError, isAbort, messageOf, systemCode } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { SECRET_VARIABLES } from '../base/env.ts';
import { sanitize } from '../base/printable.ts';
import { REDACTED, Secret, withoutAny } from '../base/secret.ts';
import { DAMAGED, INSTALL_AGAIN, ISSUES_URL, VERSION } from '../base/version.ts';
import { findPaths } from '../config/paths.ts';
import { makeFolder, replaceFile, storageError } from '../system/storage.ts';
import { thisProcess } from '../system/this-process.ts';
import type { System } from './context.ts';

export type FaultSystem = Pick<System, 'clock' | 'env' | 'homeDir' | 'platform'>;

/** Most traces that are kept; an older one is deleted. */
const MAX_TRACES = 10;
/** Most lines of one error's stack in a trace. */
const MAX_LINES = 40;
/** Longest line of a trace, in characters. */
const MAX_LINE = 300;
/** Longest chain of causes in a trace. */
const MAX_CAUSES = 5;

/** Faults that were reported: a repeated fault has one trace. */
const reported = new WeakMap<object, SyncError>();

/**
 * Returns what the user is shown for any thrown value. A fault of the program becomes a SyncError
 * `INTERNAL`: its message is one line, and its trace a file below the state folder, without secrets.
 */
export function toSyncError(error: unknown, system: FaultSystem): SyncError {
  if (error instanceof SyncError) return error;
  if (isAbort(error)) return new SyncError('INTERRUPTED', 'Interrupted.');
  const key = typeof error === 'object' && error !== null ? error : {};
  const known = reported.get(key) ?? faultOf(error, system);
  reported.set(key, known);
  return known;
}

function faultOf(error: unknown, system: FaultSystem): SyncError {
  if (systemCode(error) === 'MODULE_NOT_FOUND') {
    // The files that asked for the module follow.
    const [reason = ''] = messageOf(error).split('\n');
    const missing = `${DAMAGED}: ${reason}.`;
    return new SyncError('INTERNAL', missing, { cause: error, hint: INSTALL_AGAIN });
  }
  const what = cleaner(system)(messageOf(error)).replace(/\.$/, '');
  const kind = error instanceof Error ? error.name : typeof error;
  const message = `This is a fault of sync itself: ${what || kind}.`;
  try {
    const path = writeTrace(error, system);
    return new SyncError('INTERNAL', message, {
      cause: error,
      hint: phrase`Its trace is in ${path}. Please report it at ${ISSUES_URL}.`,
      details: { trace: path },
    });
  } catch (failure) {
    return new SyncError('INTERNAL', message, {
      cause: error,
      hint: phrase`Its trace could not be written: ${messageOf(failure)} Please report it at ${ISSUES_URL}.`,
    });
  }
}

/** Writes a trace that only its owner can read. @returns its path @throws SyncError */
function writeTrace(error: unknown, system: FaultSystem): string {
  const { clock, env, platform, homeDir } = system;
  const folder = join(findPaths(env, platform, homeDir).stateDir, 'faults');
  const time = new Date(clock.now()).toISOString();
  const path = join(folder, `${time.replaceAll(':', '-')}-${thisProcess.pid}.log`);
  const head = `sync ${VERSION}, Node.js ${thisProcess.nodeVersion}, ${platform} ${thisProcess.arch}, ${time}`;
  const clean = cleaner(system);
  const lines = [head, ...causesOf(error).flatMap((each) => stackOf(each, clean))];
  try {
    makeFolder(folder, 0o700);
    replaceFile(path, `${lines.join('\n')}\n`, { durable: false });
    const traces = readdirSync(folder).filter((name) => name.endsWith('.log'));
    for (const old of traces.sort().slice(0, -MAX_TRACES)) {
      rmSync(join(folder, old), { force: true });
    }
  } catch (cause) {
    throw storageError(folder, cause);
  }
  return path;
}

/** Returns an error and its causes, outermost first. */
function causesOf(error: unknown): unknown[] {
  const found: unknown[] = [];
  for (let each = error; each !== undefined && found.length < MAX_CAUSES;) {
    found.push(each);
    each = each instanceof Error ? each.cause : undefined;
  }
  return found;
}

function stackOf(error: unknown, clean: (text: string) => string): string[] {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return stack.split('\n').slice(0, MAX_LINES).map(clean);
}

/**
 * Returns a function that makes a line safe to pass on: short, and without the user's secrets, without
 * anything that looks like a token, and without the name of the home folder.
 */
function cleaner({ env, homeDir }: FaultSystem): (text: string) => string {
  const secrets = SECRET_VARIABLES.flatMap((name) => {
    const value = env[name]?.trim() ?? '';
    return value === '' ? [] : [new Secret(value)];
  });
  return (text) => {
    // The search takes quadratic time.
    const start = text.slice(0, 10 * MAX_LINE);
    const hidden = withoutAny(secrets, start).replace(TOKEN, REDACTED);
    const short = sanitize(hidden, MAX_LINE);
    return homeDir.length > 1 ? short.replaceAll(homeDir, '~') : short;
  };
}

/** Matches a long word of letters and digits, and the value of a field that carries a secret. */
const TOKEN =
  /\b(?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{32,}|(?<=\b(?:\w*token|\w*secret|code|code_verifier|password)["']?\s*[:=]\s*["']?)[^\s"',&}]+/gi;
