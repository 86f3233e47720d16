import { routePath } from 'hono/route';
import * as v from 'valibot';
import { ApiProblem, refusal, serverError, TokenProblem } from './http/problem.ts';
import { ROUTES } from './http/routes.ts';
import { authorize, decide } from './oauth/authorize.ts';
import { getMetadata, postRegistration } from './oauth/registration.ts';
import { FURTHER_SCOPES, SCOPES } from './oauth/scopes.ts';
import { postRevoke, postToken } from './oauth/token.ts';
import { isPlainDate, utcDayOf } from './resources/dates.ts';
import { listNutrition, patchNutritionItems, postNutrition } from './resources/nutrition.ts';
import { sentDay, sentItem } from './resources/nutrition-day.ts';
import { getProfile, getUserinfo, patchProfile } from './resources/profile.ts';
import { postUpload } from './resources/upload.ts';
import { adapted, listWellness, postWellness, sentWellness } from './resources/wellness.ts';
import {
  listAllWorkouts,
  listWorkouts,
  removeWorkout,
  renameWorkout,
} from './resources/workout-list.ts';
import type { Platform } from './platform.ts';
import type { SandboxSettings } from './settings.ts';

/** Returns the kind of platform that the settings name. */
export function platformOf(settings: SandboxSettings): Platform {
  return settings.platform === 'coach-watts' ? COACH_WATTS : documented(settings);
}

const COACH_WATTS: Platform = {
  scopes: SCOPES,
  refusesScopes: 'when approved',
  routes: {
    authorize,
    consent: decide,
    token: postToken,
    revoke: postRevoke,
    userinfo: getUserinfo,
    metadata: getMetadata,
    register: postRegistration,
    profile: getProfile,
    'profile-update': patchProfile,
    'upload-fit': postUpload,
    workouts: listWorkouts,
    'workout-update': renameWorkout,
    'workout-removal': removeWorkout,
    wellness: postWellness,
    'wellness-list': listWellness,
    nutrition: postNutrition,
    'nutrition-list': listNutrition,
    'nutrition-items': patchNutritionItems,
  },
  otherwise(c) {
    if (c.req.method === 'HEAD') throw refusal(405, 'HEAD is not allowed.');
    // Deployed services answer a wrong method so, with any token.
    const isPath = Object.values(ROUTES).some(([, path]) => path === routePath(c));
    if (isPath) throw new ApiProblem(401, 'Unauthorized');
    throw refusal(404, `Cannot find any route matching ${c.req.path}.`);
  },
  error: (problem, url) => problem.toResponse(url),
  stored: (_id, body) => Response.json(body),
  dayOf(date) {
    const day = utcDayOf(date);
    if (day === null) throw serverError();
    return day;
  },
  wellness: sentWellness,
  adapted,
  nutrition: sentDay,
  addsItems: true,
  filePart: 'file',
  /** Drops a name with `=`, cuts a name at `;`, and stores `"` as `%22`. */
  fileName(sent) {
    const [name = ''] = sent.includes('=') ? [] : sent.replaceAll('"', '%22').split(';', 1);
    return name === '' ? 'upload.fit' : name;
  },
  refusesKnown: false,
  isStrict: false,
};

/** Returns a platform that has the interface document and nothing more; the document shows no answers. */
function documented({
  strict,
  filePart,
  refusesKnown,
  answers,
  unknownRoutes,
}: SandboxSettings): Platform {
  return {
    scopes: SCOPES.filter((scope) => !FURTHER_SCOPES.includes(scope)),
    refusesScopes: strict ? 'when asked' : 'never',
    routes: {
      authorize,
      consent: decide,
      token: postToken,
      'upload-fit': postUpload,
      workouts: listAllWorkouts,
      wellness: postWellness,
      nutrition: postNutrition,
    },
    otherwise: () => unknownRouteAnswer(unknownRoutes),
    error: documentedError,
    stored: (id) => STORED[answers](id),
    /** The day is the written date. */
    dayOf(date) {
      const written = date.slice(0, 10);
      if (utcDayOf(date) === null || !isPlainDate(written)) {
        throw refusal(400, `Invalid date "${date}"`);
      }
      return written;
    },
    wellness: strict ? documentedWellness : sentWellness,
    adapted: (sent) => sent,
    nutrition: strict ? documentedNutrition : sentDay,
    addsItems: false,
    filePart,
    fileName: (sent) => sent,
    refusesKnown,
    isStrict: strict,
  };
}

/** Answers a request to a route that the document does not show. */
function unknownRouteAnswer(kind: SandboxSettings['unknownRoutes']): Response {
  switch (kind) {
    case 'object':
      return Response.json({});
    case 'page':
      return new Response('<!doctype html><title>Training</title><h1>Log in</h1>', {
        headers: { 'content-type': 'text/html; charset=utf-8' },
      });
    default:
      return Response.json({ message: 'There is no such route' }, { status: kind });
  }
}

/** The answers to an upload or a day that was stored under an ID. */
const STORED: Readonly<Record<SandboxSettings['answers'], (id: string) => Response>> = {
  object: () => Response.json({}),
  id: (id) => Response.json({ id }),
  empty: () => new Response(''),
  created: (id) => Response.json({ id }, { status: 201 }),
  accepted: () => Response.json({}, { status: 202 }),
  'no-content': () => new Response(null, { status: 204 }),
  text: () => new Response('OK'),
};

function documentedError(problem: ApiProblem): Response {
  if (problem instanceof TokenProblem) return problem.toResponse();
  const { status, message, data, headers } = problem;
  const issues = Array.isArray(data) ? (data as readonly Issue[]) : [];
  const words = [message, ...issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)];
  return Response.json({ message: words.join('; ') }, { status, headers });
}

type Issue = Readonly<{ path: readonly (string | number)[]; message: string }>;

const rawJson = v.optional(v.record(v.string(), v.unknown()));

/** Section 2.2 of the document. */
const documentedWellness = v.strictObject({
  ...v.pick(sentWellness, ['date', 'hrv', 'restingHr', 'sleepSecs', 'weight', 'vo2max']).entries,
  rawJson,
});

/** ISO 8601 in whole seconds with a zone, as in sections 2.3 and 4.4. */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:Z|[+-]\d{2}:\d{2})$/;

/** Section 2.3 of the document. */
const documentedNutrition = v.strictObject({
  date: v.string(),
  items: v.array(
    v.strictObject({
      ...v.pick(sentItem, ['name', 'carbs']).entries,
      logged_at: v.pipe(v.string(), v.regex(TIMESTAMP)),
      absorptionType: v.optional(v.picklist(['RAPID'])),
    }),
  ),
  rawJson,
});
