import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command, CommanderError } from 'commander';
import { SyncError } from '../base/errors.ts';
import { joinTexts, phrase, sync } from '../base/phrase.ts';
import { mostSimilar } from '../base/similar.ts';
import { capital } from '../terminal/words.ts';
import { sendingCommand } from './system-sync.ts';

/** Returns the SyncError `USAGE` of a wrong command line, with commander's words if they are clear. */
export function usageError(
  error: CommanderError,
  args: readonly string[],
  root: Command,
  cwd: string,
): SyncError {
  const words = args.filter((word) => !word.startsWith('-') && word !== 'help');
  const { command, path, rest } = namedCommand(root, words);
  const help = sync(...path, '--help');
  const [unknown] = rest;
  const [group] = path;
  const exists = (name: string) => name !== '' && existsSync(resolve(cwd, name));
  const isPath = (name: string) => exists(name) || /[./\\]|^\d{4}-/.test(name);
  if (unknown !== undefined && isPath(unknown) && command.commands.length > 0) {
    if (command === root) {
      const message = exists(unknown)
        ? `A command is missing before ${unknown}.`
        : `There is no file, folder or command ${unknown}.`;
      const sending = exists(unknown) ? sendingCommand(args, cwd) : undefined;
      const hint = sending === undefined ? phrase`See ${help}.` : phrase`To send it: ${sending}.`;
      return new SyncError('USAGE', message, { hint });
    }
    if (group === 'push' || group === 'undo') {
      const kinds = command.commands.map((kind) => kind.name());
      // The other kinds of undo take days alone.
      const fitting = group === 'undo' && exists(unknown) ? ['upload'] : kinds;
      const meant = fitting.map((kind) => phrase`${sync(group, kind, unknown)}`);
      const message = `${capital(group)} needs a kind before ${unknown}.`;
      return new SyncError('USAGE', message, { hint: phrase`Run ${joinTexts(meant, ' or ')}.` });
    }
  }
  // Commander names the word behind flags; for help, it names none.
  const wrong = /^error: unknown command '(.*)'/.exec(error.message)?.[1];
  const asked = error.code === 'commander.help' ? unknown : wrong;
  if (asked !== undefined) return unknownCommand(asked, command, path);
  const [fault = '', guess] = messageOf(error, command, path)
    .replace(/^error: /, '')
    .split('\n');
  // The guess stands in parentheses.
  const guessed = guess === undefined ? '' : `${guess.slice(1, -1)} `;
  const option = /^unknown option '(.*)'/.exec(fault)?.[1];
  const isFile = option !== undefined && exists(option);
  const file = isFile ? phrase`For the file, write ${sync(...path, `./${option}`)}. ` : '';
  return new SyncError('USAGE', `${capital(fault.replace(/\.$/, ''))}.`, {
    hint: phrase`${file}${guessed}See ${help}.`,
  });
}

function unknownCommand(word: string, group: Command, path: readonly string[]): SyncError {
  const names = group.commands.map((known) => known.name());
  // `seed`, which is more similar, would fill the account with invented data.
  const isSend = word === 'send' && path.length === 0;
  const meant = isSend ? 'upload' : mostSimilar(word, names);
  const known = path.length > 0 ? phrase`${sync(...path)} takes ${names.join(', ')}. ` : '';
  return new SyncError('USAGE', `Unknown command '${word}'.`, {
    hint: phrase`${meant === undefined ? known : `Did you mean ${meant}? `}See ${sync(...path, '--help')}.`,
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

function messageOf(error: CommanderError, command: Command, path: readonly string[]): string {
  switch (error.code) {
    case 'commander.excessArguments': {
      const extra = command.args.slice(command.registeredArguments.length);
      return `too many arguments for '${path.join(' ')}': ${extra.join(' ')}`;
    }
    // Commander has no message for a command without its subcommand.
    case 'commander.help': {
      if (path.length === 0) return 'no command is named';
      const names = command.commands.map((known) => known.name()).join(', ');
      return `${sync(...path).render(undefined)} needs one of these: ${names}`;
    }
    default:
      return error.message;
  }
}
