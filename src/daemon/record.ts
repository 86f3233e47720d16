import { readFileSync } from 'node:fs';
import { isHeld } from '../system/process-lock.ts';
import { isObject } from '../api/wire.ts';
import { replaceFile } from '../system/storage.ts';
import type { DaemonPlace } from './place.ts';
import { processStart } from './process-start.ts';

/** Who started a watcher that runs in the background. */
export const BACKGROUND_KINDS = ['daemon', 'systemd', 'launchd', 'windows-task'] as const;
export type BackgroundKind = (typeof BACKGROUND_KINDS)[number];

/** How a daemon ended. */
export interface DaemonEnd {
  /** ms since 1970 */
  readonly at: number;
  readonly exitCode: number;
  /** Why, where it was not asked to. */
  readonly message?: string;
}

/** What a daemon writes down about itself: the pid file, in words. */
export interface DaemonRecord {
  readonly profile: string;
  /** Absolute paths, as they were given. */
  readonly folders: readonly string[];
  readonly kind: BackgroundKind;
  /** Flags of `sync watch` that it was given, so that it can be started again as it was. */
  readonly passOn?: readonly string[];
  readonly pid: number;
  /** `processStart` of the pid: tells this process from a later one with the same number. */
  readonly processStart?: string;
  readonly version: string;
  /** ms since 1970 */
  readonly startedAt: number;
  /** Since when it truly watches; absent until then. ms since 1970 */
  readonly readyAt?: number;
  /** Absent while it runs, and after an end that left no time to write. */
  readonly ended?: DaemonEnd;
}

/** A daemon as it is found. */
export interface DaemonState {
  readonly place: DaemonPlace;
  /** Absent: never written, or not readable. */
  readonly record: DaemonRecord | undefined;
  /** Somebody holds its lock. */
  readonly running: boolean;
}

/**
 * Looks at a daemon from outside. The lock decides whether it runs: a record may be left over from
 * a process that was killed. The record is read before and after. For the moment between taking
 * the lock and writing the record it is still the one of the daemon before.
 *
 * @throws SyncError `STORAGE`
 */
export function inspectDaemon(place: DaemonPlace): DaemonState {
  let record = readRecord(place);
  for (;;) {
    const running = isRunning(place);
    const now = readRecord(place);
    if (JSON.stringify(now) === JSON.stringify(record)) return { place, record, running };
    record = now;
  }
}

/**
 * Checks whether the process that a record names still runs. One that gave its lock back and hangs
 * does; on Windows that cannot be told.
 */
export function isProcessThere(record: DaemonRecord, platform: NodeJS.Platform): boolean {
  const start = processStart(record.pid, platform);
  return start !== undefined && start === record.processStart;
}

/** @throws SyncError `STORAGE` */
export function isRunning(place: DaemonPlace): boolean {
  return isHeld(place.lockFile);
}

export function writeRecord(place: DaemonPlace, record: DaemonRecord): void {
  replaceFile(place.recordFile, `${JSON.stringify(record, null, 2)}\n`);
}

function readRecord(place: DaemonPlace): DaemonRecord | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(place.recordFile, 'utf8'));
    return isRecord(value) ? value : undefined;
  } catch {
    // Absent, or damaged: then nothing is known, and nothing is done to any process.
    return undefined;
  }
}

function isRecord(value: unknown): value is DaemonRecord {
  if (!isObject(value)) return false;
  const {
    profile,
    folders,
    kind,
    passOn = [],
    pid,
    processStart,
    version,
    startedAt,
    readyAt,
    ended,
  } = value;
  return (
    typeof profile === 'string' &&
    [folders, passOn].every(isTexts) &&
    BACKGROUND_KINDS.some((known) => known === kind) &&
    Number.isSafeInteger(pid) &&
    (pid as number) > 1 &&
    (processStart === undefined || typeof processStart === 'string') &&
    typeof version === 'string' &&
    typeof startedAt === 'number' &&
    (readyAt === undefined || typeof readyAt === 'number') &&
    (ended === undefined || isEnd(ended))
  );
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isEnd(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value['at'] === 'number' &&
    typeof value['exitCode'] === 'number' &&
    (value['message'] === undefined || typeof value['message'] === 'string')
  );
}
