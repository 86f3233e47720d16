import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { afterAll, beforeAll } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/**
 * Builds programs from TypeScript, as the package builds them, for child processes of the tests of a file.
 *
 * @param entries name to source file, relative to the project. Built inside of the project, so that
 *   packages with native code are found.
 * @returns the absolute path of a program, by its name
 */
export function useBuild<Name extends string>(
  entries: Readonly<Record<Name, string>>,
): (name: NoInfer<Name>) => string {
  let dir = '';
  beforeAll(async () => {
    const cache = join(root, 'node_modules', '.cache');
    mkdirSync(cache, { recursive: true });
    dir = mkdtempSync(join(cache, 'sync-test-'));
    await build({
      input: Object.fromEntries(
        Object.entries<string>(entries).map(([name, source]) => [name, join(root, source)]),
      ),
      platform: 'node',
      external: ['@napi-rs/keyring', '@photostructure/sqlite'],
      logLevel: 'silent',
      output: { dir, format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' },
    });
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  return (name) => join(dir, `${name}.cjs`);
}
