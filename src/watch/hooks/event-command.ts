import { type ChildProcess, spawn } from 'node:child_process';
import type { Context } from '../../base/context.ts';
import type { Env } from '../../base/env.ts';
import { messageOf } from '../../base/errors.ts';
import { within } from '../../base/tasks.ts';
import { endProcessGroup } from '../../system/child-call.ts';
import { childEnv } from '../../system/environment.ts';

/** Time limit of one run (ms). */
const LIMIT_MS = 60_000;
/** Time for the events that wait when the watcher ends (ms). */
const GRACE_MS = 1_000;
/** Time between SIGTERM and SIGKILL (ms). */
const KILL_MS = 300;
/** Time for the output of a command that has ended: a program that it left running may hold it open (ms). */
const OUTPUT_MS = 300;
/** Most events that wait for the command; the oldest make room. */
const MAX_WAITING = 1_000;
/** Most characters of one run's output that are logged. */
const MAX_OUTPUT = 4_000;

export interface EventCommandOptions {
  /** The user's own text, for their shell. No other text becomes part of it. */
  readonly command: string;
  readonly cwd: string;
  readonly env: Env;
  readonly platform: NodeJS.Platform;
  /** Logs what a run wrote, without the last line break. */
  readonly onOutput: (text: string) => void;
  readonly onFailure: (message: string) => void;
}

/**
 * Runs the user's command for each event, one run at a time, with the event on its stdin. `sh -c`
 * reads the command on Unix, and `cmd` on Windows, as for git's aliases and mbsync's `PassCmd`: pipes,
 * quotes and `~` mean what they mean in a terminal.
 *
 * A failure is reported once, until a run succeeds.
 */
export class EventCommand {
  readonly #clock: Context['clock'];
  readonly #options: EventCommandOptions;
  readonly #waiting: string[] = [];
  readonly #ended = new AbortController();
  #work: Promise<void> | undefined;
  #closed = false;
  /** The last run failed, and that was reported. */
  #failing = false;
  /** The output of the last run, if that failed. */
  #complaint: string | undefined;
  /** Events were left out since the queue was empty, and that was reported. */
  #overflowed = false;

  constructor({ clock }: Pick<Context, 'clock'>, options: EventCommandOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  /** Queues an event. @param line one line of JSON, without a line break */
  pass(line: string): void {
    if (this.#closed) return;
    if (this.#waiting.push(line) > MAX_WAITING) {
      this.#waiting.shift();
      if (!this.#overflowed) {
        this.#options.onFailure(
          `The command of onEvent is slow: ${MAX_WAITING} events wait for it. The oldest are left out.`,
        );
      }
      this.#overflowed = true;
    }
    this.#work ??= this.#runAll();
  }

  /**
   * Passes on the events that wait, for {@link GRACE_MS} at most, and then ends the command. May be
   * called twice.
   */
  async close(): Promise<void> {
    this.#closed = true;
    await within(this.#clock, GRACE_MS, Promise.resolve(this.#work));
    this.#ended.abort();
    await this.#work;
  }

  async #runAll(): Promise<void> {
    for (let line = this.#waiting.shift(); line !== undefined; line = this.#waiting.shift()) {
      const failure = await this.#run(line).catch(messageOf);
      if (this.#ended.signal.aborted) {
        this.#reportLeftOut(1 + this.#waiting.length);
        break;
      }
      if (failure !== undefined && !this.#failing) {
        this.#options.onFailure(
          `The command of onEvent failed: ${failure}. Further failures are not reported until it works again.`,
        );
      }
      this.#failing = failure !== undefined;
    }
    this.#overflowed = false;
    this.#work = undefined;
  }

  #reportLeftOut(count: number): void {
    const events = count === 1 ? '1 event' : `${count} events`;
    this.#options.onFailure(`The watcher ended before the command of onEvent: ${events} left out.`);
  }

  /** @returns why the run failed; undefined if it did not */
  async #run(line: string): Promise<string | undefined> {
    const { command, cwd, env, platform } = this.#options;
    const child: ChildProcess = spawn(command, {
      shell: true,
      cwd,
      env: childEnv(env, 'no-secrets'),
      // A process group of its own, so that what the shell started ends with it.
      detached: platform !== 'win32',
      stdio: 'pipe',
      windowsHide: true,
    });
    const ended = new Promise<string | undefined>((resolve) => {
      child.once('error', (error) => resolve(messageOf(error)));
      child.once('exit', (code, signal) => resolve(endText(code, signal)));
    });
    const closed = new Promise((resolve) => child.once('close', resolve));
    const output = collectOutput(child);
    // The command need not read it.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(`${line}\n`);

    // `AbortSignal.any` would leave a reference in the signal of the whole watcher, for each run.
    const over = new AbortController();
    const stop = () => over.abort();
    if (this.#ended.signal.aborted) stop();
    this.#ended.signal.addEventListener('abort', stop);
    const timeout = this.#sleep(LIMIT_MS, over.signal);
    const failure = await Promise.race([ended, timeout.then(() => LATE)]);
    this.#ended.signal.removeEventListener('abort', stop);
    over.abort();
    if (failure === LATE) await this.#end(child, ended);
    await Promise.race([closed, this.#sleep(OUTPUT_MS)]);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    child.unref();
    this.#log(output(), failure !== undefined);
    return failure;
  }

  /** Logs the output of a run, unless it failed with the same words as the run before it. */
  #log(text: string, failed: boolean): void {
    if (text !== '' && text !== this.#complaint) this.#options.onOutput(text);
    this.#complaint = failed ? text : undefined;
  }

  /** Ends a process and those that it started. */
  async #end(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
    const { env, platform } = this.#options;
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (child.pid !== undefined) endProcessGroup(child.pid, signal, env, platform);
      await Promise.race([ended, this.#sleep(KILL_MS)]);
    }
  }

  async #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await this.#clock.sleep(ms, signal).catch(() => undefined);
  }
}

const LATE = `it ran for more than ${LIMIT_MS / 1_000} s`;

function endText(code: number | null, signal: NodeJS.Signals | null): string | undefined {
  if (code === 0) return undefined;
  return code === null ? `it was ended by ${String(signal)}` : `exit code ${code}`;
}

/** Reads all output of a process. @returns a function that returns the first part, without its last line break */
function collectOutput({ stdout, stderr }: ChildProcess): () => string {
  let text = '';
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      if (text.length <= MAX_OUTPUT) text += part;
    });
  }
  return () =>
    text.length <= MAX_OUTPUT
      ? text.trimEnd()
      : `${text.slice(0, MAX_OUTPUT)}\n(the rest of its output is left out)`;
}
