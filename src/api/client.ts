import type { Context } from '../base/context.ts';
import { CONTINUES, SyncError } from '../base/errors.ts';
import { parseObject, parseObjectOrList } from '../base/json.ts';
import type { EndpointName } from '../config/endpoints.ts';
import type { PlatformFacts } from '../config/platforms.ts';
import { Caller, type ServiceClientOptions } from './call.ts';
import { documentPart } from './document-fields.ts';
import { type HttpRequest, type HttpResponse, NO_CONTENT, isSuccess } from './http.ts';
import { NO_ROUTE, type Probe } from './platform-kind.ts';
import { mayConcernFields, refusal } from './refusal.ts';
import type { Repeatable } from './retry.ts';
import {
  type PushAnswer,
  type UploadAnswer,
  type WireObject,
  checkShown,
  decodePushAnswer,
  decodeUploadAnswer,
  isEmpty,
  isPage,
  jsonValue,
  showsResults,
  statedReason,
} from './wire.ts';

type DayKind = 'wellness' | 'nutrition';

export interface FramedUpload {
  readonly contentType: string;
  readonly body: readonly Uint8Array[];
}

/** An item of a nutrition day to remove. */
export interface ItemRemoval {
  readonly action: 'delete';
  readonly mealType: string;
  readonly itemId: string;
}

/** Statuses of the removal of an item that say something about the platform or the day. */
const ABOUT_ITEMS: readonly number[] = [400, 401, 404, 405, 409, 501];

/** Every status but those of a success and of a failure that is retried. */
const ANY_STATUS: readonly number[] = Array.from({ length: 300 }, (_, at) => 300 + at);

/** Header of each answer of `sync sandbox`. */
const RUN_OF_SANDBOX = 'sandbox-run';

/** The answer to a record, and what the platform refuses of it. */
export type RecordAnswer = PushAnswer & {
  /** The body, if it is JSON. */
  readonly json?: unknown;
  /** Fields that stayed behind, since the interface does not name them. */
  readonly left: readonly string[];
  /** Why the platform refused them; absent if it did so before. */
  readonly reason?: string | undefined;
};

type Delivered<T> = T & { readonly attempts: number };

export interface WorkoutQuery {
  readonly limit?: number;
  readonly offset?: number | undefined;
  /** `YYYY-MM-DD` */
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
  readonly includeDuplicates?: boolean;
  /** Parameters that the platform states for its next page. */
  readonly [name: string]: string | number | boolean | undefined;
}

export interface DaysQuery {
  /** `YYYY-MM-DD` */
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
  const caller = new Caller(context, options);

  /** Changes a workout. @returns false if the service does not offer that */
  async function changeWorkout(
    id: string,
    request: Pick<HttpRequest, 'method' | 'signal' | 'body' | 'contentType'>,
  ): Promise<boolean> {
    const url = caller.endpoint('workouts', `/${encodeURIComponent(id)}`);
    const { response } = await caller.call('workouts', { ...request, url }, NO_ROUTE);
    if (!isSuccess(response)) return false;
    confirmed(response);
    return true;
  }

  /** Returns whether the platform is stated, or was seen, to be Coach Watts. */
  const isCoachWatts = (facts: PlatformFacts) =>
    options.kind === 'coach-watts' || facts.has('nutrition', 'meal-lists');

  /** Returns whether a success of an endpoint has to name what the service took. */
  const isStrict = (endpoint: EndpointName, facts: PlatformFacts) =>
    isCoachWatts(facts) || facts.has(endpoint, 'results');

  /** Sends an item, and notes what the answer shows of the platform. */
  async function deliver<T extends UploadAnswer | PushAnswer>(
    endpoint: EndpointName,
    request: Parameters<Caller['call']>[1],
    repeatable: Repeatable,
    facts: PlatformFacts,
    decode: (response: HttpResponse, isStrict: boolean) => T,
    also: readonly number[] = [],
  ): Promise<Delivered<T>> {
    const form = isStrict(endpoint, facts) ? 'json' : 'any';
    const called = await caller.call(endpoint, request, also, { repeatable, form });
    const { response, attempts } = called;
    facts.answeredBy(response.headers[RUN_OF_SANDBOX]);
    if (!isSuccess(response) && (isStrict(endpoint, facts) || !saysKnown(response))) {
      throw refusal(endpoint, response, { attempts, url: caller.endpoint(endpoint) });
    }
    const shown = showsResults(response) ? 'results' : 'plain';
    if (!facts.has(endpoint, shown)) facts.note(endpoint, shown);
    return counted(attempts, () => decode(response, isStrict(endpoint, facts)));
  }

