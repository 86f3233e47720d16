import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Programs built from TypeScript, as the package builds them, for child processes of a test. */
export interface TestBuild {
  /** Absolute; `<name>.cjs` is in it for each entry. */
  readonly dir: string;
  remove(): void;
}

/**
 * @param entries name to source file, relative to the project. Built inside of the project, so that
 *   packages with native code are found.
 */
export async function buildForTest(entries: Readonly<Record<string, string>>): Promise<TestBuild> {
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const dir = mkdtempSync(join(cache, 'sync-test-'));
  await build({
    input: Object.fromEntries(
      Object.entries(entries).map(([name, source]) => [name, join(root, source)]),
    ),
    platform: 'node',
    external: ['@napi-rs/keyring', '@photostructure/sqlite'],
    logLevel: 'silent',
    output: { dir, format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' },
  });
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}
