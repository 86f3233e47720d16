import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Env } from '../base/env.ts';
import { type Inheritance, childEnv } from './environment.ts';
import { inSystemFolder } from './executables.ts';
import { thisProcess } from './this-process.ts';

/** Time limit of a tool (ms). */
const TOOL_MS = 10_000;
/** An idle child ends after this time (ms). */
const IDLE_MS = 15_000;
/** Children that hang although they were killed. With this many, no other is started. */
const MAX_ABANDONED = 3;
/** Longest complaint that is kept (characters). */
const COMPLAINT = 2_000;

/**
 * A call of a child process that failed. `code` is `ETIMEDOUT` if there was no answer in time, `ECHILD` if the child
 * did not start, `EIO` if it ended; or the system's code of a call that the child made.
 */
export class ChildError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export interface ChildOptions {
  readonly childPath: string;
  readonly env: Env;
}

export interface ChildCall<Request extends object, Answer> {
  readonly request: Request;
  /** Takes an answer. @returns true for the last one, or the failure of the call */
  readonly take: (answer: Answer) => boolean | Error;
  /** Longest silence before the next answer (ms). */
  readonly silenceMs: () => number;
  /** A silent child continues alone. Absent: it is killed. */
  readonly continues?: () => boolean;
}

/**
 * Calls a child process of the program, with one request at a time. A call to a device, a mount or a keychain may
 * hang for ever, and only the end of its process ends it. So the program itself never makes one: it
 * kills the child, or leaves it behind.
 */
