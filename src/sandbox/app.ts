import { Hono } from 'hono';
import { createControl } from './control.ts';
import { controlRoutes } from './control-routes.ts';
import { answerRequest } from './http/answer-request.ts';
import { loopbackOnly, ownPagesOnly } from './http/middleware.ts';
import { problemOf } from './http/problem.ts';
import { ROUTE_NAMES, ROUTES } from './http/routes.ts';
import { pageRoutes } from './page/routes.ts';
import type { SandboxEnv } from './platform.ts';
import { createWorld, type WorldOptions } from './world.ts';

export type SandboxApp = ReturnType<typeof createSandboxApp>;

/**
 * Creates the platform without a port. Faults that break a connection need {@link startSandbox}.
 * @throws SettingError, FaultSpecError; the error of reading the data
 */
export function createSandboxApp(options: WorldOptions = {}) {
  const world = createWorld(options);
  // A disk that takes no data is an error now, not of the first request.
  world.store.save();
  const control = createControl(world);
  const app = new Hono<SandboxEnv>();
  app.use(async (c, next) => {
    c.set('world', world);
    await next();
    world.store.save();
  });
  app.use(loopbackOnly);
  app.route('/', pageRoutes(world));
  app.route('/_sandbox', controlRoutes(control));
  app.use(ownPagesOnly(['GET', 'HEAD']));
  // Hono would route HEAD like GET; deployed services do not.
  app.use(async (c, next) =>
    c.req.method === 'HEAD' ? await answerRequest(c, null) : await next(),
  );
  for (const name of ROUTE_NAMES) {
    const [method, path] = ROUTES[name];
    app.on(method, path, (c) => answerRequest(c, name));
  }
  for (const [, path] of Object.values(ROUTES)) app.all(path, (c) => answerRequest(c, null));
  app.all('*', (c) => answerRequest(c, null));
  app.onError((error, c) => problemOf(error).toResponse(c.req.url));
  return {
    /** A function from request to response: `app.request('/api/workouts', ...)` needs no port. */
    app,
    control,
    world,
    /** Ends delays, and saves the data. May be called twice. */
    close: () => {
      world.closing.abort();
      world.store.save();
    },
  };
}
