import { type Command, Option } from 'commander';
import { type ExitCode, SyncError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import type { AppContext } from './context.ts';
import { DEFAULT_JOBS, MAX_JOBS } from '../base/parallel.ts';

/** A command: its flags, and its run function. One file in `commands/` exports each. */
export interface CommandModule {
  /**
   * Adds arguments and flags. The placeholder of a value, such as `<dir>`, is its kind, by which
   * completion scripts offer values.
   */
  readonly declare?: (command: Command) => void;
  /** Command lines for the help, perhaps with `# remark`. */
  readonly examples?: readonly string[];
  readonly sections?: readonly HelpSection[];
  /** Files of `docs/` that say more, such as `records.md`. */
  readonly documents?: readonly string[];
  /**
   * Runs the command. commander passes the positional arguments in the order of their declaration,
   * then an object with the flags; each command states their types.
   */
  readonly run: (context: AppContext, ...given: never[]) => Promise<ExitCode>;
}

/** Words with their meanings, such as the keys of the configuration. */
export interface HelpSection {
  readonly heading: string;
  readonly terms: Readonly<Record<string, string>>;
}

export class ChoiceOption extends Option {
  /** Each value with its meaning, for completion scripts. */
  readonly meanings: Readonly<Record<string, string>>;

  constructor(flags: string, about: string, meanings: Readonly<Record<string, string>>) {
    super(flags, about);
    this.meanings = meanings;
    this.choices(Object.keys(meanings));
  }
}

export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

export function dryRun(shows = 'the exact requests'): Option {
  return new Option('--dry-run', `show ${shows}, send nothing`);
}

/** Returns the flag for the zone in which dates are counted. */
export function zoneFlag(): Option {
  return new Option(
    '--tz <zone>',
    "time zone of dates, such as Europe/Berlin (default: the setting timezone, else this machine's)",
  );
}

/** Parses a flag's whole number. @throws SyncError `USAGE` that names the range */
export function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < least || number > most) {
    throw new SyncError('USAGE', `${flag} ${text}: not a whole number from ${least} to ${most}.`);
  }
  return number;
}

/** @param about what runs in parallel, such as `uploads at once` */
export function jobsFlag(about: string): Option {
  return new Option('--jobs <n>', `${about}, 1 to ${MAX_JOBS} (default: ${DEFAULT_JOBS})`);
}

export function sameRideFlag(): Option {
  return new Option(
    '--same-ride',
    'also send a ride that another recording, or workout, has already',
  );
}

/** Flags of the commands that send something. Each command declares some of them. */
export interface SendFlags {
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly jobs?: string;
}

/** Returns how a command sends. @throws SyncError `USAGE` */
export function sendOptions({ force = false, dryRun = false, jobs }: SendFlags) {
  const given = jobs ?? String(DEFAULT_JOBS);
  return { force, dryRun, jobs: wholeNumber('--jobs', given, 1, MAX_JOBS) };
}

export interface RecordingFlags extends SendFlags {
  readonly anyType?: boolean;
  readonly sameRide?: boolean;
}

/** Returns how a command sends recordings, by its flags and the settings. @throws SyncError `USAGE` */
export function recordingOptions(config: Config, flags: RecordingFlags) {
  const { anyType = false, sameRide = false } = flags;
  const ofRide = sameRide ? ('each' as const) : config.get('sameRide');
  return { ...sendOptions(flags), anyType, sameRide: ofRide };
}
