import { STATUS_CODES } from 'node:http';

/** One thing that is wrong with a body: which field, what is allowed, what was found. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly expected?: string | null;
  readonly received?: string;
}

/**
 * A refusal by an API endpoint. On the wire
 * `{"statusCode", "statusMessage", "message", "data"?}`, as deployed services answer.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly data: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    options: { data?: unknown; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.status = status;
    this.data = options.data;
    this.headers = options.headers ?? {};
  }

  toResponse(): Response {
    return Response.json(problemBody(this.status, this.message, this.data), {
      status: this.status,
      headers: this.headers,
    });
  }
}

export type TokenErrorCode =
  'invalid_request' | 'invalid_client' | 'invalid_grant' | 'unsupported_grant_type';

/** A refusal by the token or the revocation endpoint: HTTP 400 (RFC 6749 section 5.2). */
export class TokenProblem extends Error {
  override readonly name = 'TokenProblem';
  readonly code: TokenErrorCode;

  constructor(code: TokenErrorCode, description: string) {
    super(description);
    this.code = code;
  }

  toResponse(): Response {
    return Response.json(
      { error: this.code, error_description: this.message },
      { status: 400, headers: NO_STORE },
    );
  }
}

/** RFC 6749 section 5.1: answers with tokens are never cached. */
export const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' } as const;

export function problemBody(status: number, message: string, data?: unknown) {
  return {
    statusCode: status,
    statusMessage: STATUS_CODES[status] ?? 'Error',
    message,
    ...(data === undefined ? {} : { data }),
  };
}
