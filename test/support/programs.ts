/**
 * The tests of the built program, of many processes, of a keychain or of a browser: whole folders, and
 * files. `npm run test:unit` leaves them out.
 */
export const PROGRAMS: readonly string[] = [
  'test/acceptance/**/*.test.ts',
  'test/auth/refresh-race.test.ts',
  'test/cli/fault.test.ts',
  'test/cli/old-node.test.ts',
  'test/cli/program.test.ts',
  'test/cli/system-sync.test.ts',
  'test/commands/login/store.test.ts',
  'test/commands/watch/scope.test.ts',
  'test/credentials/keychain.test.ts',
  'test/daemon/**/*.test.ts',
  'test/library/documents.test.ts',
  'test/library/exports.test.ts',
  'test/sandbox/command.test.ts',
  'test/sandbox/oauth/consent-page.test.ts',
  'test/sandbox/other-process.test.ts',
  'test/sandbox/page/chromium.test.ts',
  'test/security/planted-files.test.ts',
  'test/security/tls.test.ts',
  'test/security/what-is-sent.test.ts',
];
