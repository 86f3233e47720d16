import type { Context } from '../../base/context.ts';
import type { Env } from '../../base/env.ts';
import { phrase, sync } from '../../base/phrase.ts';
import { sanitize } from '../../base/printable.ts';
import type { CommandRun } from './runner.ts';

/** A service of the operating system, for one profile. */
export interface ServiceDefinition {
  readonly profile: string;
  /** What it watches, for its description. */
  readonly watches: string;
  /** Node, the script, and its arguments; the first two are absolute paths. */
  readonly command: readonly [string, string, ...string[]];
  /** Environment variables, besides the system's. Never a secret. */
  readonly env: Readonly<Record<string, string>>;
  /** Receives the output of a crashed runtime, if the system has no journal. */
  readonly crashFile: string;
}

/** Names the command that watches the same without a service. */
export const WITHOUT_SERVICE = phrase`${sync('watch', '--daemon')} with the same arguments`;

/** Marks files of this program: only such files are replaced or deleted. */
export const MARK = 'Written by "sync daemon install"; "sync daemon uninstall" removes it.';

/** Most characters of the folders' names in a description; managers show it on one line. */
const DESCRIBED = 200;

/**
 * Describes a service in one line. It never ends with a folder's name: a `\` at the end of a line of a
 * systemd unit would continue that line.
 */
export function describe({ profile, watches }: ServiceDefinition): string {
  const shown = sanitize(watches, DESCRIBED);
  return `Uploads new recordings from ${shown} (sync, profile ${profile})`;
}

export type ServiceKind = 'systemd' | 'launchd' | 'windows-task';

/** This machine and its user, as a service manager needs them. */
export interface ManagerOptions extends Pick<Context, 'clock' | 'signal'> {
  readonly platform: NodeJS.Platform;
  readonly env: Env;
  readonly homeDir: string;
  readonly stateDir: string;
  /** Of the user; undefined on Windows. */
  readonly uid: number | undefined;
  readonly run: CommandRun;
}
