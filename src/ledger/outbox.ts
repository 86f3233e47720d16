import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, systemCode } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { readPlainFile } from '../system/plain-file.ts';
import { type ProcessMark, markProcess } from '../system/processes.ts';
import { replaceFile, storageError } from '../system/storage.ts';
import type { Conversion } from '../tracks/convert.ts';

/** The file beside the bytes of a kept recording, with its {@link CopyLabel} as JSON. */
export const LABEL = 'copy.json';

/** Size of all copies above which the watcher and `sync status` name it (bytes). */
export const MANY_BYTES = 1_000_000_000;

export interface CopyLabel {
  /** The ledger's key of the account that it is kept for. */
  readonly account: string;
  readonly path: string;
  /** Of the recording, in bytes. */
  readonly size: number;
  /** When it was recorded, or the best estimate (ms since the epoch). */
  readonly recordedAt: number;
  /** Of a conversion: what it knows beside its FIT file. `richness`: the more, the earlier it is sent. */
  readonly track?: (Omit<Conversion, 'fit'> & { readonly richness: number }) | undefined;
}

/** A kept recording: the folder `outbox/HASH/OWNER`, with its bytes and their label. */
export interface Copy {
  readonly sha256: string;
  /** The process that sends it (system/processes.ts), alive or dead. */
  readonly owner: string;
  readonly folder: string;
  /** Undefined if it is missing or damaged. */
  readonly label: CopyLabel | undefined;
}

export function outboxFolder(stateDir: string): string {
  return join(stateDir, 'outbox');
}

/** Lists the copies, also unfinished ones. @throws SyncError `STORAGE` */
export function* copiesIn(stateDir: string, hashes?: readonly string[]): Generator<Copy> {
  const root = outboxFolder(stateDir);
  for (const sha256 of hashes ?? namesIn(root)) {
    for (const owner of namesIn(join(root, sha256))) {
      const folder = join(root, sha256, owner);
      const label = readLabel(folder);
      // Another process may have taken it over since the folder was read.
      if (label !== undefined || existsSync(folder)) yield { sha256, owner, folder, label };
    }
  }
}

/**
 * Counts the recordings that are kept for an account until they are delivered, and those that no
 * running process sends because they are another account's, or have no label.
 *
 * @throws SyncError `STORAGE`
 */
export function countKept(
  stateDir: string,
  account: string,
  isDelivered: (sha256: string, label: CopyLabel) => boolean = () => false,
): { readonly kept: number; readonly keptBytes: number; readonly keptForOthers: number } {
  const isAbandoned = abandonedFor(markProcess(stateDir));
  const copies = [...copiesIn(stateDir)];
  const own = copies.flatMap(({ sha256, label }) =>
    label?.account === account && !isDelivered(sha256, label) ? [label] : [],
  );
  const others = copies.filter(({ label }) => label?.account !== account);
  return {
    kept: own.length,
    keptBytes: own.reduce((sum, { size }) => sum + size, 0),
    keptForOthers: others.filter(({ owner }) => isAbandoned(owner)).length,
  };
}

/** Returns a check if an owner is dead: each is looked at once, however many copies it owns. */
export function abandonedFor(mark: ProcessMark): (owner: string) => boolean {
  const dead = new Map<string, boolean>();
  return (owner) => {
    const isDead = dead.get(owner) ?? mark.isAbandoned(owner, '');
    dead.set(owner, isDead);
    return isDead;
  };
}

/** Keeps the copies of one account for another, after both turned out to be the same. */
export function moveCopies(stateDir: string, from: string, to: string): void {
  if (from === to) return;
  for (const { folder, label } of copiesIn(stateDir)) {
    if (label?.account !== from) continue;
    try {
      replaceFile(join(folder, LABEL), JSON.stringify({ ...label, account: to }));
    } catch (cause) {
      // Delivered, or taken over by another process, which opens the ledger and does this, too.
      if (systemCode(cause) !== 'ENOENT') throw storageError(folder, cause, 'SYNC_STATE_DIR');
    }
  }
}

/** Returns the names in a folder; none if there is no such folder. @throws SyncError `STORAGE` */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(cause) ?? '')) return [];
    throw storageError(folder, cause, 'SYNC_STATE_DIR');
  }
}

/** Returns the label of a copy; undefined if it was not finished, or a disk fault damaged it. */
function readLabel(folder: string): CopyLabel | undefined {
  return attempt(() => {
    const label = parseJson(readPlainFile(join(folder, LABEL)).toString()) as CopyLabel;
    const { account, path, size, recordedAt, track = NO_TRACK } = label;
    const areTexts = [account, path, track.digest].every((field) => typeof field === 'string');
    const areNumbers = [size, recordedAt, track.richness].every(Number.isFinite);
    return areTexts && areNumbers ? label : undefined;
  });
}

const NO_TRACK = { digest: '', richness: 0 };
