import { channel } from 'node:diagnostics_channel';
import { maskIssued, redactedHeaders, withoutSecrets } from './redaction.ts';
import type { RequestBody } from './request-body.ts';
import type { RouteName } from './routes.ts';
import type { AnswerRecord, AnsweredRequest, RequestFilter, RequestRecord } from '../types.ts';

/** Limit on all that the log keeps, as JSON (bytes); older requests are dropped, so that a sandbox can run for weeks. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Largest body that is kept, as JSON (bytes); of a larger one only the size is. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** Largest answer of which the body is kept, as JSON (characters). */
const MAX_ANSWER_CHARS = 256 * 1024;

/**
 * Diagnostics channel on which every sandbox of this process publishes each request that it answers, as an
 * `AnsweredRequest` with its whole answer.
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
    this.#lastOrdinal += 1;
    const { method } = request;
    const { pathname: path, searchParams } = new URL(request.url);
    const shown = {
      path,
      query: Object.fromEntries(searchParams),
      headers: redactedHeaders(request.headers),
    };
    const record: RequestRecord = {
      receivedAt,
      method,
      ...(JSON.parse(maskIssued(JSON.stringify(shown))) as typeof shown),
      route,
      ordinal: this.#lastOrdinal,
      size: 0,
      status: null,
      athlete: null,
      faults: [],
      durationMs: null,
    };
    const entry = { record, answer: null, bytes: 0 };
    this.#entries.set(record.ordinal, entry);
    this.#enlarge(entry, JSON.stringify(record).length);
    return record;
  }

  recordBody(record: RequestRecord, body: RequestBody, size: number): void {
    record.size = size;
    const json = masked(loggedContent(body));
    if (json === undefined || json.length > MAX_BODY_BYTES) return;
    Object.assign(record, JSON.parse(json));
    this.#enlarge(this.#entries.get(record.ordinal), json.length);
  }

  recordAnswer(record: RequestRecord, answer: AnswerRecord): void {
    const json = masked(answer);
    if (json === undefined) return;
    const whole = JSON.parse(json) as AnswerRecord;
    exchanges.publish({ ...record, answer: whole } satisfies AnsweredRequest);
    const entry = this.#entries.get(record.ordinal);
    if (entry === undefined) return;
    entry.answer = json.length > MAX_ANSWER_CHARS ? { ...whole, body: undefined } : whole;
    this.#enlarge(entry, JSON.stringify(entry.answer).length);
  }

  find(ordinal: number): AnsweredRequest | undefined {
    const entry = this.#entries.get(ordinal);
    return entry && { ...entry.record, answer: entry.answer };
  }

  /** Drops the oldest requests beyond the limit. @param entry undefined if the log dropped it meanwhile */
  #enlarge(entry: Entry | undefined, bytes: number): void {
    if (entry === undefined) return;
    entry.bytes += bytes;
    this.#bytes += bytes;
    for (const [ordinal, oldest] of this.#entries) {
      if (this.#bytes <= MAX_BYTES) return;
      this.#entries.delete(ordinal);
      this.#bytes -= oldest.bytes;
    }
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
