import type { Clock } from './time.ts';

/** Tasks that run beside a loop. A failure of one is passed on. */
export class Tasks {
  readonly #running = new Set<Promise<void>>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  run(task: () => Promise<void>): void {
    const running = task().catch(this.#onError);
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }

  /** Passes on a failure as that of a task. */
  failed(error: unknown): void {
    this.#onError(error);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }
}

/** The signal of what must not be interrupted. */
export const NEVER = new AbortController().signal;

/** Waits for some work, but not for longer than `ms`, nor beyond the signal. */
export async function within(
  clock: Pick<Clock, 'sleep'>,
  ms: number,
  work: Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  const done = new AbortController();
  const ends = signal === undefined ? done.signal : AbortSignal.any([done.signal, signal]);
  const timeout = clock.sleep(ms, ends).catch(() => undefined);
  await Promise.race([work, timeout]).finally(() => done.abort());
}

/** Waits for a promise, but not beyond the signal. @throws the signal's reason */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason as Error);
  });
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
