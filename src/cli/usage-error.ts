import type { Command, CommanderError } from 'commander';
import { SyncError } from '../base/errors.ts';
import { joinTexts, phrase, sync } from '../base/phrase.ts';
import { capital } from '../terminal/words.ts';

/** Returns the SyncError `USAGE` of a wrong command line, with commander's words and its guess. */
export function usageError(
  error: CommanderError,
  args: readonly string[],
  root: Command,
): SyncError {
  const words = args.filter((word) => !word.startsWith('-') && word !== 'help');
  const { command, path, rest } = namedCommand(root, words);
  const help = sync(...path, '--help');
  const [unknown] = rest;
  if (unknown !== undefined && /[./\\]/.test(unknown) && command.commands.length > 0) {
    if (command === root) {
      const message = `There is no file, folder or command ${unknown}.`;
      return new SyncError('USAGE', message, { hint: phrase`See ${help}.` });
    }
    const meant = command.commands.map((kind) => phrase`${sync(...path, kind.name(), unknown)}`);
    const message = `${capital(path.join(' '))} needs a kind before ${unknown}.`;
    return new SyncError('USAGE', message, { hint: phrase`Run ${joinTexts(meant, ' or ')}.` });
  }
  // Commander has no message for a command without its subcommand, or for help about an unknown one.
  const message = error.code === 'commander.help' ? missing(command, path, unknown) : error.message;
  const [fault = '', guess] = message.replace(/^error: /, '').split('\n');
  // The guess stands in parentheses.
  const guessed = guess === undefined ? '' : `${guess.slice(1, -1)} `;
  return new SyncError('USAGE', `${capital(fault.replace(/\.$/, ''))}.`, {
    hint: phrase`${guessed}See ${help}.`,
  });
}

/** Follows the words of a command line to the command that they name. */
function namedCommand(root: Command, words: readonly string[]) {
  let command = root;
  let depth = 0;
  for (const word of words) {
    const named = command.commands.find((known) => known.name() === word);
    if (named === undefined) break;
    command = named;
    depth++;
  }
  return { command, path: words.slice(0, depth), rest: words.slice(depth) };
}

function missing(command: Command, path: readonly string[], unknown: string | undefined): string {
  if (unknown !== undefined) return `unknown command '${unknown}'`;
  if (path.length === 0) return 'no command is named';
  const names = command.commands.map((known) => known.name()).join(', ');
  return `${sync(...path).render(undefined)} needs one of these: ${names}`;
}
