/** The endpoints of the platform. Faults and the request log use their names. */
export const ROUTES = {
  authorize: ['GET', '/api/oauth/authorize'],
  consent: ['POST', '/api/oauth/authorize'],
  token: ['POST', '/api/oauth/token'],
  revoke: ['POST', '/api/oauth/revoke'],
  userinfo: ['GET', '/api/oauth/userinfo'],
  metadata: ['GET', '/.well-known/oauth-authorization-server'],
  register: ['POST', '/api/oauth/register'],
  profile: ['GET', '/api/profile'],
  'profile-update': ['PATCH', '/api/profile'],
  'upload-fit': ['POST', '/api/workouts/upload-fit'],
  workouts: ['GET', '/api/workouts'],
  'workout-update': ['PATCH', '/api/workouts/:id'],
  'workout-removal': ['DELETE', '/api/workouts/:id'],
  wellness: ['POST', '/api/wellness'],
  'wellness-list': ['GET', '/api/wellness'],
  nutrition: ['POST', '/api/nutrition'],
  'nutrition-list': ['GET', '/api/nutrition'],
  'nutrition-items': ['PATCH', '/api/nutrition/:date/items'],
} as const;

export type RouteName = keyof typeof ROUTES;
export const ROUTE_NAMES = Object.keys(ROUTES) as readonly RouteName[];

const patterns = ROUTE_NAMES.map((name) => {
  const [method, path] = ROUTES[name];
  return { name, method, pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`) };
});

export function routeOf(method: string, path: string): RouteName | null {
  const route = patterns.find((each) => each.method === method && each.pattern.test(path));
  return route?.name ?? null;
}

/** Whether an endpoint has this path, with any method. */
export function isPath(path: string): boolean {
  return patterns.some(({ pattern }) => pattern.test(path));
}
