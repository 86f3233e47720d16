import { channel } from 'node:diagnostics_channel';
import { maskIssued, redactedHeaders, withoutSecrets } from './redaction.ts';
import type { RequestBody } from './request-body.ts';
import type { RouteName } from './routes.ts';
import type { AnswerRecord, AnsweredRequest, RequestFilter, RequestRecord } from '../types.ts';

/** Limit on all that the log keeps, as JSON (bytes); older requests are dropped, so that a sandbox can run for weeks. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Largest body that is kept, as JSON (characters); of a larger one only the size is. */
const MAX_BODY_CHARS = 8 * 1024 * 1024;
/** Largest answer of which the body is kept, as JSON (characters). */
const MAX_ANSWER_CHARS = 256 * 1024;

/**
 * Diagnostics channel of all sandboxes in this process. A message is an `AnsweredRequest`, with the whole body of
 * its answer.
 */
export const EXCHANGES = 'athlete-sync:sandbox:exchange';

const exchanges = channel(EXCHANGES);

/** A request, its answer, and how much memory they take: the length of their JSON. */
interface Entry {
  readonly record: RequestRecord;
  answer: AnswerRecord | null;
  bytes: number;
}

/** The requests to the platform in the order of arrival, without control requests. */
export class RequestLog {
  readonly #entries = new Map<number, Entry>();
  #bytes = 0;
  #lastOrdinal = 0;

  open(route: RouteName | null, receivedAt: string, request: Request): RequestRecord {
    const { pathname: path, searchParams } = new URL(request.url);
    const record: RequestRecord = {
      ordinal: (this.#lastOrdinal += 1),
      receivedAt,
      method: request.method,
      path,
      route,
      query: Object.fromEntries(searchParams),
      headers: redactedHeaders(request.headers),
      size: 0,
      status: null,
      athlete: null,
      faults: [],
      durationMs: null,
    };
    this.#entries.set(record.ordinal, { record, answer: null, bytes: 0 });
    return Object.assign(record, this.#kept(record, record));
  }

  recordBody(record: RequestRecord, body: RequestBody, size: number): void {
    record.size = size;
    Object.assign(record, this.#kept(record, loggedContent(body), MAX_BODY_CHARS));
  }

  recordAnswer(record: RequestRecord, answer: AnswerRecord): void {
    const entry = this.#entries.get(record.ordinal);
    const kept = this.#kept(record, answer, MAX_ANSWER_CHARS);
    if (entry !== undefined) {
      entry.answer = kept ?? this.#kept(record, { ...answer, body: undefined }) ?? null;
    }
    exchanges.publish({ ...record, answer } satisfies AnsweredRequest);
  }

  find(ordinal: number): AnsweredRequest | undefined {
    const entry = this.#entries.get(ordinal);
    return entry && { ...entry.record, answer: entry.answer };
  }

  /**
   * Returns a copy without codes and tokens, and drops the oldest requests beyond the limit.
   * @returns undefined if it is longer than `most`, or nested too deeply
   */
  #kept<T>({ ordinal }: RequestRecord, value: T, most = Infinity): T | undefined {
    const json = masked(value);
    if (json === undefined || json.length > most) return undefined;
    const entry = this.#entries.get(ordinal);
    if (entry !== undefined) {
      entry.bytes += json.length;
      this.#bytes += json.length;
    }
    for (const [oldest, { bytes }] of this.#entries) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#entries.delete(oldest);
      this.#bytes -= bytes;
    }
    return JSON.parse(json) as T;
  }

  get count(): number {
    return this.#lastOrdinal;
  }

  list(filter: RequestFilter = {}): RequestRecord[] {
    return [...this.#entries.values()]
      .map(({ record }) => record)
      .filter(
        (record) =>
          (filter.route === undefined || record.route === filter.route) &&
          (filter.athlete === undefined || record.athlete === filter.athlete) &&
          record.ordinal > (filter.after ?? 0),
      );
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }
}

function loggedContent({ type, value, parts }: RequestBody): Pick<RequestRecord, 'body' | 'parts'> {
  if (parts === undefined) return type.startsWith('text/') ? {} : { body: withoutSecrets(value) };
  return {
    parts: parts.map(({ bytes, ...part }) => ({
      ...part,
      size: bytes.length,
      ...(part.fileName === null ? { text: bytes.toString('utf8') } : {}),
    })),
  };
}

/** Returns a value as JSON without codes and tokens; undefined if it is nested too deeply. */
function masked(value: unknown): string | undefined {
  try {
    return maskIssued(JSON.stringify(value));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
