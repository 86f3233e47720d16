// Builds the program into a cache and runs it where npm was started: `npm run dev -- status --json`.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { program as config } from './bundles.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
// Inside of the project, so that packages with native code are found.
const dir = join(root, 'node_modules', '.cache', 'sync-dev');
process.chdir(root);
await build({ ...config, logLevel: 'warn', output: { ...config.output, dir, sourcemap: true } });

const program = join(dir, 'main.cjs');
const { status } = spawnSync(
  process.execPath,
  ['--enable-source-maps', program, ...process.argv.slice(2)],
  { stdio: 'inherit', cwd: process.env.INIT_CWD ?? root },
);
process.exitCode = status ?? 1;
