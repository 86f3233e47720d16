import { expect, it } from 'vitest';
import { leakingVariables } from '../../src/app/config.ts';

it.each([
  [{ NODE_DEBUG: 'http' }, ['NODE_DEBUG is set']],
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
])('finds the variables with which Node.js gives tokens away: %j', (env, begins) => {
  const messages = leakingVariables(env).map(({ message }) => message);
  expect(messages).toEqual(begins.map((begin) => expect.stringMatching(`^${begin}`) as string));
});
