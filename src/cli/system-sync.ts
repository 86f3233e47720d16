import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { constants as osConstants } from 'node:os';
import { basename, delimiter, join, resolve } from 'node:path';
import { type System, createContext } from '../app/context.ts';
import { ExitCode, SyncError } from '../base/errors.ts';
import { absoluteFolders, childEnv } from '../system/environment.ts';
import { isExecutable, isOwnLauncher, realPath } from '../system/executables.ts';
import { type GlobalFlags, createOutput, errorText } from '../terminal/output.ts';
import { isActivityName } from '../inputs/recording-names.ts';
import { quietConfigFor } from '../app/config.ts';
import { type CommandLine, type Text, joinTexts, phrase, sync } from '../base/phrase.ts';
import { isLoggedIn } from '../config/config.ts';

/**
 * The variable that lists the programs already tried: the next `sync` on the PATH may be another copy
 * of this program, or a script that starts it.
 */
const TRIED = 'ATHLETE_SYNC_TRIED';

/**
 * Runs the next `sync` on the PATH; Windows has none, and needs none. At a terminal, the first of several
 * copies then says how this program is used.
 *
 * @param isAll no command runs afterwards
 */
export async function runSystemSync(
  args: readonly string[],
  system: System,
  isAll: boolean,
): Promise<ExitCode> {
  const tried = new Set((system.env[TRIED] ?? '').split(delimiter).filter((path) => path !== ''));
  const isFirst = tried.size === 0;
  tried.add(realPath(process.argv[1] ?? ''));
  const code = await flush(args, system, tried);
  if (isFirst && isAll) remark(args, system);
  return code;
}

async function flush(
  args: readonly string[],
  system: System,
  tried: ReadonlySet<string>,
): Promise<ExitCode> {
  if (system.platform === 'win32') return ExitCode.ok;
  const program = findSystemSync(system, tried);
  if (program === undefined) {
    createOutput(system.io, NO_FLAGS, system.clock).warn(
      "No disk was flushed: the PATH has no other `sync`, which is the system's own.",
    );
    return ExitCode.internal;
  }
  // Each step adds one program, so the search ends even if a program changes the PATH.
  const env = { ...system.env, [TRIED]: [...tried, realPath(program)].join(delimiter) };
  const child = spawn(program, args, { stdio: 'inherit', env: childEnv(env, 'no-secrets') });
  return await new Promise((done, fail) => {
    child.once('error', fail);
    child.once('exit', (code, signal) => {
      const ended = code ?? 128 + (signal === null ? 0 : osConstants.signals[signal]);
      done(ended as ExitCode);
    });
  });
}

/** A flag means the system's `sync` for certain, and gets no remark. */
function remark(args: readonly string[], system: System): void {
  const { io, cwd, clock } = system;
  if (args.length === 0) {
    if (io.stdoutIsTerminal) printWelcome(system);
  } else if (io.stderrIsTerminal && !args.some((word) => word.startsWith('-'))) {
    const command = sendingCommand(
      args.filter((path) => existsSync(resolve(cwd, path))),
      cwd,
    );
    if (command === undefined) return;
    const text = phrase`Nothing was sent: this only flushes the disk. To send: ${command}`;
    createOutput(io, NO_FLAGS, clock).say(text);
  }
}

const EXPORT = /\.(?:zip|(?:json|ndjson|jsonl|csv|tsv|xml)(?:\.gz)?)$/i;

/** Returns the command that sends what these paths hold, by names alone; undefined without such a name. */
export function sendingCommand(paths: readonly string[], cwd: string): CommandLine | undefined {
  const found = paths.map((path) => holds(resolve(cwd, path)));
  if (found.includes('export')) return sync('import', ...paths);
  return found.includes('recordings') ? sync('upload', ...paths) : undefined;
}

function holds(path: string): 'recordings' | 'export' | undefined {
  try {
    const names = statSync(path).isDirectory() ? readdirSync(path) : [basename(path)];
    if (names.some(isActivityName)) return 'recordings';
    return names.some((name) => EXPORT.test(name)) ? 'export' : undefined;
  } catch {
    // The system's `sync` has reported it.
    return undefined;
  }
}

const NO_FLAGS: GlobalFlags = { json: false, quiet: false, verbose: false };

function findSystemSync(
  { env, platform, programDir }: System,
  tried: ReadonlySet<string>,
): string | undefined {
  return absoluteFolders(env['PATH'] ?? '', platform)
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'sync'))
    .find(
      (path) =>
        isExecutable(path) && !isOwnLauncher(path, programDir) && !tried.has(realPath(path)),
    );
}

const ABOUT =
  'sync moves your recordings, wellness and nutrition to your training platform: once, on the right day.';

/** Prints what this program is, and the next command. Asks neither the keychain nor the service. */
function printWelcome(system: System): void {
  const flags = { ...NO_FLAGS, profile: system.env['SYNC_PROFILE'] || undefined };
  const context = createContext(system, flags);
  const text = joinTexts([ABOUT, nextStep(() => quietConfigFor(context), flags)], '\n\n');
  context.output.text(text);
}

function nextStep(load: () => ReturnType<typeof quietConfigFor>, flags: GlobalFlags): Text {
  try {
    const config = load();
    const { account } = config;
    if (!isLoggedIn(config)) {
      return phrase`Begin with ${sync('login')}. ${sync('--help')} lists all commands.`;
    }
    const name = account?.name ?? account?.email ?? account?.id;
    const who = name === undefined ? '' : `You are logged in as ${name}. `;
    return phrase`${who}${sync('status')} shows what was sent, ${sync('upload', 'FILE')} sends a recording. ${sync('--help')} lists all commands.`;
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    return errorText(error, flags);
  }
}
