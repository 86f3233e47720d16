import * as v from 'valibot';
import type { ApiProblem } from './http/problem.ts';
import { refusal } from './http/problem.ts';
import type { RouteName } from './http/routes.ts';
import type { SandboxSettings } from './settings.ts';
import { finiteNumber, integer } from './http/validate.ts';

/** What a platform does that has the interface document and nothing more; the document shows no answers. */

const DOCUMENTED_ROUTES: readonly (RouteName | null)[] = [
  ...['authorize', 'consent', 'token'],
  ...['upload-fit', 'workouts', 'wellness', 'nutrition'],
] as RouteName[];

/** @param route null: no route of any platform */
export function isDocumented(route: RouteName | null): boolean {
  return DOCUMENTED_ROUTES.includes(route);
}

/** Answers a request to a route that the document does not show. */
export function unknownRouteAnswer({ unknownRoutes }: SandboxSettings): Response {
  switch (unknownRoutes) {
    case 'object':
      return Response.json({});
    case 'page':
      return new Response('<!doctype html><title>Training</title><h1>Log in</h1>', {
        headers: { 'content-type': 'text/html; charset=utf-8' },
      });
    default:
      return plainError(unknownRoutes, 'There is no such route');
  }
}

/**
 * Answers an upload or a day that was stored.
 * @param body the answer of Coach Watts
 */
export function storedAnswer(settings: SandboxSettings, id: string, body: object): Response {
  if (settings.platform === 'coach-watts') return Response.json(body);
  switch (settings.answers) {
    case 'object':
      return Response.json({});
    case 'id':
      return Response.json({ id });
    case 'empty':
      return new Response('');
    case 'created':
      return Response.json({ id }, { status: 201 });
    case 'accepted':
      return Response.json({}, { status: 202 });
    case 'no-content':
      return new Response(null, { status: 204 });
    case 'text':
      return new Response('OK');
  }
}

/** Answers an error in the form of the kind. */
export function errorAnswer(
  problem: ApiProblem,
  url: string,
  { platform }: SandboxSettings,
): Response {
  if (platform === 'coach-watts') return problem.toResponse(url);
  const { status, message, data, headers } = problem;
  const issues = Array.isArray(data) ? (data as readonly Issue[]) : [];
  const words = [message, ...issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)];
  return plainError(status, words.join('; '), headers);
}

type Issue = Readonly<{ path: readonly (string | number)[]; message: string }>;

function plainError(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ message }, { status, headers });
}

/** Whether the settings refuse what the document does not show. */
export function isStrict({ platform, strict }: SandboxSettings): boolean {
  return platform === 'interface' && strict;
}

/** @throws Problem 400 with the first name that is not known */
export function requireKnown(
  what: string,
  names: Iterable<string>,
  known: readonly string[] = [],
): void {
  for (const name of names) {
    if (!known.includes(name)) throw refusal(400, `Unknown ${what} "${name}"`);
  }
}

const rawJson = v.optional(v.record(v.string(), v.unknown()));

/** Section 2.2 of the document. */
export const documentedWellness = v.strictObject({
  date: v.string(),
  hrv: v.optional(finiteNumber),
  restingHr: v.optional(integer),
  sleepSecs: v.optional(integer),
  weight: v.optional(finiteNumber),
  vo2max: v.optional(finiteNumber),
  rawJson,
});

/** ISO 8601 in whole seconds with a zone, as in sections 2.3 and 4.4. */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:Z|[+-]\d{2}:\d{2})$/;

/** Section 2.3 of the document. */
export const documentedNutrition = v.strictObject({
  date: v.string(),
  items: v.array(
    v.strictObject({
      name: v.optional(v.string()),
      carbs: v.optional(finiteNumber),
      logged_at: v.pipe(v.string(), v.regex(TIMESTAMP)),
      absorptionType: v.optional(v.picklist(['RAPID'])),
    }),
  ),
  rawJson,
});
