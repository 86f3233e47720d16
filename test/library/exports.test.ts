import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/documents.ts';

/** Runs a script that sees the package by its name, as after an installation. */
function run(type: 'module' | 'commonjs', code: string): string {
  const args = [`--input-type=${type}`, '--eval', code];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

const NAMES = [
  ['athlete-sync', 'SyncError createClient'],
  ['athlete-sync/sandbox', 'seed startSandbox'],
] as const;

describe('the exports of the package', () => {
  it.each(NAMES)('import of %s', (name, exports) => {
    const code = `console.log(Object.keys(await import('${name}')).sort().join(' '))`;
    expect(run('module', code)).toBe(exports);
  });

  it.each(NAMES)('require of %s', (name, exports) => {
    const code = `console.log(Object.keys(require('${name}')).sort().join(' '))`;
    expect(run('commonjs', code).split(' ')).toEqual(
      expect.arrayContaining(exports.split(' ')) as unknown,
    );
  });

  it('share one SyncError', () => {
    const code = `
      const { SyncError } = await import('athlete-sync');
      const { startSandbox } = await import('athlete-sync/sandbox');
      const error = await startSandbox({ faults: ['nonsense:503'] }).catch((error) => error);
      console.log(error instanceof SyncError, error.code);`;
    expect(run('module', code)).toBe('true USAGE');
  });

  it('print a short line of code for an error that nothing catches', () => {
    const code = `await import('athlete-sync').then((sync) => sync.createClient({ baseUrl: 'no', tokens: {} }))`;
    const { message } = ((): Error => {
      try {
        run('module', code);
      } catch (error) {
        return error as Error;
      }
      throw new Error('no error');
    })();
    expect(message).toContain('SyncError: baseUrl: "no" is not an address');
    expect(Math.max(...message.split('\n').map(({ length }) => length))).toBeLessThan(300);
  });

  it('change nothing of the process when they are loaded', () => {
    const code = `
      const seen = () => JSON.stringify([
        Object.keys(globalThis), process.env, process.exitCode, process.eventNames(),
      ]);
      process.env.SYNC_ACCESS_TOKEN = 'kept';
      const before = seen();
      require('athlete-sync');
      require('athlete-sync/sandbox');
      console.log(seen() === before);`;
    expect(run('commonjs', code)).toBe('true');
  });
});
