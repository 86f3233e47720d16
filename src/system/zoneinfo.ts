import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export interface ZoneInfo {
  readonly folder: string;
  /** The release of the IANA time zone database, such as `2026f`. */
  readonly version: string;
  /** Returns a zone's file; undefined if there is none. Capitals in the name do not matter. */
  readonly read: (zone: string) => Uint8Array | undefined;
}

/** Where systems keep the files; Python's zoneinfo module looks in the same folders. */
const FOLDERS = [
  '/usr/share/zoneinfo',
  '/usr/lib/zoneinfo',
  '/usr/share/lib/zoneinfo',
  '/etc/zoneinfo',
];

/**
 * Finds the system's zone files.
 *
 * @param tzdir the variable `TZDIR`, by which the C library finds them on systems such as NixOS
 * @returns undefined if no folder states a release, as on Windows
 */
export function findZoneInfo(tzdir: string | undefined): ZoneInfo | undefined {
  const folders = tzdir === undefined || tzdir === '' ? FOLDERS : [tzdir];
  for (const folder of folders) {
    const version = versionOf(folder);
    if (version !== undefined) return { folder, version, read: (zone) => readZone(folder, zone) };
  }
  return undefined;
}

/** Returns the release of the IANA time zone database in the runtime, if it states one. */
export function runtimeZoneVersion(): string | undefined {
  return process.versions['tz'];
}

/** `tzdata.zi` begins with `# version 2026f`; macOS and the BSDs have `+VERSION`. */
function versionOf(folder: string): string | undefined {
  for (const file of ['tzdata.zi', '+VERSION']) {
    const text = readIfThere(join(folder, file))?.toString('latin1', 0, 100);
    const [, version] = /^(?:# version )?(\d{4}[a-z]+)\b/.exec(text ?? '') ?? [];
    if (version !== undefined) return version;
  }
  return undefined;
}

function readZone(folder: string, zone: string): Uint8Array | undefined {
  const path = zone.split('/').reduce<string | undefined>((parent, wanted) => {
    const entry = namesIn(parent).find((name) => name.toLowerCase() === wanted.toLowerCase());
    return parent === undefined || entry === undefined ? undefined : join(parent, entry);
  }, folder);
  return path === undefined ? undefined : readIfThere(path);
}

function namesIn(folder: string | undefined): readonly string[] {
  try {
    return folder === undefined ? [] : readdirSync(folder);
  } catch {
    return [];
  }
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
