/** A service of the operating system, for one profile. */
export interface ServiceDefinition {
  readonly profile: string;
  /** Absolute paths. */
  readonly folders: readonly string[];
  /** The program and all of its arguments; the first is an absolute path. */
  readonly command: readonly [string, ...string[]];
  /** Environment variables, besides the system's. Never a secret. */
  readonly env: Readonly<Record<string, string>>;
  /** Receives the output of a crashed runtime, if the system has no journal. */
  readonly crashFile: string;
}

/** Marks files of this program: only such files are replaced or deleted. */
export const MARK = 'Written by "sync daemon install"; "sync daemon uninstall" removes it.';

export function describe({ profile, folders }: ServiceDefinition): string {
  return `Uploads new recordings (sync, profile ${profile}): ${folders.join(', ')}`;
}
