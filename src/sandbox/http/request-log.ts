import { channel } from 'node:diagnostics_channel';
import { maskIssued, redactedHeaders, withoutSecrets } from './redaction.ts';
import type { RequestBody } from './request-body.ts';
import { routeOf } from './routes.ts';
import type { PlatformName } from '../settings.ts';
import type { AnswerRecord, AnsweredRequest, RequestFilter, RequestRecord } from '../types.ts';

/** Limit on all that the log keeps, as JSON (bytes); older requests are dropped, so that a sandbox can run for weeks. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Largest body that is kept, as JSON (bytes); of a larger one only the size is. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

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

  open(receivedAt: string, request: Request): RequestRecord {
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
      route: routeOf(method, path),
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

  recordAnswer(record: RequestRecord, answer: AnswerRecord | null): void {
    const entry = this.#entries.get(record.ordinal);
    const json = masked(answer);
    if (entry === undefined || json === undefined) return;
    entry.answer = JSON.parse(json) as AnswerRecord | null;
    this.#enlarge(entry, json.length);
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

function loggedContent(body: RequestBody): Pick<RequestRecord, 'body' | 'parts'> {
  if (body.kind === 'json' || body.kind === 'form')
    return { body: withoutSecrets(contentOf(body)) };
  if (body.kind !== 'multipart') return {};
  return {
    parts: body.parts.map(({ bytes, ...part }) => ({
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

/** A request and its answer, for tools that check both against a contract. */
export interface LoggedExchange {
  readonly record: RequestRecord;
  /** Decoded JSON, form fields, or multipart parts by name; secrets in the clear. */
  readonly body: unknown;
  /** Decoded JSON; null for another content type. */
  readonly answer: unknown;
  readonly answerType: string | null;
  readonly platform: PlatformName;
}

/** Diagnostics channel on which every sandbox of this process publishes its exchanges. */
export const EXCHANGES = 'athlete-sync:sandbox:exchange';

const exchanges = channel(EXCHANGES);

/** Publishes an exchange if a tool subscribes. Reads a clone of the answer. */
export async function publishExchange(
  record: RequestRecord,
  body: RequestBody,
  answer: Response,
  platform: PlatformName,
): Promise<void> {
  if (!exchanges.hasSubscribers || record.status === null) return;
  const answerType = answer.headers.get('content-type')?.split(';', 1)[0] ?? null;
  const json = answerType === 'application/json' && record.faults.length === 0;
  exchanges.publish({
    record,
    body: contentOf(body),
    answer: json ? await answer.clone().json() : null,
    answerType,
    platform,
  } satisfies LoggedExchange);
}

function contentOf(body: RequestBody): unknown {
  switch (body.kind) {
    case 'json':
      return body.value;
    case 'form':
      return Object.fromEntries(body.fields);
    case 'multipart': {
      const parts: Record<string, string[]> = {};
      for (const { name, fileName, bytes } of body.parts) {
        (parts[name] ??= []).push(fileName ?? bytes.toString('utf8'));
      }
      return parts;
    }
    case 'none':
    case 'other':
    case 'malformed':
      return null;
  }
}
