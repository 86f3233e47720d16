// Builds dist/: the program and the package's exports as bundles.mjs says, and the manual page
// dist/athlete-sync.1, which packages install. Says nothing unless it fails.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { library, program } from './bundles.mjs';

for (const config of [program, library]) await build({ ...config, logLevel: 'warn' });

const fromRoot = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
// The package contains no compiled code.
const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
const manual = execFileSync(process.execPath, [fromRoot('dist/manual.cjs')], { env });
writeFileSync(fromRoot('dist/athlete-sync.1'), manual);
