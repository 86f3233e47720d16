import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

const report = process.env['SYNC_TEST_REPORT'];

// Node reads this bundle whenever a process starts, which takes 0.1 s. No test leaves this machine.
delete process.env['NODE_EXTRA_CA_CERTS'];

/** Tests of the built program, of many processes, of a keychain or of a browser. */
const PROGRAMS = [
  'test/acceptance/**/*.test.ts',
  'test/auth/refresh-race.test.ts',
  'test/cli/{fault,old-node,program,system-sync}.test.ts',
  'test/commands/login/store.test.ts',
  'test/credentials/keychain.test.ts',
  'test/daemon/**/*.test.ts',
  'test/sandbox/{command,oauth/consent-page,other-process,page/chromium}.test.ts',
  'test/library/{documents,exports}.test.ts',
  'test/security/{planted-files,tls,what-is-sent}.test.ts',
];

const COMMON = {
  // A process runs many files and loads the modules once: a file leaves no hook and no variable behind.
  isolate: false,
  setupFiles: ['test/support/contract-setup.ts', 'test/support/phrase-setup.ts'],
  // A hang fails the test; a slow machine does not.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // Keeps the text of `page.css?raw`.
  css: true,
};

export default defineConfig({
  test: {
    // Tests of programs wait most of the time.
    maxWorkers: availableParallelism() + 1,
    // CI counts the tests in the JSON report.
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    projects: [
      {
        test: {
          ...COMMON,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...PROGRAMS],
        },
      },
      {
        test: {
          ...COMMON,
          name: 'programs',
          include: PROGRAMS,
          globalSetup: 'test/support/built-program.ts',
        },
      },
    ],
  },
});
