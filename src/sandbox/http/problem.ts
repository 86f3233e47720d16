/** Message of deployed services for an error without its own. */
export const DEFAULT_MESSAGE = 'Server Error';

/**
 * An error answer of an API endpoint, sent as
 * `{"error": true, "url", "statusCode", "statusMessage", "message", "data"?}`.
 */
export class ApiProblem extends Error {
  override readonly name: string = 'Problem';
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
    this.statusMessage = options.statusMessage ?? DEFAULT_MESSAGE;
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

/** Returns the error itself if it is a problem; else a 500 with its message. */
export function problemOf(error: Error): ApiProblem {
  if (error instanceof ApiProblem) return error;
  return new ApiProblem(500, `The sandbox failed: ${error.message}`);
}

/** Creates a 4xx with the same text as `statusMessage` and `message`. */
export function refusal(status: number, message: string, data?: unknown): ApiProblem {
  return new ApiProblem(status, message, { statusMessage: message, data });
}

/** Creates the answer of a deployed service to a failure of its handler or its database. */
export function serverError(): ApiProblem {
  return new ApiProblem(500, DEFAULT_MESSAGE);
}

export type TokenErrorCode =
  'invalid_request' | 'invalid_client' | 'invalid_grant' | 'unsupported_grant_type';

/** An error answer of the token endpoint: HTTP 400 (RFC 6749 section 5.2). */
export class TokenProblem extends ApiProblem {
  override readonly name = 'TokenProblem';
  readonly code: TokenErrorCode;

  constructor(code: TokenErrorCode, description: string) {
    super(400, description);
    this.code = code;
  }

  override toResponse(): Response {
    return Response.json(
      { error: this.code, error_description: this.message },
      { status: 400, headers: NO_STORE },
    );
  }
}

/** @throws TokenProblem unless the condition holds */
export function requireThat(
  condition: boolean,
  code: TokenErrorCode,
  description: string,
): asserts condition {
  if (!condition) throw new TokenProblem(code, description);
}

/** Answers with tokens are never cached (RFC 6749 section 5.1). */
export const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' } as const;
