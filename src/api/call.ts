import type { Context } from '../base/context.ts';
import { SyncError } from '../base/errors.ts';
import type { Text } from '../base/phrase.ts';
import type { Secret } from '../base/secret.ts';
import { type EndpointName, type Endpoints, endpointUrl, scopeOf } from '../config/endpoints.ts';
import type { PlatformKind } from '../config/settings.ts';
import { whoAmI } from './account.ts';
import {
  type Http,
  type HttpRequest,
  type HttpResponse,
  isSuccess,
  withoutSecrets,
} from './http.ts';
import { NO_TRIES, type Tries, asksForScope, notTakenNow, refusal } from './refusal.ts';
import { type Repeatable, type RetryOptions, withRetry } from './retry.ts';
import type { TokenSource } from './token-source.ts';
import { checkReadable, isEmpty, jsonValue } from './wire.ts';

export interface ServiceClientOptions extends RetryOptions {
  readonly baseUrl: URL;
  /** As the setting or the table of platforms states it. */
  readonly kind?: PlatformKind | undefined;
  readonly endpoints: Endpoints;
  readonly http: Http;
  readonly tokens: TokenSource;
  readonly scopeHint?: ((scope: string) => Text) | undefined;
}

/**
 * Required body of a success; a success with another body is repeated. `any`: no page, no broken JSON.
 * `unread`: of no interest.
 */
export type BodyForm = 'json' | 'json-or-nothing' | 'any' | 'unread';

/**
 * Tokens that a request may need: other processes may refresh at the same time, and a token of seconds
 * may end before the service reads it.
 */
const MOST_TOKENS = 5;

/** Sends requests with the access token, and finds out what a 401 means. */
export class Caller {
  readonly #context: Context;
  readonly #options: ServiceClientOptions;

  constructor(context: Context, options: ServiceClientOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** @param below a path below the endpoint's */
  endpoint(name: EndpointName, below = ''): URL {
    const url = endpointUrl(this.#options.baseUrl, this.#options.endpoints[name]);
    url.pathname += below;
    return url;
  }

  /**
   * Sends a request, and again with a new token if the service refuses the first one.
   *
   * @param also statuses to return beside success. 401 is among them if a platform may lack the route: it
   *   responds so to a good token. A check decides then before a refresh, which ends the token of other
   *   processes.
   */
  async call(
    name: EndpointName,
    request: Omit<HttpRequest, 'url' | 'bearer'> & { readonly url?: URL },
    also: readonly number[] = [],
    details: { readonly repeatable?: Repeatable; readonly form?: BodyForm } = {},
  ): Promise<{ response: HttpResponse; attempts: number }> {
    const { url = this.endpoint(name), signal } = request;
    const { tokens } = this.#options;
    const { repeatable = 'always', form = also.length > 0 ? 'json-or-nothing' : 'json' } = details;
    const isOptional = also.includes(401);
    const sent: Secret[] = [];
    let tries = NO_TRIES;
    const sendWith = async (token: Secret) => {
      sent.push(token);
      const send = async () => await this.#sendAs(sent, { ...request, url }, repeatable, form);
      const { response, attempts, acted } = await counting(tries, send);
      // A request that was answered with 401 changed nothing, but an earlier try may have.
      const delivery = acted ? 'unknown' : tries.delivery;
      tries = { attempts: tries.attempts + attempts, delivery };
      const isRefused =
        response.status === 401 &&
        !asksForScope(response) &&
        !(isOptional && (await this.#isAccepted(token, tries, signal)));
      return { response, isRefused };
    };
    let token = await beforeSending(tokens.accessToken(signal), tries);
    let { response, isRefused } = await sendWith(token);
    for (let tried = 1; isRefused; tried++) {
      if (tried === MOST_TOKENS) throw notTakenNow(tries, 'ended before it was used');
      const refreshed =
        tried === 1 ? tokens.replace(token, signal) : tokens.accessToken(signal, token);
      const newer = await beforeSending(refreshed, tries);
      if (newer.equals(token)) break;
      token = newer;
      ({ response, isRefused } = await sendWith(token));
    }
    if (isSuccess(response) || (also.includes(response.status) && !isRefused)) {
      return { response, attempts: tries.attempts };
    }
    if (isRefused && !isOptional && (await this.#isAccepted(token, tries, signal))) {
      throw notTakenNow(tries, 'is accepted elsewhere');
    }
    const required = scopeOf(name, request.method);
    const granted = response.status === 403 ? await tokens.scopes(signal) : undefined;
    const base = url.pathname === this.endpoint(name).pathname ? this.#options.baseUrl : undefined;
    const refused = { attempts: tries.attempts, url, base, required, granted };
    const error = refusal(name, response, refused);
    const { scope } = error.details;
    if (error.code !== 'SCOPE_MISSING' || typeof scope !== 'string') throw error;
    throw error.with({ hint: this.#options.scopeHint?.(scope) });
  }

  /**
   * Returns whether the service accepts a token that an endpoint refused.
   *
   * @throws SyncError with the tries of the request if that cannot be found out
   */
  async #isAccepted(token: Secret, tries: Tries, signal: AbortSignal): Promise<boolean> {
    const { http, policy } = this.#options;
    const [userinfo, workouts] = [this.endpoint('userinfo'), this.endpoint('workouts')];
    const context = { ...this.#context, signal };
    const who = await whoAmI(
      context,
      { http, userinfo, workouts, policy, needsProof: true },
      token,
    );
    if (who.kind === 'rejected' || who.wasTaken) return who.kind !== 'rejected';
    if (who.kind === 'unreachable') throw who.error.with({ details: { status: 401, ...tries } });
    throw notTakenNow(tries, 'could not be checked');
  }

  /** @param tokens of the call so far: the last one is sent */
  #sendAs(
    tokens: readonly Secret[],
    request: Omit<HttpRequest, 'bearer'>,
    repeatable: Repeatable,
    form: BodyForm,
  ): Promise<{ response: HttpResponse; attempts: number; acted: boolean }> {
    const once = async () => {
      const bearer = tokens.at(-1);
      const response = withoutSecrets(
        await this.#options.http.send({ ...request, bearer }),
        tokens,
      );
      if (!isSuccess(response) || form === 'unread') return response;
      if (form === 'any') checkReadable(response);
      else if (form === 'json' || !isEmpty(response)) jsonValue(response);
      return response;
    };
    const context = { ...this.#context, signal: request.signal };
    return withRetry(context, once, repeatable, this.#options);
  }
}

/** Runs a task, and adds the earlier tries to its error. */
async function counting<T>(before: Tries, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    const own = error instanceof SyncError ? error.details['attempts'] : undefined;
    if (!(error instanceof SyncError) || typeof own !== 'number') throw error;
    const acted = before.delivery === 'unknown' ? { delivery: before.delivery } : {};
    throw error.with({ details: { attempts: before.attempts + own, ...acted } });
  }
}

/**
 * Awaits the token of a request. If there is none, the request was not sent: the error counts neither
 * the tries of the token request nor its refusal.
 *
 * @throws SyncError with the tries of this request so far; never `REJECTED`.
 */
async function beforeSending(token: Promise<Secret>, tries: Tries): Promise<Secret> {
  try {
    return await token;
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    const code = error.code === 'REJECTED' ? 'SERVICE_ANSWER' : error.code;
    throw error.with({ code, details: { ...tries } });
  }
}
