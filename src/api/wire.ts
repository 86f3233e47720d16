import { SyncError } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import { IN_BETWEEN } from './http-failure.ts';
import type { HttpResponse } from './http.ts';
import { sanitize } from '../base/sanitize.ts';

/** What was sent with a request, and is taken out of what the service says. */
type Sent = readonly Secret[];

/** What the service says became of one recording. */
export type UploadAnswer =
  | {
      readonly outcome: 'uploaded' | 'duplicate';
      /** `queued`: received, not a workout yet. `stored`: done. As the service put it, if it did. */
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
  /** `data`: the day as the service stored it, if it shows that. */
  | { readonly outcome: 'pushed'; readonly data?: JsonObject }
  | { readonly outcome: 'rejected'; readonly message: string };

/** JSON object as it came; its fields are read one at a time. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The answer to an upload of one recording (4.1; the interface does not show it). The status says
 * little: deployed services answer 200 to a recording that they could not take. Taken is what the
 * body calls a success, with nothing failed and not counted as no file at all: neither as processed
 * nor as a duplicate, nor named with a state. A revision that counts nothing says nothing against it.
 *
 * @throws SyncError `SERVICE_ANSWER` when the body does not say.
 */
export function decodeUploadAnswer(response: HttpResponse, sent: Sent): UploadAnswer {
  const body = jsonObject(response);
  const results = isObject(body['results']) ? body['results'] : {};
  const item = Array.isArray(results['items']) ? (results['items'] as unknown[])[0] : undefined;
  const service = isObject(item) ? serviceRecording(item, sent) : {};
  const count = (key: string) => (typeof results[key] === 'number' ? results[key] : undefined);
  const counted = (key: string) => (count(key) ?? 0) > 0;
  const duplicate = counted('duplicates');
  // One recording was sent: an error that is told is about it, unless it is said to be there.
  const complained =
    Array.isArray(results['errors']) &&
    results['errors'].length > 0 &&
    !(duplicate || counted('processed') || service.state !== undefined);
  if (body['success'] === false || counted('failed') || service.state === 'failed' || complained) {
    return { outcome: 'rejected', message: reasonIn(body, results, sent) };
  }
  const took = counted('processed') || duplicate || service.state !== undefined;
  const tookNone = count('total') === 0 || (count('processed') === 0 && !took);
  if (body['success'] !== true || tookNone) throw unclear(response);
  return { outcome: duplicate ? 'duplicate' : 'uploaded', service };
}

/** A success without a word (such as 204). It is one where nothing has to be read from it. */
export function isEmpty(response: HttpResponse): boolean {
  return response.text.trim() === '';
}

/**
 * The answer to a wellness or nutrition record (4.2, 4.3; not shown): taken when the body says so, or
 * says nothing at all.
 *
 * @throws SyncError `SERVICE_ANSWER` when the body does not say.
 */
export function decodePushAnswer(response: HttpResponse, sent: Sent): PushAnswer {
  if (isEmpty(response)) return { outcome: 'pushed' };
  const body = jsonObject(response);
  if (body['success'] === false) return { outcome: 'rejected', message: reasonIn(body, {}, sent) };
  if (body['success'] !== true) throw unclear(response);
  const { data } = body;
  return isObject(data) ? { outcome: 'pushed', data } : { outcome: 'pushed' };
}

/** A nutrition item as a service shows it. */
export interface ShownItem {
  readonly id?: string;
  /** Who wrote it, such as `oauth:APP` or `manual`. */
  readonly source?: string;
  /** The list that it is in. */
  readonly meal?: string;
  /** The item without `id` and `source`. */
  readonly body: JsonObject;
}

/** The lists of a nutrition day (not shown in the interface; seen on 2026-02 and 2026-08). */
const MEALS = ['breakfast', 'lunch', 'dinner', 'snacks'] as const;

/**
 * The items of a nutrition day as a service shows it: in four meal lists, or in one list `items`.
 *
 * @returns undefined if it shows no items at all.
 */
export function shownItems(day: JsonObject): readonly ShownItem[] | undefined {
  const lists = [
    ...MEALS.map((meal) => [meal, day[meal]] as const),
    [undefined, day['items']] as const,
  ];
  const shown = lists.flatMap(([meal, list]) =>
    Array.isArray(list) ? [list.filter(isObject).map((item) => shownItem(item, meal))] : [],
  );
  return shown.length === 0 ? undefined : shown.flat();
}

function shownItem(item: JsonObject, meal: string | undefined): ShownItem {
  const { id, source, ...body } = item;
  return {
    ...(typeof id === 'string' && id !== '' ? { id } : {}),
    ...(typeof source === 'string' ? { source } : {}),
    ...(meal === undefined ? {} : { meal }),
    body,
  };
}

/**
 * The items of one day in the answer to `GET /api/nutrition`.
 *
 * @param limit as it was asked for: a service that knows no dates returns the newest days.
 * @returns undefined if the answer does not tell what the day holds.
 */
export function shownDay(
  answer: unknown,
  date: string,
  limit: number,
): readonly ShownItem[] | undefined {
  const rows = isObject(answer) ? answer['nutrition'] : undefined;
  if (!Array.isArray(rows)) return undefined;
  const day = rows.filter(isObject).find((row) => String(row['date']).slice(0, 10) === date);
  if (day !== undefined) return shownItems(day);
  return rows.length < limit ? [] : undefined;
}

/**
 * The answer to a change of the profile (4.8; not shown): what the profile now says, or undefined
 * where the service took the change without a word.
 *
 * @throws SyncError `REJECTED` when the body says that it was not taken.
 */
export function decodeProfileAnswer(response: HttpResponse, sent: Sent): unknown {
  if (isEmpty(response)) return undefined;
  const body = jsonValue(response);
  if (!isObject(body) || body['success'] !== false) return body;
  throw new SyncError(
    'REJECTED',
    `The service did not take the update: ${reasonIn(body, {}, sent)}`,
    { details: { status: response.status } },
  );
}

/** Did the service itself answer? What stands in front of it answers with pages. */
export function isJsonObject({ text }: HttpResponse): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

/** The body as a JSON object. @throws SyncError `SERVICE_ANSWER` that says what came instead. */
function jsonObject(response: HttpResponse): JsonObject {
  const value = jsonValue(response);
  if (!isObject(value)) throw unclear(response);
  return value;
}

/**
 * The body as JSON.
 *
 * @throws SyncError `NETWORK` (fate unknown) when it is not: half an answer, or the page of a proxy
 *   or of a hotel's network, none of which is the service's own word. Asking again is right.
 */
export function jsonValue(response: HttpResponse): unknown {
  try {
    return JSON.parse(response.text);
  } catch {
    // Without its cause, which repeats a piece of the text.
    throw new SyncError(
      'NETWORK',
      `The service answered ${response.status} with ${describeBody(response)}, not with JSON.`,
      {
        hint: IN_BETWEEN,
        details: { status: response.status, delivery: 'unknown' },
      },
    );
  }
}

/** What a refusal says of itself: `message` of the service's error body, else what came. */
export function refusalMessage(response: HttpResponse, sent: Sent): string {
  try {
    const value: unknown = JSON.parse(response.text);
    if (isObject(value)) {
      const message = firstText(
        value['message'],
        value['error_description'],
        value['statusMessage'],
        value['error'],
      );
      if (message !== undefined) return sanitize(message + issuesIn(value['data']), sent);
    }
  } catch {
    // Not JSON: a proxy's page. It is described below instead.
  }
  return `the service answered ${response.status} with ${describeBody(response)}`;
}

/** Validation issues (`data`), as deployed services list them: each with a path and a message. */
function issuesIn(data: unknown): string {
  const list = isObject(data) && Array.isArray(data['issues']) ? data['issues'] : data;
  if (!Array.isArray(list)) return '';
  const issues = (list as unknown[]).flatMap((issue) => {
    if (!isObject(issue)) return typeof issue === 'string' ? [issue] : [];
    const path = Array.isArray(issue['path']) ? issue['path'].join('.') : issue['path'];
    const message = firstText(issue['message']);
    if (message === undefined) return [];
    return [typeof path === 'string' && path !== '' ? `${path}: ${message}` : message];
  });
  return issues.length === 0 ? '' : ` (${issues.slice(0, 5).join('; ')})`;
}

function serviceRecording(item: JsonObject, sent: Sent): ServiceRecording {
  const text = (key: string) =>
    typeof item[key] === 'string' ? { [key]: sanitize(item[key], sent) } : {};
  return { ...text('state'), ...text('fitFileId'), ...text('workoutId'), ...text('jobId') };
}

function reasonIn(body: JsonObject, results: JsonObject, sent: Sent): string {
  const errors = Array.isArray(results['errors']) ? (results['errors'] as unknown[]) : [];
  const reasons = errors.flatMap((error) => {
    if (typeof error === 'string') return [error];
    const reason = isObject(error)
      ? firstText(error['message'], error['error'], error['reason'])
      : undefined;
    return reason === undefined ? [] : [reason];
  });
  const reason =
    reasons.length > 0 ? reasons.join('; ') : firstText(body['message'], body['error']);
  return sanitize(reason, sent) || 'the service gave no reason';
}

function unclear(response: HttpResponse): SyncError {
  return new SyncError(
    'SERVICE_ANSWER',
    `The service answered ${response.status} without saying that it took anything.`,
    {
      hint: 'The same command again asks once more; with --verbose it shows each request.',
      details: { status: response.status },
    },
  );
}

function describeBody(response: HttpResponse): string {
  if (response.text.trim() === '') return 'nothing';
  if (/^\s*</.test(response.text)) return 'a web page';
  if (isJson(response.text)) return 'JSON that gives no reason';
  return (response.headers['content-type'] ?? '').includes('json') ? 'broken JSON' : 'text';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function firstText(...values: unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value.trim() !== '');
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
