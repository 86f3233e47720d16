/**
 * What a run of the torture test does: from variables that `scripts/torture.mjs` sets, since the
 * rounds run in processes of vitest.
 */
export interface Plan {
  /** Every random choice of a run follows from it. */
  readonly seed: number;
  /** `short` takes 3 minutes on two cores, `full` at most 20. */
  readonly form: 'short' | 'full';
  /** The only round to run of each kind, counted from 1; undefined: all. */
  readonly round: number | undefined;
}

export const PLAN_VARIABLES = {
  seed: 'SYNC_TORTURE_SEED',
  form: 'SYNC_TORTURE_FORM',
  round: 'SYNC_TORTURE_ROUND',
} as const;

/** @throws Error if torture was not started by its script */
export function readPlan(env: NodeJS.ProcessEnv): Plan {
  const seed = Number(env[PLAN_VARIABLES.seed]);
  const form = env[PLAN_VARIABLES.form];
  if (!Number.isSafeInteger(seed) || (form !== 'short' && form !== 'full')) {
    throw new Error('Start these tests by npm run torture.');
  }
  const round = env[PLAN_VARIABLES.round];
  return { seed, form, round: round === undefined ? undefined : Number(round) };
}
