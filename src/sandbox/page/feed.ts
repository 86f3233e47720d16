/** Listeners at one time. */
export const MAX_LISTENERS = 16;
/** Interval of comments that show a dead connection (ms). */
const HEARTBEAT_MS = 15_000;

/** Tells open pages that something changed, by Server-Sent Events (HTML standard, section 9.2). */
export class Feed {
  readonly #run: string;
  readonly #wakers = new Set<() => void>();
  #changes = 0;
  #listeners = 0;

  /** @param run differs each time the sandbox starts */
  constructor(run: string) {
    this.#run = run;
  }

  /** Reports that a request, a fault, a setting, a login or data changed. */
  changed(): void {
    this.#changes += 1;
    for (const wake of this.#wakers) wake();
  }

  get listeners(): number {
    return this.#listeners;
  }

  /** Opens a stream; null if there are too many. A slow listener gets several changes as one. */
  listen(closing: AbortSignal): ReadableStream<Uint8Array> | null {
    if (this.#listeners >= MAX_LISTENERS || closing.aborted) return null;
    this.#listeners += 1;
    const left = new AbortController();
    const ended = AbortSignal.any([closing, left.signal]);
    ended.addEventListener('abort', () => (this.#listeners -= 1), { once: true });
    let seen: number | null = null;
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          if (seen === this.#changes) await this.#wait(ended);
          if (ended.aborted) {
            controller.close();
            return;
          }
          const change = seen === this.#changes ? ':\n\n' : event('change', {});
          controller.enqueue(
            Buffer.from(seen === null ? event('hello', { run: this.#run }) : change),
          );
          seen = this.#changes;
        },
        cancel: () => left.abort(),
      },
      { highWaterMark: 0 },
    );
  }

  /** Waits for the next change, the next heartbeat or the end. */
  #wait(ended: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#wakers.delete(wake);
        ended.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, HEARTBEAT_MS).unref();
      this.#wakers.add(wake);
      ended.addEventListener('abort', wake);
    });
  }
}

function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
