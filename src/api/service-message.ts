import { isObject, parseObjectOrList } from '../base/json.ts';
import { sanitize } from '../base/printable.ts';
import type { HttpResponse } from './http.ts';

/** Upper bound for the service's words (characters). */
export const MAX_MESSAGE = 200;

/**
 * Returns the service's own words in the body of a failure, such as "Maintenance until 14:00": those of its JSON, or
 * a plain text. A web page has none.
 */
export function serviceMessage({
  text,
  headers,
}: Pick<HttpResponse, 'text' | 'headers'>): string | undefined {
  const type = headers['content-type'] ?? 'text/plain';
  const isPlain = /^text\/plain\b/i.test(type) && !/^\s*[<{[]/.test(text);
  const words = messageInJson(text) ?? (isPlain ? text : '');
  return sanitize(words, MAX_MESSAGE) || undefined;
}

/** Returns the service's own words in JSON, '' if it has none; undefined for other texts. */
export function messageInJson(text: string): string | undefined {
  const body = parseObjectOrList(text);
  return body && (headlineOf(body) ?? listed(issuesOf(body)));
}

/**
 * Returns what an error body complains about: its words about the whole request, and about fields. It may have the
 * form of OAuth, of problem details (RFC 9457), or of a usual framework.
 *
 * @returns '' if it gives no reason
 */
export function reasonOf(body: object): string {
  const headline = headlineOf(body);
  const issues = listed(issuesOf(body));
  return headline === undefined || issues === '' ? (headline ?? issues) : `${headline} (${issues})`;
}

function headlineOf(body: object): string | undefined {
  if (!isObject(body)) return undefined;
  const { message, detail, error_description: description, statusMessage, title, error } = body;
  const { msg, reason } = body;
  const inner = isObject(error) ? error['message'] : undefined;
  const lines = [message, detail].map((line) => (isTexts(line) ? line.join('; ') : line));
  return firstText(...lines, description, inner, msg, reason, statusMessage, title, error);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function issuesOf(body: object): string[] {
  if (!isObject(body)) return issuesIn(body, []);
  const { data, detail, details, errors, error, issues, violations } = body;
  const { fieldErrors, validationErrors, messages } = body;
  const inner = isObject(data) ? data['issues'] : data;
  const lists = [inner, isTexts(detail) ? [] : detail, details, issues, violations];
  const named = [errors, fieldErrors, validationErrors, messages];
  const found = [...lists.filter(Array.isArray), ...named].flatMap((list) => issuesIn(list, []));
  if (found.length > 0) return found;
  if (isObject(error)) return issuesOf(error);
  // Some frameworks answer with lists of texts by field, and nothing else.
  const fields = headlineOf(body) === undefined ? Object.entries(body) : [];
  return fields.flatMap(([name, texts]) => (isTexts(texts) ? issuesIn(texts, [name]) : []));
}

/** @param path the field that it is about */
function issuesIn(value: unknown, path: readonly string[]): string[] {
  if (typeof value === 'string') {
    const field = path.filter((name) => !NO_FIELDS.has(name)).join('.');
    return value.trim() === '' ? [] : [field === '' ? value : `${field}: ${value}`];
  }
  if (Array.isArray(value)) return value.flatMap((each) => issuesIn(each, path));
  if (!isObject(value)) return [];
  const { message, msg, defaultMessage, detail, reason, title, error } = value;
  const words = firstText(message, msg, defaultMessage, detail, reason, title, error);
  const place = placeOf(value);
  if (words !== undefined) return issuesIn(words, place ?? path);
  if (place !== undefined) return [];
  return Object.entries(value).flatMap(([name, each]) => issuesIn(each, [...path, name]));
}

/** Names that frameworks use for all of a request. */
const NO_FIELDS = new Set(['', 'body', 'json', 'base', '_errors', 'non_field_errors', '__all__']);

/** Returns the field of an issue, as frameworks name it. */
function placeOf(issue: Readonly<Record<string, unknown>>): string[] | undefined {
  const { path, loc, field, param, property, propertyPath, pointer, source, name } = issue;
  const inner = isObject(source) ? source['pointer'] : undefined;
  const places = [path, loc, field, param, property, propertyPath, pointer, inner, name];
  const place = places.find((each) => typeof each === 'string' || Array.isArray(each));
  return place === undefined ? undefined : [place].flat().map(String);
}

/** Joins the first issues. */
function listed(issues: readonly string[]): string {
  return issues.slice(0, MAX_ISSUES).join('; ');
}

/** Upper bound for the issues of one message. */
const MAX_ISSUES = 5;

/** Returns the first value that is a text with visible characters. */
export function firstText(...values: unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value.trim() !== '');
}

/** Matches the phrases of statuses that are retried (RFC 9110 section 15), such as "503 Service Unavailable". */
const STATUS_PHRASE =
  /^(?:\d{3}\s*)?(?:request timeout|too many requests|(?:internal )?server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out)[.!]?$/i;

/** Returns whether words only repeat their status. */
export function repeatsStatus(words: string): boolean {
  return STATUS_PHRASE.test(words);
}
