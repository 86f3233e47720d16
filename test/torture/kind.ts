import { type TestContext, describe, it } from 'vitest';
import { type Random, stream } from '../../src/seed/random.ts';

/** The ways in which a round can fail. A table has a column for each. */
export const FAILURES = ['lost', 'duplicated', 'wrong report', 'hang'] as const;
export type Failure = (typeof FAILURES)[number];

/**
 * Returns what a run of the torture test does, from the variables that `scripts/torture.mjs` sets: the rounds
 * run in processes of vitest.
 *
 * @throws Error if torture was not started by its script
 */
export function readPlan(): { seed: number; form: 'short' | 'full'; round: number | undefined } {
  const { SYNC_TORTURE_SEED, SYNC_TORTURE_FORM: form, SYNC_TORTURE_ROUND } = process.env;
  const seed = Number(SYNC_TORTURE_SEED);
  if (!Number.isSafeInteger(seed) || (form !== 'short' && form !== 'full')) {
    throw new Error('Start these tests by npm run torture.');
  }
  const round = SYNC_TORTURE_ROUND === undefined ? undefined : Number(SYNC_TORTURE_ROUND);
  return { seed, form, round };
}

/** A round that takes longer hangs (ms). It takes seconds; with a load of 40, minutes. */
const ROUND_MS = 20 * 60_000;

/** One kind of torture: a line of the table. */
export interface Kind {
  /** As in `npm run torture -- --kind kill`. */
  readonly name: string;
  /** What happens, in a few words of the table: `kill -9 at random`. */
  readonly title: string;
  readonly rounds: { readonly short: number; readonly full: number };
  /** Says what this machine lacks; undefined if nothing. */
  readonly missing?: () => string | undefined;
  readonly run: (round: Round) => Promise<void>;
}

/** What a kind's `run` gets: its random choices, and the place for what it finds. */
export interface Round {
  /** Counted from 1. */
  readonly number: number;
  /** The round's own stream: a round that is run alone makes the same choices. */
  readonly random: Random;
  /** Returns one of several cases. The rounds of a run take turns; the seed chooses the first. */
  turn<T>(cases: readonly [T, ...T[]]): T;
  /** Counts what was done, for the table: `count('kills', 3)`. */
  count(what: string, by?: number): void;
  /** Notes a failure; the round goes on to find more. @param what names the item and the evidence */
  failed(failure: Failure, what: string): void;
  /** Notes what happened, shown only if the round fails: the command lines, faults, outcomes. */
  note(text: string): void;
}

/** The result of a round, in the `meta` of its test, for the reporter. */
export interface RoundResult {
  readonly kind: string;
  readonly title: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly failures: readonly Failure[];
  readonly notes: readonly string[];
  readonly missing?: string;
}

declare module 'vitest' {
  interface TaskMeta {
    torture?: RoundResult;
  }
}

/** Registers the rounds of a kind as tests. */
export function torture(kind: Kind): void {
  const plan = readPlan();
  const missing = kind.missing?.();
  const all = Array.from({ length: kind.rounds[plan.form] }, (_, index) => index + 1);
  const chosen = all.filter((number) => plan.round === undefined || plan.round === number);
  // vitest takes a file without tests for a mistake.
  describe.skipIf(chosen.length === 0)(kind.name, () => {
    if (chosen.length === 0) it('has no such round', () => undefined);
    for (const number of chosen) {
      it(`round ${number}`, { timeout: ROUND_MS }, async (context) => {
        if (missing === undefined) {
          await runRound(context, kind, number, plan.seed);
        } else {
          context.task.meta.torture = { ...resultOf(kind), missing };
          context.skip(missing);
        }
      });
    }
  });
}

/** @throws Error that lists the round's failures */
async function runRound(
  { task, signal }: TestContext,
  kind: Kind,
  number: number,
  seed: number,
): Promise<void> {
  const counts: Record<string, number> = {};
  const failures: Failure[] = [];
  const found: string[] = [];
  const notes: string[] = [];
  // Stays if vitest ends the round by its time limit.
  task.meta.torture = resultOf(kind, counts, ['hang'], notes);
  try {
    await kind.run({
      number,
      random: stream(seed, kind.name, number),
      turn: (cases) => cases[(number - 1 + seed) % cases.length] ?? cases[0],
      count: (what, by = 1) => (counts[what] = (counts[what] ?? 0) + by),
      failed: (failure, what) => {
        failures.push(failure);
        found.push(`${failure}: ${what}`);
      },
      note: (text) => void notes.push(text),
    });
  } catch (error) {
    // An assertion, or an unexpected answer: the product or the round itself is wrong.
    failures.push('wrong report');
    found.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  if (signal.aborted) return;
  task.meta.torture = resultOf(kind, counts, failures, notes);
  if (found.length > 0) throw new Error(found.join('\n'));
}

function resultOf(
  { name, title }: Kind,
  counts: RoundResult['counts'] = {},
  failures: readonly Failure[] = [],
  notes: readonly string[] = [],
): RoundResult {
  return { kind: name, title, counts, failures, notes };
}
