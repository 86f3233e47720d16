import { fingerprint } from './random.ts';
import { isObject, type RequestBody } from './request-body.ts';
import type { RouteName } from './routes.ts';

/** One part of a multipart request, without its bytes. */
interface PartRecord {
  readonly name: string;
  readonly fileName: string | null;
  readonly contentType: string | null;
  /** bytes */
  readonly size: number;
  readonly sha256: string;
  /** The text of a plain field. */
  readonly text?: string;
}

/** One request as it was received, and how it was answered. */
export interface RequestRecord {
  /** 1 for the first request since the start; not reset when the record is cleared. */
  readonly ordinal: number;
  readonly receivedAt: string;
  readonly method: string;
  readonly path: string;
  /** null: no such endpoint. */
  readonly route: RouteName | null;
  /** The last value where a name occurs twice. */
  readonly query: Readonly<Record<string, string>>;
  /** Lower-case names; Authorization and Cookie as fingerprints. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the body, bytes; 0 until it is read. */
  size: number;
  /** A JSON body; secrets in it as fingerprints. Form bodies as an object of strings. */
  body?: unknown;
  parts?: readonly PartRecord[];
  /** What the sandbox sent as a status line; null: none, or not yet. */
  status: number | null;
  /** Whose token it was; null: no token, or not a good one. */
  athlete: string | null;
  /** The scripted faults that hit it. */
  faults: readonly string[];
  /** From the headers' arrival to the answer's begin, ms; null: not answered. */
  durationMs: number | null;
}

export interface RequestFilter {
  readonly route?: string | undefined;
  readonly athlete?: string | undefined;
  /** Only requests after this ordinal. */
  readonly after?: number | undefined;
}

/** Older requests make room beyond this many, so that a sandbox can run for weeks. */
const CAPACITY = 50_000;

const SECRET_FIELDS = new Set([
  'client_secret',
  'code',
  'code_verifier',
  'refresh_token',
  'access_token',
  'token',
  'request',
]);

/** Every request to the platform, in the order of arrival. Control requests are not in it. */
export class RequestLog {
  #records: RequestRecord[] = [];
  #lastOrdinal = 0;

  open(
    received: Pick<RequestRecord, 'receivedAt' | 'method' | 'path' | 'route'> & {
      readonly query: URLSearchParams;
      readonly headers: Headers;
    },
  ): RequestRecord {
    this.#lastOrdinal += 1;
    const record: RequestRecord = {
      ...received,
      ordinal: this.#lastOrdinal,
      query: Object.fromEntries(received.query),
      headers: redactedHeaders(received.headers),
      size: 0,
      status: null,
      athlete: null,
      faults: [],
      durationMs: null,
    };
    this.#records.push(record);
    if (this.#records.length > CAPACITY * 1.1) this.#records = this.#records.slice(-CAPACITY);
    return record;
  }

  /** How many there were since the start. */
  get count(): number {
    return this.#lastOrdinal;
  }

  list(filter: RequestFilter = {}): RequestRecord[] {
    return this.#records.filter(
      (record) =>
        (filter.route === undefined || record.route === filter.route) &&
        (filter.athlete === undefined || record.athlete === filter.athlete) &&
        record.ordinal > (filter.after ?? 0),
    );
  }

  clear(): void {
    this.#records = [];
  }
}

/** Writes down what a body held, once it is read. */
export function recordBody(record: RequestRecord, body: RequestBody, size: number): void {
  record.size = size;
  switch (body.kind) {
    case 'json':
      record.body = withoutSecrets(body.value);
      break;
    case 'form':
      record.body = withoutSecrets(Object.fromEntries(body.fields));
      break;
    case 'multipart':
      record.parts = body.parts.map((part) => ({
        name: part.name,
        fileName: part.fileName,
        contentType: part.contentType,
        size: part.bytes.length,
        sha256: part.sha256,
        ...(part.fileName === null ? { text: part.bytes.toString('utf8') } : {}),
      }));
      break;
    case 'none':
    case 'other':
    case 'malformed':
      break;
  }
}

function redactedHeaders(headers: Headers): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of headers) {
    if (name === 'authorization') {
      const space = value.indexOf(' ');
      result[name] = `${value.slice(0, Math.max(space, 0))} ${fingerprint(value.slice(space + 1))}`;
    } else {
      result[name] = name === 'cookie' ? fingerprint(value) : value;
    }
  }
  return result;
}

/** Secrets stand at the top of a token request's body, nowhere deeper. */
function withoutSecrets(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      SECRET_FIELDS.has(name) && typeof field === 'string' ? fingerprint(field) : field,
    ]),
  );
}
