/*
 * One process of the refresh race: opens the stored login of the state folder that it is given, and
 * prints the access token that it ends up with.
 */
import { openSession } from '../../src/auth/open-session.ts';
import { loadConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/system/clock.ts';
import { findPaths } from '../../src/config/paths.ts';
import { createNodeHttp } from '../../src/api/node-http.ts';

const env = process.env;
const paths = findPaths(env, process.platform, env['HOME'] ?? '/');
const http = createNodeHttp({ userAgent: 'race', connections: 1 });
const session = openSession(loadConfig({ env, paths }, undefined), {
  env,
  platform: process.platform,
  programDir: import.meta.dirname,
  attended: false,
  clock: systemClock,
  http,
  onWarning: (warning) => process.stderr.write(`${warning}\n`),
});

// All of them begin when the last one is there.
process.stdout.write('ready\n');
process.stdin.once('data', () => {
  void session
    .accessToken(new AbortController().signal)
    .then(
      (token) => process.stdout.write(`${token.reveal()}\n`),
      (error: unknown) => process.stdout.write(`${String(error)}\n`),
    )
    .finally(() => {
      process.stdin.destroy();
      void session.close().then(() => http.close());
    });
});
