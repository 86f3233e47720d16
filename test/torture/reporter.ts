import { spawnSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { PLAN_VARIABLES, readPlan } from './plan.ts';
import { ResultTable } from './table.ts';

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
  readonly #table = new ResultTable();
  readonly #started = Date.now();
  readonly #running = new Map<string, string>();
  #done = 0;

  onTestRunStart(): void {
    const { form } = readPlan(process.env);
    setTimeout(() => this.#giveUp(), LIMIT_MS[form]).unref();
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
    this.#table.add(unnamed ? { ...result, failures: ['wrong report'] } : result);
    this.#done++;
    if (failed) {
      const seed = process.env[PLAN_VARIABLES.seed] ?? '';
      const round = test.name.replace(/^round /, '');
      console.log(`\nFAILED: ${result.kind}, ${test.name}. To repeat it:`);
      console.log(`  npm run torture -- --seed ${seed} --kind ${result.kind} --round ${round}`);
      for (const line of [...errors.map(({ message }) => message), ...result.notes]) {
        console.log(line);
      }
    } else if (process.stdout.isTTY) {
      const seconds = Math.round((Date.now() - this.#started) / 1000);
      process.stdout.write(`\r${this.#done} rounds, ${seconds} s `);
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
    const seconds = Math.round((Date.now() - this.#started) / 1000);
    const text = this.#table.render();
    console.log(`\n${text}\n\nSeed ${process.env[PLAN_VARIABLES.seed] ?? ''}, ${seconds} s.`);
    const file = process.env['SYNC_TORTURE_TABLE'];
    if (file !== undefined) writeFileSync(file, `${text}\n`);
    const checks = process.env['SYNC_CHECKS'];
    if (checks !== undefined) appendFileSync(checks, `${this.#table.results().join('\n')}\n`);
  }

  /** Ends the run, with the names of the rounds that do not end. */
  #giveUp(): void {
    const names = [...this.#running.values()];
    console.log(`\nFAILED: a run that does not end. Still running: ${names.join(', ')}.`);
    const checks = process.env['SYNC_CHECKS'];
    if (checks !== undefined) appendFileSync(checks, 'failed\n');
    // A worker in an endless loop does not notice that this process ends.
    spawnSync('pkill', ['-KILL', '-P', String(process.pid)]);
    process.exit(1);
  }
}
