import { SyncError } from '../base/errors.ts';
import {
  JsonTooDeep,
  MAX_DEPTH,
  isObject,
  parseJson,
  parseObject,
  parseObjectOrList,
} from '../base/json.ts';
import { IN_BETWEEN } from './http-failure.ts';
import type { HttpResponse } from './http.ts';
import { sanitize } from '../base/printable.ts';
import { messageInJson, reasonOf, serviceMessage } from './service-message.ts';

export type UploadAnswer =
  | {
      readonly outcome: 'uploaded' | 'duplicate';
      /** The service's own words, such as `queued` (not a workout yet) or `stored`. */
      readonly service: ServiceRecording;
    }
  | { readonly outcome: 'rejected'; readonly message: string };

export interface ServiceRecording {
  readonly state?: string;
  readonly fitFileId?: string;
  readonly workoutId?: string;
  readonly jobId?: string;
}

export type PushAnswer =
  /** `data`: the stored day, if the service returns it. */
  | { readonly outcome: 'pushed'; readonly data?: WireObject }
  | { readonly outcome: 'rejected'; readonly message: string };

/** A JSON object with unchecked fields. */
export type WireObject = Readonly<Record<string, unknown>>;

/**
 * Returns whether a success counts the items that the service took, or states their fate. Then
 * an answer that does not, such as the empty 200 of a gateway, confirms nothing.
 */
export function showsResults(response: HttpResponse): boolean {
  const body = answerIn(response);
  const { results, item } = resultsIn(body);
  // A platform may explain a refusal, and answer a success with `{}`.
  if (contradicts(body) || Number(results['failed']) > 0) return false;
  return (
    typeof item['state'] === 'string' || COUNTS.some((count) => typeof results[count] === 'number')
  );
}

const COUNTS = ['total', 'processed', 'duplicates', 'failed'] as const;

/**
 * Decodes a success of an upload of one recording (4.1; the interface shows no answer). Any success counts, unless
 * the body contradicts it. A recording that the body counts or states is judged by that.
 *
 * @param isStrict the body has to name what the service took
 * @throws SyncError `SERVICE_ANSWER` if the body does not state the outcome.
 */
export function decodeUploadAnswer(response: HttpResponse, isStrict: boolean): UploadAnswer {
  if (response.status === 409) return { outcome: 'duplicate', service: {} };
  const body = answerIn(response);
  const { results, item } = resultsIn(body);
  const service = serviceRecording(item);
  const count = (key: (typeof COUNTS)[number]) =>
    typeof results[key] === 'number' ? results[key] : undefined;
  const counted = (key: (typeof COUNTS)[number]) => (count(key) ?? 0) > 0;
  const duplicate = counted('duplicates');
  const took = counted('processed') || duplicate || service.state !== undefined;
  // The request held one recording: an error concerns it, unless the body counts it as stored.
  const complained = !took && isSomething(results['errors']);
  if (contradicts(body) || counted('failed') || isFailure(service.state) || complained) {
    return { outcome: 'rejected', message: reasonIn(body, results) };
  }
  const tookNone = !took && (count('total') === 0 || count('processed') === 0);
  const names = took || body['success'] === true;
  if (tookNone || (isStrict && !names)) throw unclear(response);
  return { outcome: duplicate ? 'duplicate' : 'uploaded', service };
}

/** Returns whether a response has no body (such as a 204). */
export function isEmpty(response: HttpResponse): boolean {
  return response.text.trim() === '';
}

/**
 * Decodes a success of a wellness or nutrition record (4.2, 4.3), or of a change (4.8): any success counts, unless the
 * body contradicts it.
 *
 * @param isStrict the body has to report success, or to show the day
 * @throws SyncError `SERVICE_ANSWER` if the body does not state the outcome.
 */
export function decodePushAnswer(response: HttpResponse, isStrict: boolean): PushAnswer {
  const body = answerIn(response);
  if (contradicts(body)) return { outcome: 'rejected', message: reasonIn(body, {}) };
  const isNamed = body['success'] === true || dayIn(body) !== undefined;
  if (isStrict && !isNamed) throw unclear(response);
  const { data } = body;
  return isObject(data) ? { outcome: 'pushed', data } : { outcome: 'pushed' };
}

