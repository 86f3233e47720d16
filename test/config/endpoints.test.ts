import { expect, it } from 'vitest';
import { DEFAULT_ENDPOINTS, type EndpointName, endpointUrl } from '../../src/config/endpoints.ts';

it.each([
  ['https://good.example', 'https://good.example/api/oauth/token'],
  ['https://good.example/', 'https://good.example/api/oauth/token'],
  ['https://good.example:8443/v2/', 'https://good.example:8443/v2/api/oauth/token'],
  ['https://good.example//v2', 'https://good.example//v2/api/oauth/token'],
  ['https://good.example//evil.example/', 'https://good.example//evil.example/api/oauth/token'],
  ['https://good.example/\\evil.example', 'https://good.example//evil.example/api/oauth/token'],
  ['https://good.example///', 'https://good.example/api/oauth/token'],
  ['https://good.example/v2?key=1', 'https://good.example/v2/api/oauth/token'],
  ['http://[::1]:8080//x', 'http://[::1]:8080//x/api/oauth/token'],
])('derives below %s the token endpoint %s', (base, url) => {
  expect(endpointUrl(new URL(base), DEFAULT_ENDPOINTS.token).href).toBe(url);
});

it.each(['//evil.example/x', '/\\evil.example/x', '/..//evil.example', '/@evil.example', '/a?b#c'])(
  'keeps the host of the base URL for the path %s',
  (path) => {
    for (const base of ['https://good.example', 'https://good.example//v2']) {
      const url = endpointUrl(new URL(base), path);
      expect([url.origin, url.username, url.search, url.hash]).toEqual([
        'https://good.example',
        '',
        '',
        '',
      ]);
    }
  },
);

it('leaves the base URL unchanged', () => {
  const base = new URL('https://good.example/v2/?a=1');
  for (const name of Object.keys(DEFAULT_ENDPOINTS) as EndpointName[]) {
    endpointUrl(base, DEFAULT_ENDPOINTS[name]).search = 'limit=1';
  }
  expect(base.href).toBe('https://good.example/v2/?a=1');
});
