import { type CommandLine, sync } from '../base/phrase.ts';

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
