/** What a service of the system's own is to run, for one profile. */
export interface ServiceDefinition {
  readonly profile: string;
  /** Absolute paths. */
  readonly folders: readonly string[];
  /** The program and all of its arguments; the first is an absolute path. */
  readonly command: readonly [string, ...string[]];
  /** Set for the service, beside what the system sets. Never a secret. */
  readonly env: Readonly<Record<string, string>>;
  /** Where what the runtime says on its way down goes, where the system keeps no journal. */
  readonly crashFile: string;
}

/** A line that says whose work a file is: only such files are replaced or deleted. */
export const MARK = 'Written by "sync daemon install"; "sync daemon uninstall" removes it.';

export function describe({ profile, folders }: ServiceDefinition): string {
  return `Uploads new recordings (sync, profile ${profile}): ${folders.join(', ')}`;
}
