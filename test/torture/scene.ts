import { hastyClock } from '../support/delivery.ts';
import { type World, loginWithToken, openWorld } from '../support/acceptance.ts';
import { runInProcess } from '../support/in-process.ts';
import type { Finished } from '../support/program.ts';
import { REVISION_NAMES, type Revision } from '../../src/sandbox/settings.ts';
import type { SandboxSettings } from '../../src/sandbox/settings.ts';
import type { Random } from '../../src/seed/random.ts';
import { type BadLine, openBadLine } from './bad-line.ts';
import { type Cargo, emptyCargo } from './cargo.ts';
import { judgeOutput } from './judge.ts';
import type { Round } from './kind.ts';

/** A platform, a home that is logged in, and what the platform has to hold. */
export interface Scene {
  readonly round: Round;
  readonly world: World;
  readonly revision: Revision;
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
  readonly revision: Revision;
  readonly readsNutrition?: boolean;
  /** Starts the built program for each run; else the runs are in this process, without pauses. */
  readonly program?: boolean;
  readonly settings?: Partial<SandboxSettings>;
  /** Opens a line to the sandbox. @returns the address for the program */
  readonly through?: (url: string) => Promise<string>;
}

/** Both deployed revisions, and the third behaviour of nutrition. */
export const REVISIONS: readonly [Revision, ...Revision[]] = REVISION_NAMES;

const SCOPES = [
  'workout:write',
  'workout:read',
  'health:write',
  'nutrition:write',
  'profile:write',
  'profile:read',
] as const;

/** Logs in again, with the scopes of the scene. */
export async function logIn({ world, readsNutrition }: Pick<Scene, 'world' | 'readsNutrition'>) {
  await loginWithToken(world, {
    scopes: readsNutrition ? [...SCOPES, 'nutrition:read'] : [...SCOPES],
  });
}

export async function openScene(round: Round, options: SceneOptions): Promise<Scene> {
  const { revision, readsNutrition = true, program = false, settings, through } = options;
  const world = await openWorld({
    revision,
    sandbox: settings === undefined ? {} : { settings },
  });
  if (through !== undefined) {
    world.home.env['SYNC_BASE_URL'] = await through(world.sandbox.url);
  }
  await logIn({ world, readsNutrition });
  const run: Scene['run'] = async (args, { input = '' } = {}) => {
    const { home } = world;
    const started = performance.now();
    const finished = program
      ? await world.program(args, { input })
      : await runInProcess(args, { home, input, clock: hastyClock });
    round.count('runs');
    round.note(described(args, finished, performance.now() - started));
    judgeOutput(round, args.join(' '), finished);
    return finished;
  };
  let serial = 0;
  return {
    ...{ round, world, revision, readsNutrition, run },
    cargo: emptyCargo(),
    serial: () => ++serial,
  };
}

/** Opens a scene of a random revision behind a line that the round can break. */
export async function openOnBadLine(
  round: Round,
  random: Random,
): Promise<{ readonly scene: Scene; readonly line: BadLine }> {
  const lines: BadLine[] = [];
  const scene = await openScene(round, {
    revision: random.pick(REVISIONS),
    readsNutrition: random.chance(0.5),
    through: async (url) => {
      const line = await openBadLine(url);
      lines.push(line);
      return line.url;
    },
  });
  const [line] = lines;
  if (line === undefined) throw new Error('the scene opened no line');
  return { scene, line };
}

/** @param ms that the run took */
function described(
  args: readonly string[],
  { code, stdout, stderr }: Finished,
  ms: number,
): string {
  return `$ sync ${args.join(' ')} -> ${String(code)} after ${Math.round(ms)} ms\n${stdout}${stderr}`;
}
