import { Hono } from 'hono';
import { Consent } from './oauth/authorize.ts';
import { requireBearer, requireTrait } from './oauth/bearer.ts';
import { createControl } from './control.ts';
import type { Control } from './types.ts';
import { controlRoutes } from './control-routes.ts';
import { listNutrition, patchNutritionItems, postNutrition } from './resources/nutrition.ts';
import { loopbackOnly, ownPagesOnly, recordAndAnswer } from './http/middleware.ts';
import { pageRoutes } from './page/routes.ts';
import { ApiProblem, refusal, TokenProblem } from './http/problem.ts';
import { getProfile, getUserinfo, patchProfile } from './resources/profile.ts';
import { methodsOf, pathOf } from './http/routes.ts';
import { postRevoke, postToken } from './oauth/token.ts';
import { postUpload } from './resources/upload.ts';
import { listWellness, postWellness } from './resources/wellness.ts';
import { listWorkouts, removeWorkout, renameWorkout } from './resources/workout-list.ts';
import { createWorld, type SandboxEnv, type World, type WorldOptions } from './world.ts';

export interface SandboxApp {
  /** A function from request to response: `app.request('/api/workouts', ...)` needs no port. */
  readonly app: Hono<SandboxEnv>;
  readonly control: Control;
  readonly world: World;
  /** Ends delays, and saves the data. May be called twice. */
  readonly close: () => void;
}

/**
 * Creates the platform without a port. Faults that break a connection need {@link startSandbox}.
 * @throws SettingError, FaultSpecError; the error of reading the data
 */
export function createSandboxApp(options: WorldOptions = {}): SandboxApp {
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
  app.route('/', pageRoutes(world, control));
  app.route('/_sandbox', controlRoutes(world, control));
  app.use(ownPagesOnly());
  app.use(recordAndAnswer(world));
  addPlatform(app, world);
  app.notFound((c) => {
    const allowed = methodsOf(c.req.path);
    const problem =
      allowed.length === 0
        ? refusal(404, `Cannot find any route matching ${c.req.path}.`)
        : refusal(405, `${c.req.method} is not allowed on this route: ${allowed.join(', ')}.`);
    return problem.toResponse(c.req.url);
  });
  app.onError((error, c) => {
    if (error instanceof TokenProblem) return error.toResponse();
    const problem =
      error instanceof ApiProblem
        ? error
        : new ApiProblem(500, `The sandbox failed: ${error.message}`);
    return problem.toResponse(c.req.url);
  });
  return {
    app,
    control,
    world,
    close: () => {
      world.closing.abort();
      world.store.save();
    },
  };
}

function addPlatform(app: Hono<SandboxEnv>, world: World): void {
  const consent = new Consent(world);
  app.get(pathOf('authorize'), (c) => consent.show(c));
  app.post(pathOf('consent'), (c) => consent.decide(c));
  app.post(pathOf('token'), postToken(world));
  app.post(pathOf('revoke'), postRevoke(world));
  app.get(pathOf('userinfo'), requireBearer(world, null), getUserinfo(world));
  app.get(
    pathOf('profile'),
    requireTrait(world, ({ profileRead }) => profileRead),
    requireBearer(world, 'profile:read'),
    getProfile(world),
  );
  app.patch(pathOf('profile-update'), requireBearer(world, 'profile:write'), patchProfile(world));
  app.post(pathOf('upload-fit'), requireBearer(world, 'workout:write'), postUpload(world));
  app.get(pathOf('workouts'), requireBearer(world, 'workout:read'), listWorkouts(world));
  const changesWorkouts = [
    requireTrait(world, ({ workoutEdits }) => workoutEdits),
    requireBearer(world, 'workout:write'),
  ] as const;
  app.patch(pathOf('workout-update'), ...changesWorkouts, renameWorkout(world));
  app.delete(pathOf('workout-removal'), ...changesWorkouts, removeWorkout(world));
  app.post(pathOf('wellness'), requireBearer(world, 'health:write'), postWellness(world));
  app.get(
    pathOf('wellness-list'),
    requireTrait(world, ({ wellnessList }) => wellnessList),
    requireBearer(world, 'health:read'),
    listWellness(world),
  );
  app.post(pathOf('nutrition'), requireBearer(world, 'nutrition:write'), postNutrition(world));
  app.get(
    pathOf('nutrition-list'),
    requireTrait(world, ({ nutritionList }) => nutritionList !== 'none'),
    requireBearer(world, 'nutrition:read'),
    listNutrition(world),
  );
  app.patch(
    pathOf('nutrition-items'),
    requireTrait(world, ({ nutritionEdits }) => nutritionEdits),
    requireBearer(world, 'nutrition:write'),
    patchNutritionItems(world),
  );
}