/**
 * Returns the body of a success that shows something.
 *
 * @throws SyncError `SERVICE_ANSWER` if it reports a failure: some services answer 200 to every request
 */
export function checkShown(body: unknown): unknown {
  if (!isObject(body) || !contradicts(body)) return body;
  const message = `The platform reports a failure: ${reasonIn(body, {})}`;
  throw new SyncError('SERVICE_ANSWER', message, { hint: 'Try again later.' });
}

/** Returns the object in a body; of a list, or a list `results` (207), the object that reports a failure. */
function answerIn({ text }: HttpResponse): WireObject {
  const body = parseObjectOrList(text);
  const listed = isObject(body) ? body['results'] : body;
  const failed = Array.isArray(listed) ? listed.filter(isObject).find(contradicts) : undefined;
  return failed ?? (isObject(body) ? body : {});
}

/** Returns the counts in an answer, and the first item that it names; they may be empty. */
function resultsIn({ results = {} }: WireObject): Record<'results' | 'item', WireObject> {
  const counts = isObject(results) ? results : {};
  const items = isObject(results) ? results['items'] : results;
  const [item] = Array.isArray(items) ? (items as unknown[]) : [];
  return { results: counts, item: isObject(item) ? item : {} };
}

/** Returns whether the body of a success reports a failure. */
function contradicts(body: WireObject): boolean {
  return (
    ['success', 'ok'].some((name) => isNo(body[name])) ||
    isFailure(body['status']) ||
    ['error', 'errors', 'failed'].some((name) => isSomething(body[name]))
  );
}

function isFailure(state: unknown): boolean {
  return typeof state === 'string' && /^(?:error|fail(?:ed|ure)?)$/i.test(state.trim());
}

function isNo(value: unknown): boolean {
  return value === false || value === 0 || (typeof value === 'string' && NO.test(value));
}

const NO = /^\s*(?:false|0)\s*$/i;

function isSomething(value: unknown): boolean {
  if (value === undefined || value === null || isNo(value)) return false;
  if (typeof value === 'object') return Object.keys(value).length > 0;
  return typeof value !== 'string' || value.trim() !== '';
}

export interface WireItem {
  readonly id?: string;
  /** The writer, such as `oauth:APP` or `manual`. */
  readonly source?: string;
  /** The list it is in, as `PATCH .../items` wants it. */
  readonly meal?: string;
  /** The item without `id` and `source`. */
  readonly body: WireObject;
}

/** The lists of a nutrition day of Coach Watts. */
const MEALS = ['breakfast', 'lunch', 'dinner', 'snacks'] as const;

/** Returns the day that the answer to a request shows, if it shows items. */
export function dayIn(json: unknown): WireObject | undefined {
  const bodies: readonly unknown[] = Array.isArray(json) ? json : [json];
  return bodies
    .filter(isObject)
    .flatMap((body) => [body['data'], body].filter(isObject))
    .find((day) => shownItems(day) !== undefined);
}

/** Returns whether a day is one of Coach Watts. The lists of a day that only the platform has planned are null. */
export function showsMeals(day: WireObject | undefined): boolean {
  return day !== undefined && MEALS.every((meal) => day[meal] === null || Array.isArray(day[meal]));
}

/**
 * Returns the items of a nutrition day: of four meal lists, or of one list `items`.
 *
 * @returns undefined if the day has no such list.
 */
export function shownItems(day: WireObject): readonly WireItem[] | undefined {
  const lists = [
    ...MEALS.map((meal) => [meal, day[meal]] as const),
    [undefined, day['items']] as const,
  ];
  if (MEALS.every((meal) => day[meal] === null)) return [];
  const shown = lists.flatMap(([meal, list]) =>
    Array.isArray(list) ? [list.filter(isObject).map((item) => shownItem(item, meal))] : [],
  );
  return shown.length === 0 ? undefined : shown.flat();
}

function shownItem(item: WireObject, meal: string | undefined): WireItem {
  const { id, source, ...body } = item;
  return {
    ...(typeof id === 'string' && id !== '' ? { id } : {}),
    ...(typeof source === 'string' ? { source } : {}),
    ...(meal === undefined ? {} : { meal }),
    body,
  };
}

