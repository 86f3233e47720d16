import { Hono, type Handler } from 'hono';
import { Consent } from './oauth/authorize.ts';
import { requireBearer } from './oauth/bearer.ts';
import { createControl } from './control.ts';
import { controlRoutes } from './control-routes.ts';
import { listNutrition, patchNutritionItems, postNutrition } from './resources/nutrition.ts';
import { errorAnswer, isDocumented, unknownRouteAnswer } from './interface.ts';
import { loopbackOnly, ownPagesOnly, recordAndAnswer } from './http/middleware.ts';
import { pageRoutes } from './page/routes.ts';
import { ApiProblem, refusal, TokenProblem } from './http/problem.ts';
import { getProfile, getUserinfo, patchProfile } from './resources/profile.ts';
import { isPath, ROUTES, type RouteName } from './http/routes.ts';
import type { Scope } from './oauth/scopes.ts';
import { getMetadata, postRegistration } from './oauth/registration.ts';
import { postRevoke, postToken } from './oauth/token.ts';
import { postUpload } from './resources/upload.ts';
import { listWellness, postWellness } from './resources/wellness.ts';
import { listWorkouts, removeWorkout, renameWorkout } from './resources/workout-list.ts';
import type { RequestRecord } from './types.ts';
import { createWorld, type SandboxEnv, type World, type WorldOptions } from './world.ts';

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
  app.use(async (_c, next) => {
    await next();
    world.store.save();
  });
  app.use(loopbackOnly());
  app.route('/', pageRoutes(world));
  app.route('/_sandbox', controlRoutes(world, control));
  app.use(ownPagesOnly(['GET', 'HEAD']));
  app.use(recordAndAnswer(world));
  addPlatform(app, world);
  app.notFound((c) => {
    // Deployed services answer a wrong method so, with any token.
    const problem = isPath(c.req.path)
      ? new ApiProblem(401, 'Unauthorized')
      : refusal(404, `Cannot find any route matching ${c.req.path}.`);
    return problem.toResponse(c.req.url);
  });
  app.onError((error, c) => {
    if (error instanceof TokenProblem) return error.toResponse();
    const problem =
      error instanceof ApiProblem
        ? error
        : new ApiProblem(500, `The sandbox failed: ${error.message}`);
    const isPlatform = (c.get('record') as RequestRecord | undefined) !== undefined;
    return isPlatform
      ? errorAnswer(problem, c.req.url, world.settings.current)
      : problem.toResponse(c.req.url);
  });
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

function addPlatform(app: Hono<SandboxEnv>, world: World): void {
  app.use(async (c, next) => {
    const { current } = world.settings;
    if (current.platform === 'interface' && !isDocumented(c.get('record').route)) {
      return unknownRouteAnswer(current);
    }
    // Hono would answer it like GET; deployed services do not.
    if (c.req.method === 'HEAD') throw refusal(405, 'HEAD is not allowed.');
    await next();
    return undefined;
  });
  const consent = new Consent(world);
  /** @param scope undefined: needs no token; null: needs one with any scope */
  const add = (name: RouteName, handler: Handler<SandboxEnv>, scope?: Scope | null) => {
    const [method, path] = ROUTES[name];
    if (scope !== undefined) app.on(method, path, requireBearer(world, scope));
    app.on(method, path, handler);
  };
  add('metadata', getMetadata(world));
  add('register', postRegistration(world));
  add('authorize', (c) => consent.show(c));
  add('consent', (c) => consent.decide(c));
  add('token', postToken(world));
  add('revoke', postRevoke(world));
  add('userinfo', getUserinfo(world), null);
  add('profile', getProfile(world), 'profile:read');
  add('profile-update', patchProfile(world), 'profile:write');
  add('upload-fit', postUpload(world), 'workout:write');
  add('workouts', listWorkouts(world), 'workout:read');
  add('workout-update', renameWorkout(world), 'workout:write');
  add('workout-removal', removeWorkout(world), 'workout:write');
  add('wellness', postWellness(world), 'health:write');
  add('wellness-list', listWellness(world), 'health:read');
  add('nutrition', postNutrition(world), 'nutrition:write');
  add('nutrition-list', listNutrition(world), 'nutrition:read');
  add('nutrition-items', patchNutritionItems(world), 'nutrition:write');
}
