/** The names under which this program is installed. A Debian package has the long one only. */
const PROGRAM_NAMES = ['sync', 'athlete-sync'] as const;

export type ProgramName = (typeof PROGRAM_NAMES)[number];

/**
 * Environment variable with the name that was typed: the launchers of standalone archives set it, and
 * this program sets it for its daemons and services.
 */
export const NAME_VARIABLE = 'ATHLETE_SYNC_NAME';

let current: ProgramName = 'sync';

/** Returns the name that the user typed, for hints and help. */
export function programName(): ProgramName {
  return current;
}

/** Sets the name for this process, once, before it prints. */
export function setProgramName(name: ProgramName): void {
  current = name;
}

/**
 * Returns the first candidate that is a name of this program, or else `sync`.
 *
 * @param candidates the name of the running script, then {@link NAME_VARIABLE}: a process that another
 *   copy of this program started inherits the variable
 */
export function chooseProgramName(...candidates: readonly (string | undefined)[]): ProgramName {
  return candidates.find(isProgramName) ?? 'sync';
}

function isProgramName(word: string | undefined): word is ProgramName {
  return PROGRAM_NAMES.some((name) => name === word);
}

/** Puts the typed name into the command lines of a text: examples, and commands in backticks. */
export function withProgramName(text: string): string {
  return text.replace(/(?<=^|`|\||\()( ?)sync (?=[a-z-])/g, `$1${current} `);
}