/**
 * Returns the days of a response to `GET /api/nutrition`, each with its items if it shows them.
 *
 * @returns undefined if the response has no such list.
 */
export function shownDays(answer: unknown) {
  const rows = isObject(answer) ? answer['nutrition'] : undefined;
  if (!Array.isArray(rows)) return undefined;
  return rows.filter(isObject).map(({ date, ...row }) => ({
    date: typeof date === 'string' ? date.slice(0, 10) : '',
    items: shownItems(row),
  }));
}

/** Returns whether the body is a JSON object. Gateways and captive portals send web pages. */
export function isJsonObject({ text }: HttpResponse): boolean {
  return parseObject(text) !== undefined;
}

/**
 * Returns the body as JSON.
 *
 * @throws SyncError `NETWORK` with `details.delivery` `unknown` if it is not JSON. It is a truncated
 *   response or a web page of a proxy or captive portal, which a retry may pass.
 */
export function jsonValue(response: HttpResponse): unknown {
  try {
    return parseJson(response.text);
  } catch (error) {
    const body = describeBody(response);
    const readable = body === BROKEN_JSON ? body : `${body}, not with JSON`;
    const found = error instanceof JsonTooDeep ? TOO_DEEP : readable;
    // Without the cause: its message quotes the body.
    throw new SyncError('NETWORK', `The platform answered ${response.status} with ${found}.`, {
      hint: IN_BETWEEN,
      details: { status: response.status, delivery: 'unknown' },
    });
  }
}

/**
 * Checks the body of a success that may have any form.
 *
 * @throws SyncError as {@link jsonValue} for a web page, or JSON that cannot be read
 */
export function checkReadable(response: HttpResponse): void {
  if (isEmpty(response)) return;
  if (isPage(response) || claimsJson(response)) jsonValue(response);
}

/** Some services send JSON with another content type. */
export function claimsJson(response: HttpResponse): boolean {
  return contentType(response).includes('json') || /^\s*\{/.test(response.text);
}

/** Some frameworks send a plain text as HTML. */
export function isPage(response: HttpResponse): boolean {
  const { text } = response;
  return /^\s*</.test(text) || (contentType(response).includes('html') && /<[a-z!]/i.test(text));
}

function contentType({ headers }: HttpResponse): string {
  return (headers['content-type'] ?? '').toLowerCase();
}

/** Returns the reason in the service's error body, or a description of the body. */
export function refusalMessage(response: HttpResponse): string {
  return (
    statedReason(response) ??
    `the platform answered ${response.status} with ${describeBody(response)}`
  );
}

/** Returns the reason in the service's error body, in its own words. */
export function statedReason(response: HttpResponse): string | undefined {
  const body = parseObjectOrList(response.text);
  return (body && sanitize(reasonOf(body))) || serviceMessage(response);
}

/** Returns whether the body of a refusal is JSON that gives a reason. */
export function givesReason({ text }: HttpResponse): boolean {
  return (messageInJson(text) ?? '') !== '';
}

function serviceRecording(item: WireObject): ServiceRecording {
  const text = (key: string) =>
    typeof item[key] === 'string' ? { [key]: sanitize(item[key]) } : {};
  return { ...text('state'), ...text('fitFileId'), ...text('workoutId'), ...text('jobId') };
}

function reasonIn(body: WireObject, results: WireObject): string {
  const reason = reasonOf({ errors: results['errors'] }) || reasonOf(body);
  return sanitize(reason) || 'the platform gave no reason';
}

function unclear(response: HttpResponse): SyncError {
  return new SyncError(
    'SERVICE_ANSWER',
    `The platform answered ${response.status} without saying that it took anything.`,
    {
      hint: 'The same command again asks once more; with --verbose it shows each request.',
      details: { status: response.status },
    },
  );
}

function describeBody(response: HttpResponse): string {
  if (isEmpty(response)) return 'nothing';
  if (isPage(response)) return 'a web page';
  try {
    parseJson(response.text);
    return 'JSON that gives no reason';
  } catch (error) {
    if (error instanceof JsonTooDeep) return TOO_DEEP;
  }
  return contentType(response).includes('json') ? BROKEN_JSON : 'text';
}

const BROKEN_JSON = 'broken JSON';
const TOO_DEEP = `JSON that is nested more than ${MAX_DEPTH} deep`;
