/** One thing that is wrong with a body: which field, what is allowed, what was found. */
export interface Issue {
  readonly code: string;
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly expected?: string;
  readonly received?: string;
}

/** What deployed services say if an error has no words of its own. */
const NO_WORDS = 'Server Error';

/**
 * A refusal by an API endpoint. On the wire
 * `{"error": true, "url", "statusCode", "statusMessage", "message", "data"?}`.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly statusMessage: string;
  readonly data: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    options: {
      statusMessage?: string;
      data?: unknown;
      headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.statusMessage = options.statusMessage ?? NO_WORDS;
    this.data = options.data;
    this.headers = options.headers ?? {};
  }

  toResponse(url: string): Response {
    return Response.json(
      {
        error: true,
        url,
        statusCode: this.status,
        statusMessage: this.statusMessage,
        message: this.message,
        ...(this.data === undefined ? {} : { data: this.data }),
      },
      { status: this.status, headers: this.headers },
    );
  }
}

/** A 4xx whose words are both its `statusMessage` and its `message`. */
export function refusal(status: number, message: string, data?: unknown): Problem {
  return new Problem(status, message, { statusMessage: message, data });
}

/** What a deployed service answers if its handler, or its database, fails. */
export function serverError(): Problem {
  return new Problem(500, NO_WORDS);
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
