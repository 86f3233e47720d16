import type { Context } from '../base/context.ts';
import { SyncError } from '../base/errors.ts';
import type { Text } from '../base/phrase.ts';
import type { Secret } from '../base/secret.ts';
import { type EndpointName, type Endpoints, endpointUrl } from '../config/endpoints.ts';
import type { Http, HttpRequest, HttpResponse } from './http.ts';
import { notTakenNow, refusal } from './refusal.ts';
import { type Repeatable, type RetryOptions, withRetry } from './retry.ts';
import {
  type WireObject,
  decodeProfileAnswer,
  decodePushAnswer,
  decodeUploadAnswer,
  isEmpty,
  isJsonObject,
  jsonValue,
  refusalMessage,
} from './wire.ts';

/**
 * Provides the access token. All methods throw a `SyncError`: `AUTH_REQUIRED`, `AUTH_EXPIRED` or
 * `AUTH_REFUSED` (only `sync login` helps), `KEYCHAIN_LOCKED`, `NETWORK`, `SERVICE_UNAVAILABLE` or
 * `SERVICE_ANSWER` (try again later). None throws `REJECTED`.
 */
export interface TokenSource {
  /** Returns a token, after a refresh if the stored one has expired. */
  accessToken(signal: AbortSignal): Promise<Secret>;
  /**
   * Returns a newer token than `rejected`, to which the service responded with 401. This process or
   * another refreshed it.
   */
  replace(rejected: Secret, signal: AbortSignal): Promise<Secret>;
  /** Returns the granted scopes, or undefined if they are unknown. Sends nothing. */
  scopes(signal: AbortSignal): Promise<readonly string[] | undefined>;
}

export interface ServiceClientOptions extends RetryOptions {
  readonly baseUrl: URL;
  readonly endpoints: Endpoints;
  readonly http: Http;
  readonly tokens: TokenSource;
  readonly scopeHint?: ((scope: string) => Text) | undefined;
}

type DayKind = 'wellness' | 'nutrition';

export interface FramedUpload {
  readonly contentType: string;
  readonly body: readonly Uint8Array[];
}

/** The body of a request to `PATCH .../nutrition/DATE/items`. */
export type ItemsRequest =
  | Readonly<Record<string, never>>
  | { readonly action: 'delete'; readonly mealType: string; readonly itemId?: string };

/** Statuses of that route that say something about the platform or the day. */
const ABOUT_ITEMS: readonly number[] = [400, 401, 404, 405, 409, 501];

/** Statuses for a route that a revision does not have. */
const NO_ROUTE: readonly number[] = [401, 404, 405, 501];

type Delivered<T> = T & { readonly attempts: number };

export interface WorkoutQuery {
  readonly limit: number;
  readonly offset: number;
  /** `YYYY-MM-DD` */
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
  readonly includeDuplicates?: boolean;
}

export interface DaysQuery {
  /** `YYYY-MM-DD`; a revision without date filters returns the newest days. */
  readonly first: string;
  readonly last: string;
  readonly limit: number;
}

export type ServiceClient = ReturnType<typeof createServiceClient>;

/**
 * Returns the service, with one method per endpoint. The token source decides about the athlete.
 *
 * All methods throw a `SyncError`: `NETWORK` and `SERVICE_UNAVAILABLE` (try again later),
 * `AUTH_REQUIRED`, `AUTH_EXPIRED` and `SCOPE_MISSING` (a login helps), `REJECTED` (a final 4xx, with
 * `details.status`), `SERVICE_ANSWER` (an unreadable response).
 */
