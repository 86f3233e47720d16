import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../src/ledger/database.ts';
import { type ProcessMark, markProcess } from '../../src/system/processes.ts';
import { useBuild } from '../support/build.ts';

export { scratchDir } from '../support/scratch-dir.ts';

/** A ledger's database in a folder, closed with the test. */
export function openIn(dir: string): Database {
  const database = openDatabase(join(dir, 'ledger.db'));
  onTestFinished(() => database.close());
  return database;
}

/** A mark as another process of the same machine has one. */
export function markIn(dir: string): ProcessMark {
  const mark = markProcess(dir);
  onTestFinished(() => mark.release());
  return mark;
}

export interface Worker {
  readonly child: ChildProcess;
  /** The next line that it prints. */
  line(): Promise<string>;
  tell(): void;
  /** As the system ends a process: nothing in it is run any more. */
  kill(): Promise<void>;
}

/** Builds `test/ledger/worker.ts` for the tests of a file. @returns a function that starts it */
export function useWorkers(): (...args: string[]) => Worker {
  const program = useBuild({ worker: 'test/ledger/worker.ts' });
  return (...args) => {
    const child = spawn(process.execPath, [program('worker'), ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const kill = async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;
    };
    onTestFinished(kill);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return {
      child,
      kill,
      line: async () => String((await lines.next()).value),
      tell: () => void child.stdin.write('go\n'),
    };
  };
}
