import { SyncError } from '../errors.ts';
import type { Secret } from '../secret.ts';
import { type EndpointName, type Endpoints, REQUIRED_SCOPE, endpointUrl } from './endpoints.ts';
import { withDetails } from './http-failure.ts';
import type { Http, HttpRequest, HttpResponse } from './http.ts';
import { type Repeatable, type RetryNeeds, withRetry } from './retry.ts';
import type { TokenSource } from './token-source.ts';
import {
  type JsonObject,
  type PushAnswer,
  type UploadAnswer,
  decodeProfileAnswer,
  decodePushAnswer,
  decodeUploadAnswer,
  isEmpty,
  isJsonObject,
  jsonValue,
  refusalMessage,
} from './wire.ts';

export interface ServiceClientNeeds extends RetryNeeds {
  readonly baseUrl: URL;
  readonly endpoints: Endpoints;
  readonly http: Http;
  readonly tokens: TokenSource;
  /** One line a request, for `--verbose`: method, path, status, duration. Never a header or body. */
  readonly trace?: ((line: string) => void) | undefined;
  /** The hint for a scope that the login lacks. */
  readonly scopeHint?: ((scope: string) => string) | undefined;
}

/** A multipart body, framed already. */
export interface FramedUpload {
  readonly contentType: string;
  readonly body: readonly Uint8Array[];
}

/** An answer, and how many tries it took. */
export type Delivered<T> = T & { readonly attempts: number };

export interface WorkoutQuery {
  readonly limit: number;
  readonly offset: number;
  /** `YYYY-MM-DD` */
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
}

/**
 * The service, one method an endpoint, as the athlete whose token it is.
 *
 * All of them throw a `SyncError`: `NETWORK` and `SERVICE_UNAVAILABLE` (try again later),
 * `AUTH_REQUIRED`, `AUTH_EXPIRED` and `SCOPE_MISSING` (a login helps), `REJECTED` (a 4xx: final, with
 * `details.status`), `SERVICE_ANSWER` (an answer that cannot be read).
 */
export interface ServiceClient {
  /** 4.1, one recording a request. */
  uploadRecording(upload: FramedUpload, signal: AbortSignal): Promise<Delivered<UploadAnswer>>;
  /**
   * 4.2 and 4.3. `repeatable`: see {@link Repeatable}. `onSend`: the token is there, and the first
   * request leaves when this returns.
   */
  push(
    kind: 'wellness' | 'nutrition',
    body: JsonObject,
    repeatable: Repeatable,
    signal: AbortSignal,
    onSend?: () => void,
  ): Promise<Delivered<PushAnswer>>;
  /** 4.7; the body as the service sent it. */
  listWorkouts(query: WorkoutQuery, signal: AbortSignal): Promise<unknown>;
  readProfile(signal: AbortSignal): Promise<unknown>;
  /** 4.8; what the profile now says, undefined where the service does not say. */
  updateProfile(change: JsonObject, signal: AbortSignal): Promise<unknown>;
  /** Who the token belongs to. */
  userinfo(signal: AbortSignal): Promise<unknown>;
}

