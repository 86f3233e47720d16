import { expect, it } from 'vitest';
import { closedPort } from '../api/support.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { openLoggedInWorld, openWorld } from '../support/acceptance.ts';

it('ends with 2 in every command that would talk to the service without checking its certificate', async () => {
  const world = await openWorld();
  const ride = world.write('ride.fit', makeRecording());
  const day = world.write('day.ndjson', '{"date":"2026-05-01","restingHr":50}\n');
  const env = {
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
    SYNC_BASE_URL: `https://127.0.0.1:${await closedPort()}`,
    SYNC_ACCESS_TOKEN: 'an-access-token',
  };
  for (const args of [
    ['upload', ride],
    ['push', 'wellness', day],
    ['workouts'],
    ['profile'],
    ['verify'],
    ['watch', '--once', world.home.dir],
    ['watch', world.home.dir],
    ['watch', '--daemon', world.home.dir],
    ['doctor'],
  ]) {
    const { code, stdout, stderr } = await world.sync(args, { env });
    expect([args[0], code]).toEqual([args[0], 2]);
    expect(stdout + stderr).toContain('NODE_TLS_REJECT_UNAUTHORIZED is 0');
    expect(stdout + stderr).toContain('NODE_EXTRA_CA_CERTS=');
    // Node.js would print this at the first connection.
    expect(stderr).not.toContain('makes TLS connections');
  }
  const login = await world.sync(['login', '--no-browser', '--port', '0'], {
    env: { ...env, SYNC_ACCESS_TOKEN: '' },
  });
  expect([login.code, login.stderr]).toEqual([2, /NODE_TLS_REJECT_UNAUTHORIZED is 0/]);
});

it('refuses a proxy whose password has a bare percent sign, in the built program, too', async () => {
  const world = await openWorld();
  const env = {
    HTTPS_PROXY: 'http://ann:s3cret100%@127.0.0.1:9',
    SYNC_BASE_URL: 'https://training.example.com',
    SYNC_ACCESS_TOKEN: 'an-access-token',
  };
  const { code, stderr } = await world.program(['workouts'], { env });
  expect([code, stderr]).toEqual([2, /^Error: HTTPS_PROXY is not the address of a proxy/]);
  expect(stderr).not.toContain('s3cret');
});

it.each([
  [{ NODE_DEBUG: 'http' }, ['NODE_DEBUG is set: Node.js prints requests to stderr']],
  [{ NODE_OPTIONS: '--tls-keylog=/tmp/keys' }, ['NODE_OPTIONS has --tls-keylog:']],
  [
    { NODE_OPTIONS: '--no-warnings --inspect-brk --heapsnapshot-signal=SIGUSR2' },
    ['NODE_OPTIONS has --inspect-brk --heapsnapshot-signal:'],
  ],
  [
    { NODE_OPTIONS: '--inspect', NODE_DEBUG: 'net' },
    ['NODE_DEBUG is set', 'NODE_OPTIONS has --inspect:'],
  ],
  [{ NODE_DEBUG: '', NODE_OPTIONS: '' }, []],
  [{ NODE_OPTIONS: '--use-openssl-ca --inspect-port=1', SSLKEYLOGFILE: '/tmp/keys' }, []],
])('warns of the variables with which Node.js gives tokens away: %j', async (env, begins) => {
  const world = await openLoggedInWorld();
  const { code, stderr } = await world.sync(['workouts'], { env });
  // A hint follows each, on a line of its own.
  const warnings = stderr.split(/\n(?: {2}.*\n)?/).slice(0, -1);
  expect([code, warnings]).toEqual([
    0,
    begins.map((begin) => expect.stringContaining(begin) as string),
  ]);
});