  const json = (value: unknown) => ({
    contentType: 'application/json',
    body: [Buffer.from(JSON.stringify(value))],
  });

  return {
    /** Uploads one recording (4.1). */
    async uploadRecording(upload: FramedUpload, facts: PlatformFacts, signal: AbortSignal) {
      const request = { method: 'POST', ...upload, signal } as const;
      return await deliver('uploadFit', request, 'always', facts, decodeUploadAnswer, [KNOWN]);
    },
    /**
     * Sends one record (4.2, 4.3). If the platform refuses it, and never took a field that the interface does not
     * name, sends the others alone.
     *
     * @returns also the body, if it is JSON
     */
    async push(
      kind: DayKind,
      body: WireObject,
      repeatable: Repeatable,
      facts: PlatformFacts,
      signal: AbortSignal,
    ): Promise<Delivered<RecordAnswer>> {
      const send = async (record: WireObject) => {
        const request = { method: 'POST', ...json(record), signal } as const;
        return await deliver(kind, request, repeatable, facts, (response, strictly) => ({
          ...decodePushAnswer(response, strictly),
          json: parseObjectOrList(response.text),
        }));
      };
      const part = documentPart(kind, body);
      const { left } = part;
      const holdsMore = Object.keys(part.body).some((name) => name !== 'date');
      const mayLeave =
        left.length > 0 && holdsMore && !isCoachWatts(facts) && !facts.has(kind, 'further-fields');
      if (mayLeave && facts.isDocumentOnly(kind)) return { ...(await send(part.body)), left };
      let refused: SyncError;
      try {
        const answer = await send(body);
        const isNews = left.length > 0 && !facts.has(kind, 'further-fields');
        if (isNews && answer.outcome === 'pushed') facts.note(kind, 'further-fields');
        return { ...answer, left: [] };
      } catch (error) {
        if (!(error instanceof SyncError) || !mayLeave || !mayConcernFields(error)) throw error;
        refused = error;
      }
      // A second refusal concerns the fields that must be sent.
      const answer = await send(part.body);
      const attempts = answer.attempts + Number(refused.details['attempts'] ?? 0);
      if (answer.outcome === 'rejected') return { ...answer, attempts, left: [] };
      facts.noteDocumentOnly(kind, String(body['date']));
      return { ...answer, attempts, left, reason: refused.message };
    },
    /** Returns whether the login is known to have a scope. Sends nothing. */
    async grants(scope: string, signal: AbortSignal) {
      return (await options.tokens.scopes(signal))?.includes(scope) ?? false;
    },
    /** The kind of the platform, as the setting or the table of platforms states it. */
    kind: options.kind,
    isCoachWatts,
    /**
     * Sends a request to the items of a nutrition day that changes nothing, and once more if a sandbox should have
     * answered and something in between did.
     *
     * @returns any answer but an outage
     */
    async probeNutritionItems(
      date: string,
      { body }: Probe,
      facts: Pick<PlatformFacts, 'answeredBy' | 'knowsSandbox'>,
      signal: AbortSignal,
    ) {
      const url = caller.endpoint('nutrition', `/${date}/items`);
      // Its answer, repeated, would look like a refusal of the day.
      const request = { method: 'PATCH', ...json(body), url, signal, alone: true } as const;
      const ask = () => caller.call('nutrition', request, ANY_STATUS, { form: 'unread' });
      let { response } = await ask();
      const isOdd = response.headers[RUN_OF_SANDBOX] === undefined && facts.knowsSandbox();
      if (isOdd) ({ response } = await ask());
      facts.answeredBy(response.headers[RUN_OF_SANDBOX]);
      return response;
    },
    /**
     * Removes an item of a nutrition day; this may be repeated. A service without this route responds to a good
     * token with 401, 404, 405 or 501.
     */
    async removeNutritionItem(
      date: string,
      body: ItemRemoval,
      signal: AbortSignal,
    ): Promise<Delivered<{ readonly status: number }>> {
      const url = caller.endpoint('nutrition', `/${date}/items`);
      const request = { method: 'PATCH', ...json(body), url, signal } as const;
      const { response, attempts } = await caller.call('nutrition', request, ABOUT_ITEMS);
      const { status } = response;
      return counted(attempts, () => {
        if (isSuccess(response)) confirmed(response);
        return { status };
      });
    },
    /**
     * Lists days, the newest first; needs `health:read` or `nutrition:read`.
     *
     * @returns the body as the service sent it; undefined if this service has no such route.
     */
    async listDays(kind: DayKind, { first, last, limit }: DaysQuery, signal: AbortSignal) {
      const url = caller.endpoint(kind);
      const query = { startDate: first, endDate: last, limit: String(limit) };
      url.search = new URLSearchParams(query).toString();
      const { response } = await caller.call(kind, { method: 'GET', url, signal }, NO_ROUTE);
      return isSuccess(response) ? jsonValue(response) : undefined;
    },
    /** Lists workouts (4.7). @returns the body as the service sent it, and its header `Link` */
    async listWorkouts(
      query: WorkoutQuery,
      signal: AbortSignal,
      facts?: Pick<PlatformFacts, 'answeredBy'>,
    ) {
      const url = caller.endpoint('workouts');
      for (const [name, value] of Object.entries(query)) {
        if (value !== undefined && value !== false) url.searchParams.set(name, String(value));
      }
      const request = { method: 'GET', url, signal } as const;
      const { response } = await caller.call('workouts', request, [], { form: 'json-or-nothing' });
      facts?.answeredBy(response.headers[RUN_OF_SANDBOX]);
      const body = response.status === NO_CONTENT ? [] : jsonValue(response);
      return { body, link: response.headers['link'] };
    },
    /** Renames a workout. @returns false if the service offers no such route, or has no such workout */
    renameWorkout: (id: string, title: string, signal: AbortSignal) =>
      changeWorkout(id, { method: 'PATCH', ...json({ title }), signal }),
    /** Removes a workout with its recording. @returns as {@link renameWorkout} */
    removeWorkout: (id: string, signal: AbortSignal) =>
      changeWorkout(id, { method: 'DELETE', signal }),
    /** Reads the profile. @returns undefined if this service shows it to no application */
    async readProfile(signal: AbortSignal) {
      const { response } = await caller.call('profile', { method: 'GET', signal }, NO_ROUTE);
      const isShown = isSuccess(response) && response.status !== NO_CONTENT;
      return isShown ? checkShown(jsonValue(response)) : undefined;
    },
    /**
     * Changes the profile (4.8).
     *
     * @returns the answer; empty if it is no JSON object; undefined if no application may change the profile
     */
    async updateProfile(change: WireObject, signal: AbortSignal) {
      const request = { method: 'PATCH', ...json(change), signal } as const;
      const call = caller.call('profile', request, NO_ROUTE, { form: 'any' });
      const { response } = await call;
      if (!isSuccess(response)) return undefined;
      const answer = decodePushAnswer(response, options.kind === 'coach-watts');
      if (answer.outcome === 'pushed') return parseObject(response.text) ?? {};
      throw new SyncError('REJECTED', `The platform did not take the update: ${answer.message}`, {
        details: { status: response.status },
      });
    },
    async userinfo(signal: AbortSignal) {
      return jsonValue((await caller.call('userinfo', { method: 'GET', signal })).response);
    },
  };
}

/** Status with which an interface platform refuses a known recording. */
const KNOWN = 409;

/**
 * Returns whether a 409 says that the service has the recording. That of a gateway, of deployed services, or with a
 * reason to try again later says nothing about it.
 */
function saysKnown(response: HttpResponse): boolean {
  const { error, statusCode } = parseObject(response.text) ?? {};
  const isDeployed = error === true && statusCode === response.status;
  const isBusy = BUSY.test(statedReason(response) ?? '');
  return !isPage(response) && !isDeployed && !isBusy;
}

const BUSY = /\b(?:try again|retry|later|locked|busy|in progress)\b/i;

/** @throws SyncError `SERVICE_ANSWER` if the response does not confirm a change */
function confirmed(response: HttpResponse): void {
  if (isEmpty(response)) return;
  const answer = decodePushAnswer(response, true);
  if (answer.outcome === 'pushed') return;
  throw new SyncError('SERVICE_ANSWER', `The platform did not change it: ${answer.message}`, {
    hint: CONTINUES,
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
