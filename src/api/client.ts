import type { Context } from '../base/context.ts';
import { SyncError, sourceOf } from '../base/errors.ts';
import type { Text } from '../base/phrase.ts';
import type { Secret } from '../base/secret.ts';
import { type EndpointName, type Endpoints, endpointUrl } from '../config/endpoints.ts';
import { withDetails } from './http-failure.ts';
import type { Http, HttpRequest, HttpResponse } from './http.ts';
import { notTakenNow, refusal } from './refusal.ts';
import { type Repeatable, type RetryOptions, withRetry } from './retry.ts';
import {
  type WireObject,
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
  /** Returns the hint for a scope that the login lacks. */
  readonly scopeHint?: ((scope: string) => Text) | undefined;
}

/** A multipart body with its boundaries. */
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

function isRefused({ response }: { readonly response: HttpResponse }): boolean {
  return response.status === 401;
}

/** Statuses for a route that a revision does not have. */
const NO_ROUTE: readonly number[] = [401, 404, 405, 501];

/** A response and the number of tries. */
export type Delivered<T> = T & { readonly attempts: number };

export interface WorkoutQuery {
  readonly limit: number;
  readonly offset: number;
  /** `YYYY-MM-DD` */
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
  /** Includes the workouts that the platform treats as duplicates. */
  readonly includeDuplicates?: boolean;
}

/**
 * The service, with one method per endpoint. The token source decides about the athlete.
 *
 * All methods throw a `SyncError`: `NETWORK` and `SERVICE_UNAVAILABLE` (try again later),
 * `AUTH_REQUIRED`, `AUTH_EXPIRED` and `SCOPE_MISSING` (a login helps), `REJECTED` (a final 4xx, with
 * `details.status`), `SERVICE_ANSWER` (an unreadable response).
 */
