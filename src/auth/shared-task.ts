/** A task that several callers wait for together. */
export interface SharedTask<T> {
  /**
   * Waits for the task. When the signal is aborted, rejects with its reason: at once while others
   * still want the task; else the task is told to stop, and this waits until it has.
   */
  join(signal: AbortSignal): Promise<T>;
  /** Tells the task to stop, and waits until it has; never rejects. */
  stop(reason: unknown): Promise<void>;
  /** Has it been told to stop? Then there is no sense in joining it. */
  readonly stopping: boolean;
}

/**
 * Starts a task. Its signal is aborted when nobody waits for it any more; what it does about that,
 * and when, is its own affair: a task that may not be broken off in the middle finishes first.
 */
export function shareTask<T>(run: (signal: AbortSignal) => Promise<T>): SharedTask<T> {
  const controller = new AbortController();
  const running = run(controller.signal);
  const over = running.then(
    () => undefined,
    () => undefined,
  );
  let waiting = 0;
  return {
    get stopping() {
      return controller.signal.aborted;
    },
    async join(signal) {
      signal.throwIfAborted();
      waiting++;
      let leave: (() => void) | undefined;
      const left = new Promise<never>((_resolve, reject) => {
        leave = () => {
          waiting--;
          const reject_ = () => reject(signal.reason as Error);
          if (waiting > 0) {
            reject_();
          } else {
            controller.abort(signal.reason);
            void over.then(reject_);
          }
        };
        signal.addEventListener('abort', leave, { once: true });
      });
      try {
        const result = await Promise.race([running, left]);
        // A task that finished in spite of the stop: its outcome stands, the caller still leaves.
        signal.throwIfAborted();
        return result;
      } finally {
        if (leave !== undefined) signal.removeEventListener('abort', leave);
      }
    },
    async stop(reason) {
      controller.abort(reason);
      await over;
    },
  };
}
