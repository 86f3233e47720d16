import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const report = process.env['SYNC_TEST_REPORT'];

export default defineConfig({
  test: {
    // Most of the time is waiting for child processes: one more than a small machine's share.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/contract-setup.ts'],
    // For CI, which counts: a report beside what people read.
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    // Real processes, real files, two cores: a hang ends, a slow machine does not fail.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
