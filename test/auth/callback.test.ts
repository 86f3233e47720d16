import { expect, it } from 'vitest';
import { authorizeUrl } from '../../src/auth/authorize-url.ts';
import { sshForwardCommand, whyNoBrowser } from '../../src/auth/browser.ts';
import { checkPastedAddress } from '../../src/auth/callback.ts';
import { challengeOf, createAuthorizationSecrets } from '../../src/auth/pkce.ts';
import { Secret } from '../../src/base/secret.ts';
import { everythingShownOf } from './support.ts';

const URI = 'http://127.0.0.1:8917/callback';
const expected = { state: new Secret('good'), origin: 'https://training.example' };

it.each([
  ['', 'That was empty.'],
  ['hello', `That is no address. It begins with ${URI}?`],
  [
    'https://training.example/api/oauth/authorize?state=good&code=1',
    `That is another address. Paste the one the browser ends at; it begins with ${URI}?`,
  ],
  [
    'http://127.0.0.1:8918/callback?state=good&code=1',
    `That is another address. Paste the one the browser ends at; it begins with ${URI}?`,
  ],
  [`${URI}?code=1`, 'That answer has no state: part of the address is missing.'],
  [`${URI}?code=1&state=bad`, 'That answer belongs to another login, perhaps an earlier one.'],
  [`${URI}?state=good`, 'That answer holds neither a code nor an error.'],
])('a pasted %j is refused with what is wrong', (pasted, message) => {
  expect(checkPastedAddress(pasted, URI, expected)).toEqual({ kind: 'refused', message });
});

it.each([
  `${URI}?code=c1&state=good`,
  `  "${URI}?state=good&code=c1"\n`,
  `<${URI}?state=good&code=c1#>`,
])('a pasted %j is taken', (pasted) => {
  const result = checkPastedAddress(pasted, URI, expected);
  expect(result.kind === 'code' && result.code.reveal()).toBe('c1');
});

it('takes an error that was pasted for what it is', () => {
  expect(checkPastedAddress(`${URI}?error=access_denied&state=good`, URI, expected)).toEqual({
    kind: 'error',
    error: 'access_denied',
    description: undefined,
  });
});

it.each([
  'https://training.example',
  'https://training.example/',
  'https://training.example/api/oauth',
])('takes an answer whose issuer is %s', (issuer) => {
  const address = `${URI}?code=c1&state=good&iss=${encodeURIComponent(issuer)}`;
  expect(checkPastedAddress(address, URI, expected).kind).toBe('code');
});

it.each([
  'https://evil.example',
  'http://training.example',
  'https://training.example:444',
  'https://training.example.evil.example',
  'https://training.example@evil.example',
  'training.example',
  '',
])('takes neither code nor error of an answer whose issuer is %j', (issuer) => {
  for (const answer of ['code=c1', 'error=access_denied']) {
    const address = `${URI}?${answer}&state=good&iss=${encodeURIComponent(issuer)}`;
    expect(checkPastedAddress(address, URI, expected)).toEqual({ kind: 'foreign', issuer });
  }
});

it('computes the challenge of RFC 7636 appendix B', () => {
  expect(challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  );
});

it('makes a state and a verifier of 32 random bytes each, different every time', () => {
  const made = Array.from({ length: 50 }, () => createAuthorizationSecrets());
  const texts = made.flatMap(({ state, verifier }) => [state.reveal(), verifier.reveal()]);
  expect(new Set(texts).size).toBe(100);
  for (const text of texts) {
    expect(text).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(text, 'base64url')).toHaveLength(32);
  }
  const [first] = made;
  expect(everythingShownOf(first)).not.toContain(first?.verifier.reveal());
});

it('puts everything that interface 4.5 asks for into the address', () => {
  const url = authorizeUrl({
    endpoint: new URL('https://training.example/base/api/oauth/authorize'),
    clientId: 'a client+1',
    redirectUri: URI,
    scopes: ['workout:write', 'health:write'],
    state: new Secret('s t'),
    challenge: 'ch',
  });
  expect(url.href).toBe(
    'https://training.example/base/api/oauth/authorize?response_type=code' +
      '&client_id=a%20client%2B1&redirect_uri=http%3A%2F%2F127.0.0.1%3A8917%2Fcallback' +
      '&scope=workout%3Awrite%20health%3Awrite&state=s%20t&code_challenge=ch' +
      '&code_challenge_method=S256',
  );
});

it.each([
  [{ DISPLAY: ':0' }, 'linux', undefined],
  [{ WAYLAND_DISPLAY: 'wayland-0' }, 'linux', undefined],
  [{}, 'linux', 'no-display'],
  [{ WSL_DISTRO_NAME: 'Debian' }, 'linux', undefined],
  [{ SSH_CONNECTION: '1 2 3 22' }, 'linux', 'ssh'],
  [{ SSH_CONNECTION: '1 2 3 22', DISPLAY: 'localhost:10' }, 'linux', undefined],
  [{ SSH_TTY: '/dev/ttys001' }, 'darwin', 'ssh'],
  [{}, 'darwin', undefined],
  [{}, 'win32', undefined],
  [{ BROWSER: 'w3m' }, 'linux', undefined],
] as const)('with %j on %s, no browser because: %s', (env, platform, why) => {
  expect(whyNoBrowser(env, platform)).toBe(why);
});

it.each([
  [
    { SSH_CONNECTION: '10.0.0.9 51000 10.0.0.5 22', USER: 'anna' },
    URI,
    'ssh -N -L 8917:127.0.0.1:8917 anna@10.0.0.5',
  ],
  [
    { SSH_CONNECTION: 'fe80::1 51000 fe80::2 2222', USER: 'anna' },
    'http://localhost:9000/cb',
    'ssh -N -L 9000:localhost:9000 -p 2222 anna@fe80::2',
  ],
  [{}, 'http://[::1]:8917/callback', "ssh -N -L '[::1]:8917:[::1]:8917' USER@box"],
  [{ LOGNAME: 'ben' }, 'http://127.0.0.2:8917/', 'ssh -N -L 127.0.0.2:8917:127.0.0.2:8917 ben@box'],
])('with %j and %s the way through SSH is: %s', (env, redirectUri, command) => {
  expect(sshForwardCommand(env, 'box', redirectUri)).toBe(command);
});