export interface ServiceClient {
  /** Uploads one recording (4.1). */
  uploadRecording(upload: FramedUpload, signal: AbortSignal): Promise<Delivered<UploadAnswer>>;
  /** Sends one record (4.2, 4.3). */
  push(
    kind: 'wellness' | 'nutrition',
    body: WireObject,
    repeatable: Repeatable,
    signal: AbortSignal,
  ): Promise<Delivered<PushAnswer>>;
  /** Returns whether the login is known to have a scope. Sends nothing. */
  grants(scope: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Sends a request to the items of a nutrition day, which may be repeated. A service without this route
   * responds to a good token with 401, 404, 405 or 501.
   *
   * @returns the status, and what the service says: a JSON error, if it is one.
   */
  patchNutritionItems(
    date: string,
    body: ItemsRequest,
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly error?: string }>;
  /**
   * Lists days, the newest first; needs `health:read` or `nutrition:read`.
   *
   * @returns the body as the service sent it; undefined if this service has no such route.
   */
  listDays(kind: 'wellness' | 'nutrition', query: DaysQuery, signal: AbortSignal): Promise<unknown>;
  /** Lists workouts (4.7). @returns the body as the service sent it */
  listWorkouts(query: WorkoutQuery, signal: AbortSignal): Promise<unknown>;
  /** Renames a workout. @returns false if the service offers no such route, or has no such workout */
  renameWorkout(id: string, title: string, signal: AbortSignal): Promise<boolean>;
  /** Removes a workout with its recording. @returns as {@link renameWorkout} */
  removeWorkout(id: string, signal: AbortSignal): Promise<boolean>;
  /** Reads the profile. @returns undefined if this service shows it to no application */
  readProfile(signal: AbortSignal): Promise<unknown>;
  /** Changes the profile (4.8). @returns the new profile; undefined if the response is empty */
  updateProfile(change: WireObject, signal: AbortSignal): Promise<unknown>;
  userinfo(signal: AbortSignal): Promise<unknown>;
}

export interface DaysQuery {
  /** `YYYY-MM-DD`; a revision without date filters returns the newest days. */
  readonly first: string;
  readonly last: string;
  readonly limit: number;
}

export function createServiceClient(
  context: Context,
  options: ServiceClientOptions,
): ServiceClient {
  const { http, tokens } = options;

  function send(
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

  async function call(
    name: EndpointName,
    request: Omit<HttpRequest, 'url' | 'bearer'>,
    details: {
      repeatable?: Repeatable;
      query?: URLSearchParams;
      mayBeEmpty?: boolean;
    } = {},
  ): Promise<{ response: HttpResponse; attempts: number; sent: readonly Secret[] }> {
    const { signal } = request;
    const { repeatable = 'always', query, mayBeEmpty = false } = details;
    const url = endpoint(name);
    if (query !== undefined) url.search = query.toString();
    const sendWith = (token: Secret) => send(token, { ...request, url }, repeatable, mayBeEmpty);
    const token = await beforeSending(tokens.accessToken(signal), 0);
    const sent = [token];
    let result = await sendWith(token);
    const sendAgain = async (newer: Secret) => {
      const before = result.attempts;
      sent.push(newer);
      // The service did not act on a request that it answered with 401.
      result = await counting(before, () => sendWith(newer));
      result.attempts += before;
    };
    if (result.response.status === 401) {
      const newer = await beforeSending(tokens.replace(token, signal), result.attempts);
      await sendAgain(newer);
      // On a busy machine, a token of seconds ends before the service reads it.
      const newest = isRefused(result) ? await tokens.accessToken(signal) : newer;
      if (!newest.equals(newer)) {
        await sendAgain(newest);
        if (isRefused(result)) throw notTakenNow(result.attempts, 'ended before it was used');
      }
    }
    const { response, attempts } = result;
    if (isSuccess(response)) return { response, attempts, sent };
    if (response.status === 401 && name !== 'userinfo' && (await loginIsFine(signal))) {
      throw notTakenNow(attempts, 'is accepted elsewhere');
    }
    throw withScopeHint(refusal(name, response, { attempts, url, sent }));
  }

  /** Returns whether userinfo accepts this login. Only a refusal counts as a no. */
  async function loginIsFine(signal: AbortSignal): Promise<boolean> {
    try {
      await call('userinfo', { method: 'GET', signal });
      return true;
    } catch (error) {
      if (!(error instanceof SyncError) || error.code === 'INTERRUPTED') throw error;
      return sourceOf(error.code) !== 'login';
    }
  }

  /**
   * Calls a route that a revision may not have. Such a revision responds with 401 to a good token.
   * The token is refreshed only if userinfo rejects it too: a refresh ends the token of other processes.
   *
   * @param also statuses to return beside success.
   */
  async function callOptional(
    name: EndpointName,
    request: Omit<HttpRequest, 'bearer'>,
    also: readonly number[],
  ): Promise<HttpResponse> {
    const { url, signal } = request;
    const isGood = async (given: Secret) => {
      const userinfo = { method: 'GET', url: endpoint('userinfo'), signal } as const;
      const { status } = (await send(given, userinfo, 'always', true)).response;
      if (status === 401) return false;
      if (status > 299) throw notTakenNow(attempts, 'could not be checked');
      return true;
    };
    let token = await beforeSending(tokens.accessToken(signal), 0);
    let { response, attempts } = await send(token, request, 'always', true);
    if (response.status === 401 && !(await isGood(token))) {
      token = await beforeSending(tokens.replace(token, signal), attempts);
      const again = await send(token, request, 'always', true);
      ({ response } = again);
      attempts += again.attempts;
      if (response.status === 401 && !(await isGood(token))) {
        throw refusal(name, response, { attempts, url, sent: [token] });
      }
    }
    if (isSuccess(response) || also.includes(response.status)) return response;
    throw withScopeHint(refusal(name, response, { attempts, url, sent: [token] }));
  }

  /** Changes a workout. @returns false if the service does not offer that */
  async function changeWorkout(
    id: string,
    request: Pick<HttpRequest, 'method' | 'signal' | 'body' | 'contentType'>,
  ): Promise<boolean> {
    const url = endpoint('workouts');
    url.pathname += `/${encodeURIComponent(id)}`;
    const response = await callOptional('workouts', { ...request, url }, NO_ROUTE);
    if (!isSuccess(response)) return false;
    confirmed(response);
    return true;
  }

  function withScopeHint(error: SyncError): SyncError {
    const { code, message, cause, details } = error;
    const { scope } = details;
    if (code !== 'SCOPE_MISSING' || typeof scope !== 'string') return error;
    const hint = options.scopeHint?.(scope) ?? error.hint;
    return new SyncError(code, message, { hint, cause, details });
  }

  const endpoint = (name: EndpointName) => endpointUrl(options.baseUrl, options.endpoints[name]);

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
      return counted(attempts, () => decodeUploadAnswer(response, sent));
    },
    async push(kind, body, repeatable, signal) {
      const { response, attempts, sent } = await call(
        kind,
        { method: 'POST', ...json(body), signal },
        { repeatable, mayBeEmpty: true },
      );
      return counted(attempts, () => decodePushAnswer(response, sent));
    },
    async grants(scope, signal) {
      return (await tokens.scopes(signal))?.includes(scope) ?? false;
    },
    async patchNutritionItems(date, body, signal) {
      const url = endpoint('nutrition');
      url.pathname += `/${date}/items`;
      const request = { method: 'PATCH', ...json(body), url, signal } as const;
      const response = await callOptional('nutrition', request, ABOUT_ITEMS);
      const { status } = response;
      if (!isSuccess(response)) {
        return isJsonObject(response)
          ? { status, error: refusalMessage(response, []) }
          : { status };
      }
      const answer = decodePushAnswer(response, []);
      if (answer.outcome === 'pushed') return { status };
      throw new SyncError('SERVICE_ANSWER', `The service did not do it: ${answer.message}`, {
        hint: 'The same command again continues.',
        details: { status },
      });
    },
    async listDays(kind, { first, last, limit }, signal) {
      const url = endpoint(kind);
      const query = { startDate: first, endDate: last, limit: String(limit) };
      url.search = new URLSearchParams(query).toString();
      const response = await callOptional(kind, { method: 'GET', url, signal }, NO_ROUTE);
      return isSuccess(response) ? jsonValue(response) : undefined;
    },
    async listWorkouts({ limit, offset, startDate, endDate, includeDuplicates = false }, signal) {
      const query = new URLSearchParams({ limit: String(limit), offset: String(offset) });
      if (startDate !== undefined) query.set('startDate', startDate);
      if (endDate !== undefined) query.set('endDate', endDate);
      if (includeDuplicates) query.set('includeDuplicates', 'true');
      const { response } = await call('workouts', { method: 'GET', signal }, { query });
      return jsonValue(response);
    },
    renameWorkout: (id, title, signal) =>
      changeWorkout(id, { method: 'PATCH', ...json({ title }), signal }),
    removeWorkout: (id, signal) => changeWorkout(id, { method: 'DELETE', signal }),
    async readProfile(signal) {
      const request = { method: 'GET', url: endpoint('profile'), signal } as const;
      const response = await callOptional('profile', request, [401]);
      return isSuccess(response) ? jsonValue(response) : undefined;
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

/** @throws SyncError `SERVICE_ANSWER` if the response does not confirm a change */
function confirmed(response: HttpResponse): void {
  const answer = decodePushAnswer(response, []);
  if (answer.outcome === 'pushed') return;
  throw new SyncError('SERVICE_ANSWER', `The service did not change it: ${answer.message}`, {
    hint: 'The same command again continues.',
    details: { status: response.status },
  });
}

/** Decodes a response, and adds the number of tries to the result or the error. */
function counted<T>(attempts: number, decode: () => T): Delivered<T> {
  try {
    return { ...decode(), attempts };
  } catch (error) {
    throw error instanceof SyncError ? withDetails(error, { attempts }) : error;
  }
}

/** Runs a task, and adds the earlier tries to its error. */
async function counting<T>(before: number, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    const own = error instanceof SyncError ? error.details['attempts'] : undefined;
    if (!(error instanceof SyncError) || typeof own !== 'number') throw error;
    throw withDetails(error, { attempts: before + own });
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
    const unsent = withDetails(error, { delivery: 'not-sent', attempts });
    if (unsent.code !== 'REJECTED') throw unsent;
    const { message, hint, cause, details } = unsent;
    throw new SyncError('SERVICE_ANSWER', message, { hint, cause, details });
  }
}
