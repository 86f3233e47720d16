/** The endpoints of the platform. Faults and the request log use their names. */
export const ROUTES = [
  { name: 'authorize', method: 'GET', path: '/api/oauth/authorize' },
  { name: 'consent', method: 'POST', path: '/api/oauth/authorize' },
  { name: 'token', method: 'POST', path: '/api/oauth/token' },
  { name: 'revoke', method: 'POST', path: '/api/oauth/revoke' },
  { name: 'userinfo', method: 'GET', path: '/api/oauth/userinfo' },
  { name: 'profile', method: 'GET', path: '/api/profile' },
  { name: 'profile-update', method: 'PATCH', path: '/api/profile' },
  { name: 'upload-fit', method: 'POST', path: '/api/workouts/upload-fit' },
  { name: 'workouts', method: 'GET', path: '/api/workouts' },
  { name: 'workout-update', method: 'PATCH', path: '/api/workouts/:id' },
  { name: 'workout-removal', method: 'DELETE', path: '/api/workouts/:id' },
  { name: 'wellness', method: 'POST', path: '/api/wellness' },
  { name: 'wellness-list', method: 'GET', path: '/api/wellness' },
  { name: 'nutrition', method: 'POST', path: '/api/nutrition' },
  { name: 'nutrition-list', method: 'GET', path: '/api/nutrition' },
  { name: 'nutrition-items', method: 'PATCH', path: '/api/nutrition/:date/items' },
] as const;

export type RouteName = (typeof ROUTES)[number]['name'];

const patterns = ROUTES.map((route) => ({
  ...route,
  pattern: new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+')}$`),
}));

export function routeOf(method: string, path: string): RouteName | null {
  const route = patterns.find((each) => each.method === method && each.pattern.test(path));
  return route?.name ?? null;
}

export function routeNamed(name: RouteName): (typeof ROUTES)[number] {
  const route = ROUTES.find((candidate) => candidate.name === name);
  if (route === undefined) throw new Error(`No route ${name}`);
  return route;
}

export function methodsOf(path: string): string[] {
  return patterns.filter(({ pattern }) => pattern.test(path)).map((route) => route.method);
}