export function createServiceClient(needs: ServiceClientNeeds): ServiceClient {
  const { http, tokens, trace } = needs;

  async function once(
    request: Omit<HttpRequest, 'bearer'>,
    token: Secret,
    mayBeEmpty: boolean,
  ): Promise<HttpResponse> {
    const started = needs.clock.now();
    const line = (end: string) =>
      trace?.(`${request.method} ${request.url.pathname} ${end} ${needs.clock.now() - started} ms`);
    try {
      const response = await http.send({ ...request, bearer: token });
      line(String(response.status));
      if (isSuccess(response) && !(mayBeEmpty && isEmpty(response))) jsonValue(response);
      return response;
    } catch (error) {
      line(error instanceof SyncError ? error.message : 'failed');
      throw error;
    }
  }

  async function call(
    name: EndpointName,
    request: Omit<HttpRequest, 'url' | 'bearer'>,
    options: {
      repeatable?: Repeatable;
      query?: URLSearchParams;
      mayBeEmpty?: boolean;
      onSend?: (() => void) | undefined;
    } = {},
  ): Promise<{ response: HttpResponse; attempts: number; sent: readonly Secret[] }> {
    const { signal } = request;
    const url = endpointUrl(needs.baseUrl, needs.endpoints[name]);
    if (options.query !== undefined) url.search = options.query.toString();
    const send = (token: Secret) =>
      withRetry(
        () => once({ ...request, url }, token, options.mayBeEmpty ?? false),
        options.repeatable ?? 'always',
        needs,
        signal,
      );
    const token = await beforeSending(tokens.accessToken(signal), 0);
    const sent = [token];
    options.onSend?.();
    let result = await send(token);
    if (result.response.status === 401) {
      const before = result.attempts;
      const newer = await beforeSending(tokens.replace(token, signal), before);
      sent.push(newer);
      // What is answered 401 was not acted on.
      result = await send(newer);
      result.attempts += before;
    }
    const { response, attempts } = result;
    if (!isSuccess(response)) throw withScopeHint(refusal(name, response, { attempts, url, sent }));
    return { response, attempts, sent };
  }

  function withScopeHint(error: SyncError): SyncError {
    const { code, message, cause, details } = error;
    const { scope } = details;
    if (code !== 'SCOPE_MISSING' || typeof scope !== 'string') return error;
    const hint = needs.scopeHint?.(scope) ?? error.hint;
    return new SyncError(code, message, { hint, cause, details });
  }

  const json = (value: unknown) => ({
    contentType: 'application/json',
    body: [Buffer.from(JSON.stringify(value))],
  });

  return {
    async uploadRecording(upload, signal) {
      const { response, attempts, sent } = await call('uploadFit', {
        method: 'POST',
        ...upload,
        signal,
      });
      return { ...decodeUploadAnswer(response, sent), attempts };
    },
    async push(kind, body, repeatable, signal, onSend) {
      const { response, attempts, sent } = await call(
        kind,
        { method: 'POST', ...json(body), signal },
        { repeatable, mayBeEmpty: true, onSend },
      );
      return { ...decodePushAnswer(response, sent), attempts };
    },
    async listWorkouts({ limit, offset, startDate, endDate }, signal) {
      const query = new URLSearchParams({ limit: String(limit), offset: String(offset) });
      if (startDate !== undefined) query.set('startDate', startDate);
      if (endDate !== undefined) query.set('endDate', endDate);
      const { response } = await call('workouts', { method: 'GET', signal }, { query });
      return jsonValue(response);
    },
    async readProfile(signal) {
      return jsonValue((await call('profile', { method: 'GET', signal })).response);
    },
    async updateProfile(change, signal) {
      const request = { method: 'PATCH', ...json(change), signal } as const;
      const { response, sent } = await call('profile', request, { mayBeEmpty: true });
      return decodeProfileAnswer(response, sent);
    },
    async userinfo(signal) {
      return jsonValue((await call('userinfo', { method: 'GET', signal })).response);
    },
  };
}

function isSuccess(response: HttpResponse): boolean {
  return response.status >= 200 && response.status <= 299;
}

/**
 * A login that cannot be had leaves this request unsent, whatever became of the token's own: neither
 * its tries nor a refusal of it are those of what was to be sent.
 *
 * @param attempts of this request so far.
 * @throws SyncError with `details.fate` `not-sent`, and never `REJECTED`.
 */
async function beforeSending(token: Promise<Secret>, attempts: number): Promise<Secret> {
  try {
    return await token;
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    const unsent = withDetails(error, { fate: 'not-sent', attempts });
    if (unsent.code !== 'REJECTED') throw unsent;
    const { message, hint, cause, details } = unsent;
    throw new SyncError('SERVICE_ANSWER', message, { hint, cause, details });
  }
}

/** What a final refusal means, in words that say what to do. */
function refusal(
  name: EndpointName,
  response: HttpResponse,
  { attempts, url, sent }: { attempts: number; url: URL; sent: readonly Secret[] },
): SyncError {
  const message = refusalMessage(response, sent);
  const { status } = response;
  const details = { status, attempts, ...(isJsonObject(response) ? {} : { page: true }) };
  switch (status) {
    case 401:
      return new SyncError('AUTH_EXPIRED', 'The service does not accept this login any more.', {
        hint: 'Run `sync login`.',
        details,
      });
    case 403: {
      const required =
        name in REQUIRED_SCOPE ? REQUIRED_SCOPE[name as keyof typeof REQUIRED_SCOPE] : undefined;
      const named =
        /[a-z_]+:(?:read|write)/.exec(message)?.[0] ??
        (/scope/i.test(message) ? required : undefined);
      if (named === undefined) break;
      return new SyncError('SCOPE_MISSING', `This login may not do that: it lacks ${named}.`, {
        hint: 'Run `sync login` again and grant it.',
        details: { ...details, scope: named },
      });
    }
    case 404:
      return new SyncError('REJECTED', `The service has nothing at ${url.pathname} (404).`, {
        hint:
          `Check the base URL (\`sync config get baseUrl\`); if the service keeps it elsewhere, ` +
          `\`sync config set endpoint.${name} PATH\`.`,
        details: { ...details, endpoint: name },
      });
    case 413:
      return new SyncError('REJECTED', `The service takes no request this large (413).`, {
        details,
      });
    default:
      if (status < 400) {
        return new SyncError(
          'SERVICE_ANSWER',
          `The service sends ${url.pathname} elsewhere (${status}); a login never follows.`,
          {
            hint: 'Put the address that it moved to into the base URL: `sync config set baseUrl URL`.',
            details: { ...details, fate: 'not-sent' },
          },
        );
      }
  }
  return new SyncError('REJECTED', message, { details });
}
