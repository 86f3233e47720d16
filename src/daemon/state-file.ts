import { closeSync, readFileSync } from 'node:fs';
import { attempt } from '../base/errors.ts';
import { isObject, parseJson } from '../base/json.ts';
import { type PlainFile, openPlainFile } from '../system/plain-file.ts';
import { replaceFile } from '../system/storage.ts';
import { thisProcess } from '../system/this-process.ts';
import type { WatcherHealth } from './health.ts';

/** Who keeps a watcher running in the background. */
export const BACKGROUND_KINDS = ['daemon', 'systemd', 'launchd', 'windows-task'] as const;
export type BackgroundKind = (typeof BACKGROUND_KINDS)[number];
export type WatcherKind = 'terminal' | BackgroundKind;

export interface WatchScope {
  /** Absolute paths, as the user gave them. */
  readonly folders: readonly string[];
  /** Watches every known device that is plugged in, too. Absent: it does not. */
  readonly devices?: boolean;
}

interface WatcherEnd {
  /** ms since the epoch */
  readonly at: number;
  readonly exitCode: number;
  readonly message?: string;
}

/** What a watcher writes about itself. */
export interface WatcherState extends WatchScope {
  readonly version: 1;
  readonly profile: string;
  readonly kind: WatcherKind;
  /** Flags of `sync watch` for the same watcher, to start it again. */
  readonly passOn?: readonly string[];
  readonly pid: number;
  /** `processStart` of the pid; tells this process from a later one with the same number. */
  readonly processStart?: string;
  /** ms since the epoch */
  readonly startedAt: number;
  /** When the first rescan was complete; absent until then (ms since the epoch). */
  readonly readyAt?: number;
  /** Absent while the process runs, and after it was killed. */
  readonly ended?: WatcherEnd;
  /** Absent until the watcher knows its login. */
  readonly health?: WatcherHealth;
}

/** Replaces the state file. @throws system errors */
export function writeState(
  { stateFile }: { readonly stateFile: string },
  state: WatcherState,
  durable = true,
): void {
  replaceFile(stateFile, `${JSON.stringify(state)}\n`, { durable });
}

/**
 * Reads a state file of this user. Its pid and flags decide which process gets a signal and how a daemon
 * is started again, so a file of another user counts as missing.
 */
export function readStateText(file: string): string | undefined {
  let opened: PlainFile | undefined;
  try {
    opened = openPlainFile(file);
    const { userId } = thisProcess;
    if (userId !== undefined && opened.stats.uid !== userId) return undefined;
    return readFileSync(opened.descriptor, 'utf8');
  } catch {
    // Missing or unreadable: nothing is known, and no process is signalled.
    return undefined;
  } finally {
    if (opened !== undefined) closeSync(opened.descriptor);
  }
}

/** Reads the text of a state file. @returns undefined if it is missing, or not a watcher's state */
export function parseState(text: string | undefined): WatcherState | undefined {
  if (text === undefined) return undefined;
  const value = attempt(() => parseJson(text));
  return isState(value) ? value : undefined;
}

function isState(value: unknown): value is WatcherState {
  if (!isObject(value) || value['version'] !== 1) return false;
  const { profile, folders, kind, passOn = [], pid, startedAt, readyAt, ended, health } = value;
  const { processStart: start, devices } = value;
  return (
    typeof profile === 'string' &&
    [folders, passOn].every(isTexts) &&
    (devices === undefined || typeof devices === 'boolean') &&
    ['terminal', ...BACKGROUND_KINDS].some((known) => known === kind) &&
    Number.isSafeInteger(pid) &&
    (pid as number) > 1 &&
    (start === undefined || typeof start === 'string') &&
    isTime(startedAt) &&
    (readyAt === undefined || isTime(readyAt)) &&
    (ended === undefined || isEnd(ended)) &&
    (health === undefined || isHealth(health))
  );
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Returns whether a value is a time that a `Date` can hold (ms since the epoch). */
function isTime(value: unknown): boolean {
  return typeof value === 'number' && !Number.isNaN(new Date(value).getTime());
}

function isEnd(value: unknown): boolean {
  return (
    isObject(value) &&
    isTime(value['at']) &&
    typeof value['exitCode'] === 'number' &&
    (value['message'] === undefined || typeof value['message'] === 'string')
  );
}

function isHealth(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { updatedAt, folders, devices = [], queue, connection, login } = value;
  return (
    typeof updatedAt === 'string' &&
    [folders, devices].every((list) => Array.isArray(list) && list.every(isObject)) &&
    [queue, connection, login].every(isObject)
  );
}
