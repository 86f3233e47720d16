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

  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }
}
