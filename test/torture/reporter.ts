import { spawnSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { FAILURES, type RoundResult, readPlan } from './kind.ts';

/**
 * Longest time of a run, several times what it takes (ms). A round that never yields cannot be ended
 * by its own time limit.
 */
const LIMIT_MS = { short: 45 * 60_000, full: 4 * 3_600_000 };

/**
 * Prints each failed round with the command that repeats it, and the table of all kinds at the end.
 * `SYNC_TORTURE_TABLE` names a file for the table, `SYNC_CHECKS` one for the results that CI counts.
 */
export default class TortureReporter implements Reporter {
  readonly #plan = readPlan();
  readonly #results = new Map<string, RoundResult[]>();
  readonly #started = Date.now();
  readonly #running = new Map<string, string>();
  #done = 0;

  onTestRunStart(): void {
    setTimeout(() => this.#giveUp(), LIMIT_MS[this.#plan.form]).unref();
  }

  onTestCaseReady(test: TestCase): void {
    this.#running.set(test.id, test.fullName);
  }

  onTestCaseResult(test: TestCase): void {
    this.#running.delete(test.id);
    const result = test.meta().torture;
    if (result === undefined) return;
    const { errors = [], state } = test.result();
    const failed = state === 'failed';
    // An exchange against docs/openapi.yaml fails a round after its end.
    const unnamed = failed && result.failures.length === 0;
    const named: RoundResult = unnamed ? { ...result, failures: ['wrong report'] } : result;
    this.#results.set(result.kind, [...(this.#results.get(result.kind) ?? []), named]);
    this.#done++;
    if (failed) {
      const round = test.name.replace(/^round /, '');
      console.log(`\nFAILED: ${result.kind}, ${test.name}. To repeat it:`);
      console.log(
        `  npm run torture -- --seed ${this.#plan.seed} --kind ${result.kind} --round ${round}`,
      );
      for (const line of [...errors.map(({ message }) => message), ...result.notes]) {
        console.log(line);
      }
    } else if (process.stdout.isTTY) {
      process.stdout.write(`\r${this.#done} rounds, ${this.#seconds()} s `);
    }
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    unhandled: readonly { readonly message: string }[],
  ): void {
    for (const { message } of [...modules.flatMap((module) => module.errors()), ...unhandled]) {
      console.log(`FAILED: ${message}`);
    }
    if (this.#done === 0) {
      console.log('No round ran. Kinds are the names in test/torture/kinds.');
      process.exitCode = 1;
    }
    const kinds = [...this.#results].sort(([a], [b]) => (a < b ? -1 : 1));
    const text = tableOf(kinds.map(([, results]) => results));
    console.log(`\n${text}\n\nSeed ${this.#plan.seed}, ${this.#seconds()} s.`);
    const file = process.env['SYNC_TORTURE_TABLE'];
    if (file !== undefined) writeFileSync(file, `${text}\n`);
    noteChecks(kinds.map(([, results]) => outcomeOf(results)));
  }

  #seconds(): number {
    return Math.round((Date.now() - this.#started) / 1000);
  }

  /** Ends the run, with the names of the rounds that do not end. */
  #giveUp(): void {
    const names = [...this.#running.values()];
    console.log(`\nFAILED: a run that does not end. Still running: ${names.join(', ')}.`);
    noteChecks(['failed']);
    // A worker in an endless loop does not notice that this process ends.
    spawnSync('pkill', ['-KILL', '-P', String(process.pid)]);
    process.exit(1);
  }
}

/** Appends results as `.ci/run` counts them. */
function noteChecks(results: readonly string[]): void {
  const file = process.env['SYNC_CHECKS'];
  if (file !== undefined) appendFileSync(file, `${results.join('\n')}\n`);
}

function outcomeOf(results: readonly RoundResult[]): string {
  if (results.some(({ missing }) => missing !== undefined)) return 'skipped';
  return results.some(({ failures }) => failures.length > 0) ? 'failed' : 'passed';
}

/** Returns a Markdown table with a line for each kind. */
function tableOf(kinds: readonly (readonly RoundResult[])[]): string {
  const cells = [['kind', 'rounds', 'what happened', ...FAILURES], ...kinds.map(cellsOf)];
  const width = (column: number) => Math.max(...cells.map((line) => line[column]?.length ?? 0));
  const [head = '', ...lines] = cells.map(
    (line) => `| ${line.map((cell, column) => cell.padEnd(width(column))).join(' | ')} |`,
  );
  return [
    head,
    head
      .replaceAll(/[^|]/g, '-')
      .replaceAll(/-?\|-?/g, ' | ')
      .trim(),
    ...lines,
  ].join('\n');
}

function cellsOf(results: readonly RoundResult[]): string[] {
  const [{ kind, title, missing } = { kind: '', title: '', missing: '' }] = results;
  const name = `${kind}: ${title}`;
  if (missing !== undefined) return [name, '0', `skipped: ${missing}`, ...FAILURES.map(() => '-')];
  const counts = new Map<string, number>();
  for (const [what, count] of results.flatMap((result) => Object.entries(result.counts))) {
    counts.set(what, (counts.get(what) ?? 0) + count);
  }
  const happened = [...counts].map(([what, count]) => `${count.toLocaleString('en')} ${what}`);
  const found = results.flatMap(({ failures }) => failures);
  const failures = FAILURES.map((each) => String(found.filter((one) => one === each).length));
  return [name, results.length.toLocaleString('en'), happened.join(', '), ...failures];
}
