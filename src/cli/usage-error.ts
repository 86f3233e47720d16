import type { Command, CommanderError } from 'commander';
import { documentUrl } from '../base/documents.ts';
import { SyncError } from '../base/errors.ts';
import { type CommandLine, type Text, phrase, sync } from '../base/phrase.ts';
import { SETTINGS } from '../config/settings.ts';
import { looksLikePath } from './not-sent.ts';
import { capital } from '../terminal/words.ts';

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
  const answer = Object.hasOwn(ANSWERS, name) ? ANSWERS[name] : undefined;
  if (answer !== undefined) return new SyncError('USAGE', `${fault}.`, { hint: answer });
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
        : name === ''
          ? 'no command is named'
          : `unknown command '${names.length > 0 ? (asked ?? '') : name}'`;
  const [first = '', brackets = ''] = message.split('\n');
  const fault = capital(first.replace(/\.$/, ''));
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

const UPDATE = `To update, repeat the installation: ${documentUrl('install.md')}`;
const SENDS_ONLY = phrase`This program only sends. ${sync('workouts')} lists what the platform has.`;
const TAKE_BACK = phrase`${sync('undo', 'upload', 'FILE')} and ${sync('undo', 'nutrition', 'DATE')} take back what was sent from here.`;

/** What to do instead of a command of other programs that has no counterpart here. */
const ANSWERS: Readonly<Record<string, Text>> = {
  delete: TAKE_BACK,
  download: SENDS_ONLY,
  pull: SENDS_ONLY,
  remove: TAKE_BACK,
  update: UPDATE,
  upgrade: UPDATE,
};

/** Commands of other programs, and this program's command for each. Entries beat commander's guess. */
export const OTHER_WORDS: Readonly<Record<string, CommandLine>> = {
  account: sync('status'),
  accounts: sync('status', '--all-profiles'),
  auth: sync('login'),
  'auth login': sync('login'),
  'auth logout': sync('logout'),
  'auth status': sync('status'),
  'auth token': sync('token'),
  'config edit': sync('config', 'path'),
  'config show': sync('config', 'list'),
  'daemon list': sync('daemon', 'status'),
  'daemon restart': sync('watch', 'FOLDER', '--daemon'),
  'daemon start': sync('watch', 'FOLDER', '--daemon'),
  history: sync('workouts'),
  init: sync('login'),
  install: sync('daemon', 'install', 'FOLDER'),
  list: sync('workouts'),
  log: sync('daemon', 'logs'),
  logs: sync('daemon', 'logs'),
  ls: sync('workouts'),
  me: sync('status'),
  profiles: sync('status', '--all-profiles'),
  send: sync('upload', 'FILE'),
  settings: sync('config', 'list'),
  setup: sync('login'),
  signin: sync('login'),
  signout: sync('logout'),
  start: sync('watch', 'FOLDER', '--daemon'),
  stop: sync('daemon', 'stop'),
  uninstall: sync('daemon', 'uninstall'),
  version: sync('--version'),
  whoami: sync('status'),
};

/** Returns the command that a user of other programs means; undefined if no entry names it. */
export function commandMeant(words: readonly string[]): CommandLine | undefined {
  const [first = '', second] = words;
  const pair = `${first} ${second ?? ''}`;
  const key = [pair, first].find((each) => Object.hasOwn(OTHER_WORDS, each));
  return key === undefined ? undefined : OTHER_WORDS[key];
}