export function createServiceClient(context: Context, options: ServiceClientOptions) {
  const { http, tokens } = options;

  function sendAs(
    token: Secret,
    request: Omit<HttpRequest, 'bearer'>,
    repeatable: Repeatable,
    mayBeEmpty: boolean,
  ): Promise<{ response: HttpResponse; attempts: number }> {
    const once = async () => {
      const response = withoutSecret(await http.send({ ...request, bearer: token }), token);
      if (isSuccess(response) && !(mayBeEmpty && isEmpty(response))) jsonValue(response);
      return response;
    };
    return withRetry({ ...context, signal: request.signal }, once, repeatable, {
      ...options,
      sent: [token],
    });
  }

  /**
   * Sends a request, and again with a new token if the service refuses the first one.
   *
   * @param also statuses to return beside success. 401 is among them if a revision may lack the route: it
   *   responds so to a good token. userinfo decides then before a refresh, which ends the token of other
   *   processes.
   */
  async function call(
    name: EndpointName,
    request: Omit<HttpRequest, 'url' | 'bearer'> & { readonly url?: URL },
    also: readonly number[] = [],
    details: { readonly repeatable?: Repeatable; readonly mayBeEmpty?: boolean } = {},
  ): Promise<{ response: HttpResponse; attempts: number; sent: readonly Secret[] }> {
    const { url = endpoint(name), signal } = request;
    const { repeatable = 'always', mayBeEmpty = also.length > 0 } = details;
    const isOptional = also.includes(401);
    const sent: Secret[] = [];
    let attempts = 0;
    const sendWith = async (token: Secret) => {
      sent.push(token);
      // The service did not act on a request that it answered with 401.
      const send = async () => await sendAs(token, { ...request, url }, repeatable, mayBeEmpty);
      const { response, attempts: tries } = await counting(attempts, send);
      attempts += tries;
      const isRefused =
        response.status === 401 && !(isOptional && (await isAccepted(token, attempts, signal)));
      return { response, isRefused };
    };
    const token = await beforeSending(tokens.accessToken(signal), 0);
    let newest = token;
    let { response, isRefused } = await sendWith(token);
    if (isRefused) {
      const newer = await beforeSending(tokens.replace(token, signal), attempts);
      ({ response, isRefused } = await sendWith(newer));
      // On a busy machine, a token of seconds ends before the service reads it.
      newest = isRefused ? await beforeSending(tokens.accessToken(signal), attempts) : newer;
      if (!newest.equals(newer)) {
        ({ response, isRefused } = await sendWith(newest));
        if (isRefused) throw notTakenNow(attempts, 'ended before it was used');
      }
    }
    if (isSuccess(response) || (also.includes(response.status) && !isRefused)) {
      return { response, attempts, sent };
    }
    const mayBeFine = isRefused && !isOptional && name !== 'userinfo';
    if (mayBeFine && (await isAccepted(newest, attempts, signal))) {
      throw notTakenNow(attempts, 'is accepted elsewhere');
    }
    throw withScopeHint(refusal(name, response, { attempts, url, sent }));
  }

  /**
   * Returns whether userinfo accepts a token that another endpoint refused.
   *
   * @throws SyncError with `details.delivery` `not-sent` if that cannot be found out
   */
  async function isAccepted(
    token: Secret,
    attempts: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const userinfo = { method: 'GET', url: endpoint('userinfo'), signal } as const;
    try {
      const { response } = await sendAs(token, userinfo, 'always', true);
      if (response.status === 401 || isSuccess(response)) return isSuccess(response);
    } catch (error) {
      if (!(error instanceof SyncError) || error.code === 'INTERRUPTED') throw error;
      throw error.with({ details: { status: 401, attempts, delivery: 'not-sent' } });
    }
    throw notTakenNow(attempts, 'could not be checked');
  }

  /** Changes a workout. @returns false if the service does not offer that */
  async function changeWorkout(
    id: string,
    request: Pick<HttpRequest, 'method' | 'signal' | 'body' | 'contentType'>,
  ): Promise<boolean> {
    const url = endpoint('workouts', `/${encodeURIComponent(id)}`);
    const { response } = await call('workouts', { ...request, url }, NO_ROUTE);
    if (!isSuccess(response)) return false;
    confirmed(response);
    return true;
  }

  function withScopeHint(error: SyncError): SyncError {
    const { scope } = error.details;
    if (error.code !== 'SCOPE_MISSING' || typeof scope !== 'string') return error;
    return error.with({ hint: options.scopeHint?.(scope) });
  }

  const endpoint = (name: EndpointName, below = '') => {
    const url = endpointUrl(options.baseUrl, options.endpoints[name]);
    url.pathname += below;
    return url;
  };

  const json = (value: unknown) => ({
    contentType: 'application/json',
    body: [Buffer.from(JSON.stringify(value))],
  });

  return {
    /** Uploads one recording (4.1). */
    async uploadRecording(upload: FramedUpload, signal: AbortSignal) {
      const request = { method: 'POST', ...upload, signal } as const;
      const { response, attempts, sent } = await call('uploadFit', request);
      return counted(attempts, () => decodeUploadAnswer(response, sent));
    },
    /** Sends one record (4.2, 4.3). */
    async push(kind: DayKind, body: WireObject, repeatable: Repeatable, signal: AbortSignal) {
      const request = { method: 'POST', ...json(body), signal } as const;
      const how = { repeatable, mayBeEmpty: true };
      const { response, attempts, sent } = await call(kind, request, [], how);
      return counted(attempts, () => decodePushAnswer(response, sent));
    },
    /** Returns whether the login is known to have a scope. Sends nothing. */
    async grants(scope: string, signal: AbortSignal) {
      return (await tokens.scopes(signal))?.includes(scope) ?? false;
    },
    /**
     * Sends a request to the items of a nutrition day, which may be repeated. A service without this route
     * responds to a good token with 401, 404, 405 or 501.
     *
     * @returns the status, and what the service says: a JSON error, if it is one.
     */
    async patchNutritionItems(
      date: string,
      body: ItemsRequest,
      signal: AbortSignal,
    ): Promise<Delivered<{ readonly status: number; readonly error?: string }>> {
      const url = endpoint('nutrition', `/${date}/items`);
      const request = { method: 'PATCH', ...json(body), url, signal } as const;
      const { response, attempts } = await call('nutrition', request, ABOUT_ITEMS);
      const { status } = response;
      return counted(attempts, () => {
        if (isSuccess(response)) confirmed(response);
        else if (isJsonObject(response)) return { status, error: refusalMessage(response, []) };
        return { status };
      });
    },
    /**
     * Lists days, the newest first; needs `health:read` or `nutrition:read`.
     *
     * @returns the body as the service sent it; undefined if this service has no such route.
     */
    async listDays(kind: DayKind, { first, last, limit }: DaysQuery, signal: AbortSignal) {
      const url = endpoint(kind);
      const query = { startDate: first, endDate: last, limit: String(limit) };
      url.search = new URLSearchParams(query).toString();
      const { response } = await call(kind, { method: 'GET', url, signal }, NO_ROUTE);
      return isSuccess(response) ? jsonValue(response) : undefined;
    },
    /** Lists workouts (4.7). @returns the body as the service sent it */
    async listWorkouts(query: WorkoutQuery, signal: AbortSignal) {
      const url = endpoint('workouts');
      for (const [name, value] of Object.entries(query)) {
        if (value !== undefined && value !== false) url.searchParams.set(name, String(value));
      }
      return jsonValue((await call('workouts', { method: 'GET', url, signal })).response);
    },
    /** Renames a workout. @returns false if the service offers no such route, or has no such workout */
    renameWorkout: (id: string, title: string, signal: AbortSignal) =>
      changeWorkout(id, { method: 'PATCH', ...json({ title }), signal }),
    /** Removes a workout with its recording. @returns as {@link renameWorkout} */
    removeWorkout: (id: string, signal: AbortSignal) =>
      changeWorkout(id, { method: 'DELETE', signal }),
    /** Reads the profile. @returns undefined if this service shows it to no application */
    async readProfile(signal: AbortSignal) {
      const { response } = await call('profile', { method: 'GET', signal }, [401]);
      return isSuccess(response) ? jsonValue(response) : undefined;
    },
    /** Changes the profile (4.8). @returns the new profile; undefined if the response is empty */
    async updateProfile(change: WireObject, signal: AbortSignal) {
      const request = { method: 'PATCH', ...json(change), signal } as const;
      const { response, sent } = await call('profile', request, [], { mayBeEmpty: true });
      return decodeProfileAnswer(response, sent);
    },
    async userinfo(signal: AbortSignal) {
      return jsonValue((await call('userinfo', { method: 'GET', signal })).response);
    },
  };
}

