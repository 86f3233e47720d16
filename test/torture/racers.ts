import type { Random } from '../../src/seed/random.ts';
import type { Finished } from '../support/program.ts';
import type { World } from '../support/world.ts';
import { judgeOutput } from './judge.ts';
import type { Round } from './kind.ts';
import { type Claim, judgeProcess } from './reports.ts';
import type { Scene } from './scene.ts';

/** What several processes do at once. */
export type Race = (scene: Scene) => Promise<void>;

/** One process of a race. */
export interface Racer {
  readonly args: readonly string[];
  readonly input?: string;
  /** Of a process that sends with `--json`. */
  readonly claim?: Claim;
  /** Exit codes that are right; default: 0. */
  readonly codes?: readonly number[];
}

/** Starts all processes at once, in an order of the seed, and judges what each of them reports. */
export async function race(scene: Scene, racers: readonly Racer[]): Promise<Finished[]> {
  const { round, world } = scene;
  round.count('processes', racers.length);
  return await Promise.all(
    shuffled(round.random, racers).map(async ({ args, input = '', claim, codes = [0] }) => {
      const run = await world.program(args, { input });
      if (claim === undefined) judgeOutput(round, args.join(' '), run);
      else judgeProcess(scene, args, run, claim);
      if (!codes.includes(run.code ?? -1)) {
        const what = `${args.join(' ')}: ${String(run.code)} ${run.stdout}${run.stderr}`;
        round.failed('wrong report', what);
      }
      return run;
    }),
  );
}

/** Commands that read beside others, and never fail for that. */
export function readers(random: Random, count: number): Racer[] {
  return Array.from({ length: count }, () => ({
    args: random.pick([
      ['status', '--json'],
      ['explain', '2026-02-03', '--json'],
      ['daemon', 'status', '--json'],
      ['verify', '--json'],
      ['config', 'list', '--json'],
    ]),
    // verify: it is too early to tell.
    codes: [0, 5],
  }));
}

/**
 * Each recording arrived once: no two processes sent it, one after the other or at once.
 *
 * @param most a request that was aborted may have arrived: the next one sends it again
 */
export function judgeOwners(round: Round, { sandbox }: World, most = 1): void {
  const { recordings = [] } = sandbox.control.state('athlete-1').athletes[0] ?? {};
  for (const { name, receivedCount } of recordings) {
    if (receivedCount >= 1 && receivedCount <= most) continue;
    round.failed('duplicated', `${String(name)} was sent ${receivedCount} times`);
  }
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, key: random.unit() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
