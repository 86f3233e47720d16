import { expect, it } from 'vitest';
import { authorizationUrl } from '../../src/auth/authorize.ts';
import { checkPastedAddress } from '../../src/auth/callback.ts';
import { challengeOf, createAuthorizationSecrets } from '../../src/auth/pkce.ts';
import { Secret } from '../../src/base/secret.ts';
import { everythingShownOf } from './support.ts';

const URI = 'http://127.0.0.1:8917/callback';
const expected = { state: new Secret('good'), origin: 'https://training.example' };

it.each([
  ['', 'That was empty.'],
  ['hello', `That is not an address. The right one begins with ${URI}?`],
  [
    'https://training.example/api/oauth/authorize?state=good&code=1',
    `That is another address. Paste the last address of the login; it begins with ${URI}?`,
  ],
  [
    'http://127.0.0.1:8917/callbacks?state=good&code=1',
    `That is another address. Paste the last address of the login; it begins with ${URI}?`,
  ],
  [
    'http://127.0.0.1:8918/callback?state=good&code=1',
    `That is another address. Paste the last address of the login; it begins with ${URI}?`,
  ],
  [`${URI}?code=1`, 'That answer has no state: part of the address is missing.'],
  [`${URI}?code=1&state=bad`, 'That answer belongs to another login, perhaps an earlier one.'],
  [`${URI}?state=good`, 'That answer has neither a code nor an error.'],
])('refuses a pasted %j with the reason', (pasted, message) => {
  expect(checkPastedAddress(pasted, URI, expected)).toEqual({ kind: 'refused', message });
});

it.each([
  `${URI}?code=c1&state=good`,
  `  "${URI}?state=good&code=c1"\n`,
  `<${URI}?state=good&code=c1#>`,
])('accepts a pasted %j', (pasted) => {
  const result = checkPastedAddress(pasted, URI, expected);
  expect(result.kind === 'code' && result.code.reveal()).toBe('c1');
});

it('accepts a pasted error response', () => {
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
])('accepts an answer with the issuer %s', (issuer) => {
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
])('uses neither code nor error of an answer with the issuer %j', (issuer) => {
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

it('creates a new state and verifier of 32 random bytes each time', () => {
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

it('puts all parameters of interface 4.5 into the authorization URL', () => {
  const url = authorizationUrl(
    {
      endpoint: new URL('https://training.example/base/api/oauth/authorize'),
      clientId: 'a client+1',
      scopes: ['workout:write', 'health:write'],
    },
    { redirectUri: URI, state: new Secret('s t'), challenge: 'ch' },
  );
  expect(url).toBe(
    'https://training.example/base/api/oauth/authorize?response_type=code' +
      '&client_id=a%20client%2B1&redirect_uri=http%3A%2F%2F127.0.0.1%3A8917%2Fcallback' +
      '&scope=workout%3Awrite%20health%3Awrite&state=s%20t&code_challenge=ch' +
      '&code_challenge_method=S256',
  );
});
