import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { NEVER_MS } from './test/support/until.ts';

const report = process.env['SYNC_TEST_REPORT'];

// Node reads this bundle whenever a process starts, which takes 0.1 s. No test leaves this machine.
delete process.env['NODE_EXTRA_CA_CERTS'];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // A process runs many files and loads the modules once: a file leaves no hook and no variable behind.
    isolate: false,
    // A process collects garbage less often, from its start: a twelfth less CPU time or more.
    execArgv: ['--min-semi-space-size=64', '--max-semi-space-size=64'],
    // Transforms a module once, not in each run.
    experimental: { fsModuleCache: true },
    globalSetup: 'test/support/survivors-setup.ts',
    setupFiles: [
      'test/support/contract-setup.ts',
      'test/support/equality-setup.ts',
      'test/support/zone-setup.ts',
    ],
    // Tests of programs wait most of the time.
    maxWorkers: availableParallelism() + 3,
    // A hang fails the test; a slow machine does not.
    testTimeout: 2 * NEVER_MS,
    hookTimeout: 2 * NEVER_MS,
    expect: { poll: { timeout: NEVER_MS } },
    // Keeps the text of `page.css?raw`.
    css: true,
    // CI counts the tests in the JSON report.
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
  },
});
