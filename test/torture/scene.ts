import { hastyClock } from '../support/delivery.ts';
import { type World, loginWithToken, openWorld } from '../support/acceptance.ts';
import { runInProcess } from '../support/in-process.ts';
import type { Finished } from '../support/program.ts';
import { PLATFORM_NAMES, type PlatformName } from '../../src/sandbox/settings.ts';
import type { SandboxSettings } from '../../src/sandbox/settings.ts';
import { type Cargo, emptyCargo } from './cargo.ts';
import { judgeOutput } from './judge.ts';
import type { Round } from './kind.ts';

/** A platform, a home that is logged in, and what the platform has to hold. */
export interface Scene {
  readonly round: Round;
  readonly world: World;
  readonly platform: PlatformName;
  /** Whether `sync` may read nutrition days. Without it, it cannot know the athlete's own changes. */
  readonly readsNutrition: boolean;
  readonly cargo: Cargo;
  /** Returns 1, 2, 3, ...: for names that are unique in the scene. */
  readonly serial: () => number;
  /** Runs a command line and judges what it printed. */
  readonly run: (
    args: readonly string[],
    options?: { readonly input?: string },
  ) => Promise<Finished>;
}

export interface SceneOptions {
  /** Default: one of all, at random. */
  readonly platform?: PlatformName;
  /** Default: at random. Only Coach Watts knows the scope. */
  readonly readsNutrition?: boolean;
  /** The setting states the kind of platform, so that each answer has to name what it took. */
  readonly stated?: true;
  /** Starts the built program for each run; else the runs are in this process, without pauses. */
  readonly program?: boolean;
  readonly settings?: Partial<SandboxSettings>;
}

const SCOPES = [
  'workout:write',
  'workout:read',
  'health:write',
  'nutrition:write',
  'profile:write',
  'profile:read',
] as const;

/** Logs in with the scopes of the scene. */
export async function logIn({ world, readsNutrition }: Pick<Scene, 'world' | 'readsNutrition'>) {
  await loginWithToken(world, {
    scopes: readsNutrition ? [...SCOPES, 'nutrition:read'] : [...SCOPES],
  });
}

/** Logs in again if the login has ended. */
export async function relogIfEnded(scene: Scene): Promise<void> {
  const { code } = await scene.run(['workouts']);
  if (code !== 4) return;
  scene.round.count('logins lost');
  await logIn(scene);
}

export async function openScene(round: Round, options: SceneOptions = {}): Promise<Scene> {
  const direct = ({ sandbox }: World) => Promise.resolve({ url: sandbox.url });
  return (await openSceneBehind(round, direct, options)).scene;
}

/** @param open opens a line to the sandbox before the login, with an address for the program */
export async function openSceneBehind<L extends { readonly url: string }>(
  round: Round,
  open: (world: World) => Promise<L>,
  options: SceneOptions = {},
): Promise<{ readonly scene: Scene; readonly line: L }> {
  const { random } = round;
  const { platform = random.pick(PLATFORM_NAMES), program = false, settings = {} } = options;
  const { readsNutrition: mayRead = random.chance(0.5) } = options;
  const readsNutrition = platform === 'coach-watts' && mayRead;
  const world = await openWorld({ platform, sandbox: { settings } });
  const line = await open(world);
  world.home.env['SYNC_BASE_URL'] = line.url;
  await logIn({ world, readsNutrition });
  if (options.stated === true) {
    await runInProcess(['config', 'set', 'platform.kind', platform], { home: world.home });
  }
  const run: Scene['run'] = async (args, { input = '' } = {}) => {
    const { home } = world;
    const started = performance.now();
    const finished = program
      ? await world.program(args, { input })
      : await runInProcess(args, { home, input, clock: hastyClock });
    round.count('runs');
    const { code, stdout, stderr } = finished;
    const ms = Math.round(performance.now() - started);
    const command = args.join(' ');
    round.note(`$ sync ${command} -> ${String(code)} after ${ms} ms\n${stdout}${stderr}`);
    judgeOutput(round, command, finished);
    return finished;
  };
  let serials = 0;
  const serial = () => ++serials;
  const scene = { round, world, platform, readsNutrition, cargo: emptyCargo(), serial, run };
  return { scene, line };
}
