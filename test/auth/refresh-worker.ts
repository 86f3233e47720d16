import { openSession } from '../../src/auth/session.ts';
import type { Text } from '../../src/base/phrase.ts';
import { loadConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/system/this-process.ts';
import { findPaths } from '../../src/config/paths.ts';
import { createNodeHttp } from '../../src/api/node-http.ts';
/*
 * One process of the refresh race: opens the stored login of the state folder that it is given, and
 * prints the access token that it ends up with.
 */

const env = process.env;
const paths = findPaths(env, process.platform, env['HOME'] ?? '/');
const http = createNodeHttp(1);
const signal = new AbortController().signal;
const context = {
  clock: systemClock,
  signal,
  random: Math.random,
  trace: () => undefined,
  warn: (warning: Text) => void process.stderr.write(`${String(warning)}\n`),
};
const session = openSession(context, loadConfig({ env, paths }, undefined), {
  env,
  platform: process.platform,
  programDir: import.meta.dirname,
  attended: false,
  http,
});

// All of them begin when the last one is there.
process.stdout.write('ready\n');
process.stdin.once('data', () => {
  void session
    .accessToken(signal)
    .then(
      (token) => process.stdout.write(`${token.reveal()}\n`),
      (error: unknown) => process.stdout.write(`${String(error)}\n`),
    )
    .finally(() => {
      process.stdin.destroy();
      void session.close().then(() => http.close());
    });
});
