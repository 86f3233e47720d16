import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Real processes, real files, two cores: a hang ends, a slow machine does not fail.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
