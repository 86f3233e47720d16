import type { Command, CommanderError } from 'commander';
import { SyncError } from '../base/errors.ts';
import { type CommandLine, type Text, phrase, sync } from '../base/phrase.ts';
import { SETTINGS } from '../config/settings.ts';
import { looksLikePath } from './not-sent.ts';
import { commandMeant } from './other-words.ts';

/** Returns the SyncError `USAGE` of a wrong command line. */
export function usageError(
  error: CommanderError,
  args: readonly string[],
  root: Command,
): SyncError {
  const words = args.filter((word) => !word.startsWith('-') && word !== 'help');
  const [name = '', subName = ''] = words;
  const parent = root.commands.find((command) => command.name() === name);
  const names = parent?.commands.map((command) => command.name()) ?? [];
  const path = names.includes(subName) ? [name, subName] : parent === undefined ? [] : [name];
  const { fault, guess } = faultOf(error, words, names);
  const unknown = /^Unknown command '(.*)'$/.exec(fault)?.[1];
  const help = sync(...path, '--help');
  if (unknown === undefined) {
    const guessed = guess === undefined ? '' : ` Did you mean ${guess}?`;
    return new SyncError('USAGE', `${fault}.${guessed}`, {
      hint: phrase`${settingsHint(fault, path)}See ${help}.`,
    });
  }
  if (parent === undefined && looksLikePath(unknown)) {
    return new SyncError('USAGE', `There is no file, folder or command ${unknown}.`, {
      hint: phrase`See ${help}.`,
    });
  }
  const meant = commandMeant(words) ?? (guess === undefined ? undefined : sync(...path, guess));
  return new SyncError('USAGE', `${fault}.`, { hint: phrase`${didYouMean(meant)}See ${help}.` });
}

/** Returns commander's message as a clause, and the word that it guesses. */
function faultOf(error: CommanderError, words: readonly string[], names: readonly string[]) {
  const [name = '', asked] = words;
  // Commander has no message for a command without its subcommand, or for help about an unknown one.
  const message =
    error.code !== 'commander.help'
      ? error.message.replace(/^error: /, '')
      : names.length > 0 && asked === undefined
        ? `${sync(name).render(undefined)} needs one of these: ${names.join(', ')}`
        : `unknown command '${names.length > 0 ? (asked ?? '') : name}'`;
  const [first = '', brackets = ''] = message.split('\n');
  const fault = `${first.charAt(0).toUpperCase()}${first.slice(1).replace(/\.$/, '')}`;
  // Commander's guess: "(Did you mean --name?)", "(Did you mean one of stop, status?)"
  return { fault, guess: /^\(Did you mean (?:one of )?([\w-]+)/.exec(brackets)?.[1] };
}

function didYouMean(command: CommandLine | undefined): Text {
  return command === undefined ? '' : phrase`Did you mean ${command}? `;
}

/** Returns the names of the settings, for a command that lacks one. */
function settingsHint(fault: string, [command]: readonly string[]): Text {
  const lacksKey = command === 'config' && fault.endsWith("'key'");
  return lacksKey ? phrase`Settings: ${Object.keys(SETTINGS).join(', ')}.\n  ` : '';
}
