import type { RequestRecord } from '../http/request-log.ts';

/** Requests that a new listener receives at once, and that a slow one may fall behind. */
const KEPT = 200;
/** Listeners at one time. */
export const MAX_LISTENERS = 16;
/** Requests in one piece of a stream. */
const PIECE = 50;
/** Interval of comments that show a dead connection (ms). */
const HEARTBEAT_MS = 15_000;

/** Something that happened; null: something other than a request changed. */
interface Happening {
  readonly id: number;
  readonly record: RequestRecord | null;
}

/**
 * Streams of Server-Sent Events about requests. Nothing is queued for a listener: each reads from one
 * list at its own pace, and skips what the list dropped meanwhile.
 */
export class Feed {
  readonly #run: string;
  readonly #wakers = new Set<() => void>();
  #happenings: Happening[] = [];
  #lastId = 0;
  #droppedId = 0;
  #listeners = 0;

  /** @param run differs each time the sandbox starts */
  constructor(run: string) {
    this.#run = run;
  }

  /** Reports a request that arrived or was answered. */
  publish(record: RequestRecord): void {
    const earlier = this.#happenings.findIndex((each) => each.record === record);
    if (earlier !== -1) this.#happenings.splice(earlier, 1);
    this.#add(record);
  }

  /** Reports that faults, settings, logins or data changed. */
  changed(): void {
    this.#add(null);
  }

  get listeners(): number {
    return this.#listeners;
  }

  /**
   * Opens a stream; null if there are too many.
   * @param after the ID of the last event that the listener received; undefined for a new one
   */
  listen(after: number | undefined, closing: AbortSignal): ReadableStream<Uint8Array> | null {
    if (this.#listeners >= MAX_LISTENERS || closing.aborted) return null;
    this.#listeners += 1;
    const left = new AbortController();
    const ended = AbortSignal.any([closing, left.signal]);
    ended.addEventListener('abort', () => (this.#listeners -= 1), { once: true });
    // A listener of an earlier run starts anew.
    let cursor = after === undefined || after > this.#lastId ? null : after;
    let greeted = false;
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const pieces: string[] = [];
          if (!greeted) pieces.push(event('hello', { run: this.#run }));
          greeted = true;
          const news = this.#since(cursor);
          if (news.length === 0 && pieces.length === 0) await this.#wait(ended);
          if (ended.aborted) {
            controller.close();
            return;
          }
          if (cursor !== null && cursor < this.#droppedId) pieces.push(event('gap', {}));
          const sent = this.#since(cursor).slice(0, PIECE);
          for (const { id, record } of sent) {
            pieces.push(
              record === null ? event('change', {}, id) : event('request', brief(record), id),
            );
          }
          cursor = Math.max(cursor ?? 0, sent.at(-1)?.id ?? this.#droppedId);
          controller.enqueue(Buffer.from(pieces.length === 0 ? ':\n\n' : pieces.join('')));
        },
        cancel: () => left.abort(),
      },
      { highWaterMark: 0 },
    );
  }

  #add(record: RequestRecord | null): void {
    this.#lastId += 1;
    this.#happenings.push({ id: this.#lastId, record });
    if (this.#happenings.length > KEPT) this.#droppedId = this.#happenings.shift()?.id ?? 0;
    for (const wake of this.#wakers) wake();
  }

  #since(cursor: number | null): readonly Happening[] {
    return this.#happenings.filter(({ id }) => id > (cursor ?? 0));
  }

  /** Waits for the next happening, the next heartbeat or the end. */
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

/** Returns what a line of the page shows of a request. */
function brief(record: RequestRecord) {
  const { ordinal, receivedAt, method, path, route, size, status, athlete, faults, durationMs } =
    record;
  return { ordinal, receivedAt, method, path, route, size, status, athlete, faults, durationMs };
}

/** HTML standard, section 9.2.5. JSON contains no line break. */
function event(name: string, data: object, id?: number): string {
  return `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}