export class ChildCaller<Request extends object, Answer> {
  readonly #options: ChildOptions;
  readonly #abandoned = new Set<ChildProcess>();
  #child: { readonly running: ChildProcess; complaint: string } | undefined;
  /** Resolves when the last request in the queue ends. */
  #lastSlot: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  constructor(options: ChildOptions) {
    this.#options = options;
  }

  /**
   * Sends a request, after all earlier ones. A child that does not answer in full is left behind, and the next
   * request starts another one.
   *
   * @throws ChildError, or what `take` returns; the signal's reason if it is aborted
   */
  async ask(call: ChildCall<Request, Answer>, signal: AbortSignal): Promise<void> {
    const slot = this.#lastSlot.then(() => this.#askNow(call, signal));
    this.#lastSlot = slot.catch(() => undefined);
    await slot;
  }

  close(): void {
    clearTimeout(this.#idle);
    if (this.#child !== undefined) this.#abandon(this.#child.running);
  }

  /** Resolves when no killed child is left. One in the kernel's state D may stay for ever. */
  async ended(): Promise<void> {
    const left = [...this.#abandoned].map((child) => {
      child.ref();
      return new Promise((resolve) => child.once('exit', resolve));
    });
    await Promise.all(left);
  }

  async #askNow(
    { request, take, silenceMs, continues }: ChildCall<Request, Answer>,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    clearTimeout(this.#idle);
    const child = (this.#child ??= this.#start());
    const { running } = child;
    setReferenced(running, true);
    const listening = new AbortController();
    const outcome = { answered: false, continues: false };
    let silence: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const expectAnswer = () => {
          clearTimeout(silence);
          const limitMs = silenceMs();
          silence = setTimeout(() => {
            outcome.continues = continues?.() === true;
            reject(new ChildError('ETIMEDOUT', `no answer within ${limitMs} ms`));
          }, limitMs);
        };
        const onAnswer = (answer: Answer) => {
          expectAnswer();
          const end = take(answer);
          if (end === false) return;
          outcome.answered = true;
          if (end === true) resolve();
          else reject(end);
        };
        const onClose = (code: number | null, killedBy: string | null) => {
          const end = `the child process ended (${killedBy ?? `code ${String(code)}`})`;
          reject(new ChildError('EIO', `${end} ${child.complaint}`.trim()));
        };
        const onError = (cause: Error) =>
          reject(new ChildError('ECHILD', cause.message, { cause }));
        const onAbort = () => reject(signal.reason as Error);
        running.on('message', onAnswer).once('close', onClose).once('error', onError);
        signal.addEventListener('abort', onAbort, { signal: listening.signal });
        listening.signal.addEventListener('abort', () => {
          running.off('message', onAnswer).off('close', onClose).off('error', onError);
        });
        expectAnswer();
        // If the child already ended, its exit code says more than the broken channel.
        running.send(request, () => undefined);
      });
    } finally {
      clearTimeout(silence);
      listening.abort();
      if (outcome.answered) this.#rest(running);
      else this.#abandon(running, !outcome.continues);
    }
  }

  /** @throws ChildError if too many children hang already */
  #start(): { readonly running: ChildProcess; complaint: string } {
    if (this.#abandoned.size >= MAX_ABANDONED) {
      throw new ChildError('ETIMEDOUT', 'earlier calls still hang');
    }
    const { childPath, env } = this.#options;
    const running = spawn(thisProcess.nodePath, [childPath], {
      env: childEnv(env, 'session'),
      // Not in the user's folder, which may be on a device.
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
      // In another process group: Ctrl-C at the terminal reaches only the program, which decides.
      detached: true,
      windowsHide: true,
    });
    const child = { running, complaint: '' };
    // Without a listener, a failure to start between two requests would end the program.
    running.on('error', () => undefined);
    running.once('exit', () => {
      if (this.#child === child) this.#child = undefined;
    });
    running.stderr?.setEncoding('utf8').on('data', (text: string) => {
      child.complaint = (child.complaint + text).slice(0, COMPLAINT);
    });
    return child;
  }

  /** Keeps the child for the next request, for a while. It does not keep the program from ending. */
  #rest(child: ChildProcess): void {
    setReferenced(child, false);
    this.#idle = setTimeout(() => this.#abandon(child), IDLE_MS);
    this.#idle.unref();
  }

  /** Leaves a child behind, without waiting for its end: in the kernel's state D it ends with its call. */
  #abandon(child: ChildProcess, kill = true): void {
    if (this.#child?.running === child) this.#child = undefined;
    setReferenced(child, false);
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    if (kill) {
      this.#abandoned.add(child);
      child.once('exit', () => this.#abandoned.delete(child));
      child.kill('SIGKILL');
    }
    child.stderr?.destroy();
    if (child.connected) child.disconnect();
  }
}

/** Starts a tool of the system, and ignores its output and failures. */
export function startTool(
  [file, ...args]: readonly [string, ...string[]],
  env: Env,
  inheritance: Inheritance = 'session',
): void {
  const child = spawn(file, args, { stdio: 'ignore', env: childEnv(env, inheritance) });
  // Not spawn's own `timeout`: without such a program, that timer would keep this process for its time.
  const timer = setTimeout(() => child.kill(), TOOL_MS).unref();
  child.on('exit', () => clearTimeout(timer));
  child.on('error', () => clearTimeout(timer));
  child.unref();
}

/** Sets whether a child keeps the program from ending. */
function setReferenced(child: ChildProcess, referenced: boolean): void {
  const change = referenced ? 'ref' : 'unref';
  child[change]();
  child.channel?.[change]();
  (child.stderr as Socket | null)?.[change]();
}

/**
 * Sends a signal to a process that was started as the leader of a group (`detached`), and to all that it
 * started. Windows has no such signals: there, these processes end at once.
 */
export function endProcessGroup(
  pid: number,
  signal: NodeJS.Signals,
  env: Env,
  platform: NodeJS.Platform,
): void {
  if (platform === 'win32') {
    spawn(inSystemFolder('taskkill', env), ['/pid', String(pid), '/t', '/f'], {
      env: childEnv(env, 'session'),
      stdio: 'ignore',
      windowsHide: true,
    }).on('error', () => undefined);
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // All of its processes have ended.
  }
}
