/**
 * A task that several callers wait for together. Its signal is aborted when the last caller leaves.
 * The task decides how to react: if it must not be interrupted halfway, it finishes first.
 */
export class SharedTask<T> {
  readonly #controller = new AbortController();
  readonly #running: Promise<T>;
  /** Settles with the task, and never rejects. */
  readonly #over: Promise<void>;
  #waiting = 0;

  constructor(run: (signal: AbortSignal) => Promise<T>) {
    this.#running = run(this.#controller.signal);
    this.#over = this.#running.then(
      () => undefined,
      () => undefined,
    );
  }

  /** The task was asked to stop: do not join it. */
  get stopping(): boolean {
    return this.#controller.signal.aborted;
  }

  /**
   * Waits for the task. When the signal is aborted, rejects with its reason: at once if other
   * callers wait for the task; else it stops the task, and rejects after the task has ended.
   */
  async join(signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    this.#waiting++;
    let leave: (() => void) | undefined;
    const left = new Promise<never>((_resolve, reject) => {
      const rejectNow = () => reject(signal.reason as Error);
      leave = () => {
        this.#waiting--;
        if (this.#waiting > 0) {
          rejectNow();
        } else {
          this.#controller.abort(signal.reason);
          void this.#over.then(rejectNow);
        }
      };
      signal.addEventListener('abort', leave, { once: true });
    });
    try {
      const result = await Promise.race([this.#running, left]);
      // A task that finished although it was stopped keeps its result; this caller still leaves.
      signal.throwIfAborted();
      return result;
    } finally {
      if (leave !== undefined) signal.removeEventListener('abort', leave);
    }
  }

  /** Asks the task to stop, and waits until it has ended; never rejects. */
  async stop(reason: unknown): Promise<void> {
    this.#controller.abort(reason);
    await this.#over;
  }
}