/** @throws SyncError `SERVICE_ANSWER` if the response does not confirm a change */
function confirmed(response: HttpResponse): void {
  const answer = decodePushAnswer(response, []);
  if (answer.outcome === 'pushed') return;
  throw new SyncError('SERVICE_ANSWER', `The platform did not change it: ${answer.message}`, {
    hint: 'The same command again continues.',
    details: { status: response.status },
  });
}

/** Decodes a response, and adds the number of tries to the result or the error. */
function counted<T>(attempts: number, decode: () => T): Delivered<T> {
  try {
    return { ...decode(), attempts };
  } catch (error) {
    throw error instanceof SyncError ? error.with({ details: { attempts } }) : error;
  }
}

/** Runs a task, and adds the earlier tries to its error. */
async function counting<T>(before: number, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    const own = error instanceof SyncError ? error.details['attempts'] : undefined;
    if (!(error instanceof SyncError) || typeof own !== 'number') throw error;
    throw error.with({ details: { attempts: before + own } });
  }
}

/** Returns a response without the token, in case the service repeats it. */
function withoutSecret(response: HttpResponse, token: Secret): HttpResponse {
  return { ...response, text: response.text.replaceAll(token.reveal(), '[redacted]') };
}

function isSuccess(response: HttpResponse): boolean {
  return response.status >= 200 && response.status <= 299;
}

/**
 * Awaits the token of a request. If there is none, the request was not sent: the error counts neither
 * the tries of the token request nor its refusal.
 *
 * @param attempts of this request so far.
 * @throws SyncError with `details.delivery` `not-sent`; never `REJECTED`.
 */
async function beforeSending(token: Promise<Secret>, attempts: number): Promise<Secret> {
  try {
    return await token;
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    const code = error.code === 'REJECTED' ? 'SERVICE_ANSWER' : error.code;
    throw error.with({ code, details: { delivery: 'not-sent', attempts } });
  }
}
