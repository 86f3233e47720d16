import { type Dirent, opendirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type CommandLine, type Text, phrase, sync } from '../base/phrase.ts';
import { isRecordingName, isSearchedFolder } from '../inputs/recording-names.ts';

/** What a path may hold, by its name or by the names in it. */
type NotSentKind = 'recording' | 'wellness' | 'nutrition' | 'export' | 'recordings' | 'device';

const MAX_ENTRIES = 500;
/** Levels of folders that are looked at: `Garmin/Activity/ride.fit`. */
const MAX_DEPTH = 3;
/** Paths that a command to type repeats; more become `...`. */
const MAX_PATHS = 3;

const EXPORT = /\.(?:zip|(?:json|ndjson|jsonl|csv|tsv|xml)(?:\.gz)?)$/i;
/** The folder of recordings on a device, and its parent folder. */
const DEVICE_FOLDER = /^activit(?:y|ies)$/i;
const DEVICE = /^garmin$/i;

/**
 * Returns a remark for a user who names recordings, exports or a device and expects an upload: the
 * system's `sync` sent nothing. Undefined if the paths look like none of these. Reads names only.
 */
export function notSent(paths: readonly string[], cwd: string): Text | undefined {
  const kinds = new Set<NotSentKind>();
  for (const path of paths) {
    const kind = kindOf(resolve(cwd, path));
    if (kind !== undefined) kinds.add(kind);
  }
  const [kind, ...others] = kinds;
  if (kind === undefined) return undefined;
  const way = wayOf(others.length === 0 ? kind : 'export', [
    ...paths.slice(0, MAX_PATHS),
    ...(paths.length > MAX_PATHS ? ['...'] : []),
  ]);
  return phrase`Nothing was sent: this only flushes the disk. ${way}`;
}

/** Returns whether a word was meant as a path: it has a separator, or ends as an input does. */
export function looksLikePath(word: string): boolean {
  return /[/\\]/.test(word) || kindOfFile(word) !== undefined;
}

function wayOf(kind: NotSentKind, paths: readonly string[]): Text {
  const them = paths.length === 1 ? 'it' : 'them';
  const sends = (command: CommandLine) => phrase`${command} sends ${them}.`;
  switch (kind) {
    case 'recording':
      return sends(sync('upload', ...paths));
    case 'wellness':
    case 'nutrition':
      return sends(sync('push', kind, ...paths));
    case 'export':
      return phrase`${sync('import', ...paths)} shows what can be sent, and sends it.`;
    case 'recordings':
      return phrase`${sync('upload', ...paths)} sends ${them}, ${sync('watch', ...paths)} sends new recordings, too.`;
    case 'device':
      return phrase`${sync('watch', ...paths)} sends ${them}, now and whenever it is connected.`;
  }
}

function kindOf(path: string): NotSentKind | undefined {
  try {
    return statSync(path).isDirectory() ? kindOfFolder(path) : kindOfFile(basename(path));
  } catch {
    return undefined;
  }
}

function kindOfFile(name: string): NotSentKind | undefined {
  if (isRecordingName(name)) return 'recording';
  if (!EXPORT.test(name)) return undefined;
  if (/\.zip$/i.test(name)) return 'export';
  if (/wellness/i.test(name)) return 'wellness';
  return /nutrition/i.test(name) ? 'nutrition' : 'export';
}

/** Looks at the first entries, level by level. A recording counts more than an export. */
function kindOfFolder(folder: string): NotSentKind | undefined {
  let left = MAX_ENTRIES;
  let hasExport = false;
  let level = [folder];
  if (isDeviceFolder(dirname(folder), basename(folder))) return 'device';
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    const below: string[] = [];
    for (const at of level) {
      for (const entry of firstEntries(at, left)) {
        left--;
        const { name } = entry;
        if (entry.isDirectory()) {
          if (isDeviceFolder(at, name)) return 'device';
          if (isSearchedFolder(name)) below.push(join(at, name));
        } else if (isRecordingName(name)) return 'recordings';
        else if (kindOfFile(name) !== undefined) hasExport = true;
      }
    }
    level = below;
  }
  return hasExport ? 'export' : undefined;
}

function isDeviceFolder(parent: string, name: string): boolean {
  return DEVICE_FOLDER.test(name) && DEVICE.test(basename(parent));
}

/** Returns none of a folder that cannot be read. */
function firstEntries(folder: string, limit: number): Dirent[] {
  const entries: Dirent[] = [];
  try {
    const dir = opendirSync(folder);
    try {
      while (entries.length < limit) {
        const entry = dir.readSync();
        if (entry === null) break;
        entries.push(entry);
      }
    } finally {
      dir.closeSync();
    }
  } catch {
    // The system's `sync` has reported it.
  }
  return entries;
}
