import type { Scope } from '../oauth/scopes.ts';

/** Method, path and required scope. null: a token with any scope; undefined: no token. */
export type Endpoint = readonly [method: string, path: string, scope?: Scope | null];

/** The endpoints of the platform. Faults and the request log use their names. */
export const ROUTES = {
  authorize: ['GET', '/api/oauth/authorize'],
  consent: ['POST', '/api/oauth/authorize'],
  token: ['POST', '/api/oauth/token'],
  revoke: ['POST', '/api/oauth/revoke'],
  userinfo: ['GET', '/api/oauth/userinfo', null],
  metadata: ['GET', '/.well-known/oauth-authorization-server'],
  register: ['POST', '/api/oauth/register'],
  profile: ['GET', '/api/profile', 'profile:read'],
  'profile-update': ['PATCH', '/api/profile', 'profile:write'],
  'upload-fit': ['POST', '/api/workouts/upload-fit', 'workout:write'],
  workouts: ['GET', '/api/workouts', 'workout:read'],
  'workout-update': ['PATCH', '/api/workouts/:id', 'workout:write'],
  'workout-removal': ['DELETE', '/api/workouts/:id', 'workout:write'],
  wellness: ['POST', '/api/wellness', 'health:write'],
  'wellness-list': ['GET', '/api/wellness', 'health:read'],
  nutrition: ['POST', '/api/nutrition', 'nutrition:write'],
  'nutrition-list': ['GET', '/api/nutrition', 'nutrition:read'],
  'nutrition-items': ['PATCH', '/api/nutrition/:date/items', 'nutrition:write'],
} as const satisfies Readonly<Record<string, Endpoint>>;

export type RouteName = keyof typeof ROUTES;
export const ROUTE_NAMES = Object.keys(ROUTES) as readonly RouteName[];
