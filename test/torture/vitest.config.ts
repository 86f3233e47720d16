import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Node reads this bundle whenever a process starts, which takes 0.1 s. No round leaves this machine.
delete process.env['NODE_EXTRA_CA_CERTS'];

/** Apart from the tests of `npm test`: `npm run torture` runs these. */
export default defineConfig({
  test: {
    include: ['test/torture/**/*.torture.ts'],
    // As in the configuration of `npm test`: a process loads the modules once.
    isolate: false,
    execArgv: ['--max-semi-space-size=64'],
    experimental: { fsModuleCache: true },
    setupFiles: [
      'test/support/contract-setup.ts',
      'test/support/equality-setup.ts',
      'test/support/zone-setup.ts',
    ],
    // Rounds wait most of the time.
    maxWorkers: availableParallelism() + 2,
    hookTimeout: 60_000,
    reporters: ['./test/torture/reporter.ts'],
  },
});
