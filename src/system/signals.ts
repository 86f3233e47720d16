import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { readFileSync } from 'node:fs';
import type { SignalName, WatchdogNews, WatchdogOrders } from './signal-watchdog.ts';
import { loadOs } from './this-process.ts';
import type { Env } from '../base/env.ts';
import { attempt } from '../base/errors.ts';

/** Longest time between a signal and the end of the process, in ms. */
const LIMIT_MS = 4_800;
/** Time for the process to end normally after its work (ms). */
const OVER_MS = 1_000;

const NAMES: readonly SignalName[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Commands that read or write files of the user's choice, on file systems that may hang. */
const READERS = [
  ...['upload', 'import', 'push', 'watch', 'seed'],
  ...['inspect', 'explain', 'repair', 'convert', 'sources'],
];

export interface SignalOptions {
  readonly args: readonly string[];
  readonly programDir: string;
  /** SIGHUP does not end this process: {@link isDetached}, {@link ignoresHangup}. */
  readonly isDetached: () => boolean;
  readonly ignoresHangup: () => boolean;
  /** Called for the first signal: the work is to end in good order. */
  readonly onSignal: () => void;
  readonly exit: () => void;
}

let hear = () => Promise.resolve();

/**
 * Resolves when this process handles signals ({@link SignalHandler}). Called before the first request, and by `upload` and
 * `import` before they read the first new file: its result may be a line.
 */
export async function hearSignals(): Promise<void> {
  await hear();
}

/**
 * Handles SIGINT, SIGTERM and SIGHUP. The process ends within 5 s of the first one, also if a file
 * system hangs: a thread of Node's pool that is stuck there would keep both an empty event loop and
 * `process.exit` waiting, so the process ends itself by the very signal.
 *
 * A signal that comes before the watchdog listens has its default effect: the process ends at once, also during the
 * search of a folder that hangs, and nothing was sent ({@link hearSignals}). Two kinds of processes start the watchdog at
 * once: children of a shell that ignores SIGHUP, and process 1 of a container, whose unhandled signals the kernel ignores.
 */
export class SignalHandler {
  readonly #options: SignalOptions;
  readonly #received = new Set<SignalName>();
  #watchdog: Worker | undefined;
  #starting: NodeJS.Immediate | undefined;

  constructor(options: SignalOptions) {
    this.#options = options;
    // Without a listener, Node opens a debugger for this signal, which every user of the machine can reach.
    process.on('SIGUSR1', () => undefined);
    if (process.platform === 'win32' || !mayHang(options.args)) {
      this.#listen();
      return;
    }
    this.#resetSignals();
    let watching: Promise<void> | undefined;
    hear = () => (watching ??= this.#startWatchdog());
    if (options.ignoresHangup() || process.pid === 1) void hear();
    // Not before the program first waits for something: a run with nothing to send ends earlier.
    else this.#starting = setImmediate(() => void hear());
  }

  /** The work is over, and its output written: nothing that still hangs keeps the process. */
  over(): void {
    clearImmediate(this.#starting);
    this.#watchdog?.unref();
    const [first = 'SIGKILL'] = this.#received;
    setInterval(() => {
      if (hasFileRequest() && isWritten()) void this.#raise(first);
    }, OVER_MS).unref();
  }

  /** Node's own handlers keep the kernel from ending a process that waits for a file system. */
  #resetSignals(): void {
    for (const name of NAMES) process.on(name, ignore).off(name, ignore);
  }

  #listen(): void {
    for (const name of NAMES) process.on(name, (received: SignalName) => this.#receive(received));
  }

  #receive(name: SignalName): void {
    const { isDetached, ignoresHangup, onSignal, exit } = this.#options;
    if (name === 'SIGHUP' && (isDetached() || ignoresHangup())) return;
    // A second one does not wait for a tidy end.
    if (this.#received.has(name)) {
      if (hasFileRequest()) void this.#raise(name);
      else exit();
      return;
    }
    if (this.#received.size === 0) setTimeout(() => void this.#raise(name), LIMIT_MS).unref();
    this.#received.add(name);
    onSignal();
  }

  async #raise(name: NodeJS.Signals): Promise<void> {
    // Without a listener, the signal ends the process.
    process.removeAllListeners(name);
    await this.#watchdog?.terminate();
    process.kill(process.pid, name);
    // Process 1 of a container is spared by signals that it does not handle.
    process.kill(process.pid, 'SIGKILL');
    this.#options.exit();
  }

  /** Starts the thread that listens in place of this one, which may be stuck. Resolves when one of them listens. */
  async #startWatchdog(): Promise<void> {
    const { isDetached, ignoresHangup } = this.#options;
    const orders: WatchdogOrders = {
      signals: NAMES.map((name) => [name, loadOs().constants.signals[name]] as const),
      harmless: isDetached() || ignoresHangup() ? ['SIGHUP'] : [],
      limitMs: LIMIT_MS,
    };
    const { Worker: Thread } = process.getBuiltinModule('node:worker_threads');
    const thread = new Thread(join(this.#options.programDir, 'signal-watchdog.cjs'), {
      workerData: orders,
      resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
    });
    this.#watchdog = thread;
    await new Promise<void>((resolve) => {
      const listenHere = () => {
        this.#listen();
        resolve();
      };
      thread.on('message', (news: WatchdogNews) => {
        if ('received' in news) this.#receive(news.received);
        else if ('listening' in news) resolve();
        else listenHere();
      });
      thread.on('error', listenHere);
    });
    thread.unref();
  }
}

function ignore(): void {}

function mayHang(args: readonly string[]): boolean {
  // `daemon stop` and the service managers kill a daemon that does not react. A watchdog would wake up all day.
  if (args.includes('--background')) return false;
  // A path in place of a command is looked at, too.
  return READERS.some((name) => args.includes(name)) || /[./]/.test(args[0] ?? '');
}

/** A thread of Node's pool works on a file, or hangs there. */
function hasFileRequest(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));
}

function isWritten(): boolean {
  return process.stdout.writableLength === 0 && process.stderr.writableLength === 0;
}

/**
 * Returns whether no stream is a terminal, so that a SIGHUP concerns a terminal that this run does not use (`nohup` from
 * a shell without a hint). It ends a daemon, a service and a container, as it ends others.
 */
export function isDetached(args: readonly string[], hasTerminal: () => boolean): boolean {
  return !args.includes('--background') && process.pid !== 1 && !hasTerminal();
}

/**
 * Returns whether the program should outlive its terminal (`nohup`, a script that ignores SIGHUP).
 *
 * Ignored signals stay ignored across `exec`, but Node resets them at its start and keeps no record.
 * Two hints remain: the shell's command in `_` (bash, zsh, ksh), and on Linux the signals that the
 * parent ignores.
 *
 * @param parent process id; 1 has adopted an orphan and tells nothing
 */
export function ignoresHangup(env: Env, platform: NodeJS.Platform, parent: number): boolean {
  if (/(?:^|\/)nohup$/.test(env['_'] ?? '')) return true;
  if (platform !== 'linux' || parent <= 1) return false;
  // The parent may be gone, and there may be no /proc.
  const status = attempt(() => readFileSync(`/proc/${parent}/status`, 'latin1')) ?? '';
  // proc(5): a hexadecimal mask; its last bit is signal 1, SIGHUP.
  const mask = /^SigIgn:\s*[0-9a-f]*([0-9a-f])$/m.exec(status)?.[1];
  return mask !== undefined && (Number.parseInt(mask, 16) & 1) === 1;
}
