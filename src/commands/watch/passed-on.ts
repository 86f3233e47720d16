import { Command } from 'commander';
import type { CommandModule } from '../../app/command.ts';

/** Flags that name the scope, which a daemon gets by itself, or that say how this process runs. */
const NOT_PASSED_ON: readonly string[] = ['devices', 'once', 'daemon', 'dryRun', 'background'];

type Value = boolean | string | readonly string[];

/** Returns the flags of `sync watch` for a daemon: those that a command declares, and that the user gave. */
export function passedOn({ declare }: CommandModule, given: object): string[] {
  const command = new Command();
  declare?.(command);
  const values = new Map(Object.entries(given) as [string, Value | undefined][]);
  return command.options
    .filter((option) => !NOT_PASSED_ON.includes(option.attributeName()))
    .flatMap((option) => {
      const value = values.get(option.attributeName()) ?? false;
      if (typeof value === 'boolean') return value ? [String(option.long)] : [];
      return [value].flat().flatMap((each) => [String(option.long), each]);
    });
}
