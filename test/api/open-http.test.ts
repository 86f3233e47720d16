import { type RequestListener, createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openHttp, proxyFor, proxySettings } from '../../src/api/open-http.ts';
import { failure, listen, requestTo, startProxy } from './support.ts';
import { testContext } from '../support/context.ts';
import { openServer } from '../support/local-server.ts';
import { VERSION } from '../../src/base/version.ts';

const open = async (env: Record<string, string>) => {
  const http = await openHttp({ ...testContext(), env, connections: 2 });
  onTestFinished(() => http.close());
  return http;
};

it('uses the proxy of the environment, passes on the target, and sends the user agent', async () => {
  const server = await listen((_request, response) => void response.end('{}'));
  const proxy = await startProxy({ names: { 'service.example': server.port } });
  const http = await open({ HTTP_PROXY: proxy.url });
  expect((await http.send(requestTo('http://service.example/x'))).status).toBe(200);
  expect(proxy.tunnels).toEqual(['service.example:80']);
  expect(server.requests[0]?.headers).toMatchObject({
    'user-agent': `athlete-sync/${VERSION}`,
    host: 'service.example',
  });
});

it.each([
  ['in small letters', { http_proxy: 'PROXY' }],
  ['without a scheme', { HTTP_PROXY: 'BARE' }],
  ['with a path', { HTTP_PROXY: 'PROXY/path?query' }],
  ['small letters before capitals', { http_proxy: 'PROXY', HTTP_PROXY: 'http://127.0.0.1:1' }],
  ['that of https before that of http', { HTTPS_PROXY: 'PROXY', HTTP_PROXY: 'nonsense://' }],
  ['capitals where the small ones are empty', { http_proxy: '', HTTP_PROXY: 'PROXY' }],
  ['NO_PROXY that names others', { HTTP_PROXY: 'PROXY', NO_PROXY: 'other.example, .internal' }],
  ['NO_PROXY of another port', { HTTP_PROXY: 'PROXY', NO_PROXY: 'service.example:8080' }],
])('uses the proxy: %s', async (_what, settings) => {
  const server = await listen((_request, response) => void response.end('{}'));
  const proxy = await startProxy({ names: { 'service.example': server.port } });
  const bare = new URL(proxy.url).host;
  const env = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      value.replace('PROXY', proxy.url).replace('BARE', bare),
    ]),
  );
  const http = await open(env);
  await http.send(requestTo('http://service.example/'));
  expect(proxy.tunnels).toHaveLength(1);
});

it.each(['*', ' * ', 'service.invalid', '.invalid', 'other.example,SERVICE.invalid'])(
  'bypasses the proxy with NO_PROXY=%s',
  async (noProxy) => {
    const proxy = await startProxy();
    const http = await open({ HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: noProxy });
    const error = await failure(http.send(requestTo('http://service.invalid/')));
    expect(error.message).toContain('the address cannot be found');
    expect(proxy.tunnels).toEqual([]);
  },
);

it.each([
  ['10.0.0.0/8', 'https://10.1.2.3', true],
  ['other.example, 10.1.2.3', 'https://10.1.2.3', true],
  ['fd00::/8', 'https://[fd00::1]', true],
  ['fd00::1', 'https://[fd00::1]', true],
  ['[fd00::1]', 'https://[fd00::1]', true],
  ['[fd00::1]:443', 'https://[fd00::1]', true],
  ['[fd00::1]:8443', 'https://[fd00::1]', false],
  ['10.0.0.0/8:443', 'https://10.1.2.3', true],
  ['10.0.0.0/8:8080', 'https://10.1.2.3', false],
  ['11.0.0.0/8', 'https://10.1.2.3', false],
  ['10.0.0.0/', 'https://10.1.2.3', false],
  ['10.0.0.0/33', 'https://10.1.2.3', false],
  ['10.0.0.0/8.5', 'https://10.1.2.3', false],
  ['0.0.0.0/0', 'https://10.example', false],
  ['10.0.0.0/8', 'https://[fd00::1]', false],
])('NO_PROXY=%s exempts %s: %s', (noProxy, url, isExempt) => {
  const settings = proxySettings({ HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: noProxy });
  expect(proxyFor(new URL(url), settings) === undefined).toBe(isExempt);
});

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === '::1');

it.each(['127.0.0.1', '127.0.0.2', '127.255.255.254', 'localhost', ...(hasIpv6 ? ['[::1]'] : [])])(
  'bypasses the proxy for a service on this machine (%s)',
  async (host) => {
    const answer: RequestListener = (_request, response) => void response.end('{}');
    const { port } = await openServer(answer, host.replace(/[[\]]/g, ''));
    const proxy = await startProxy();
    for (const noProxy of [undefined, 'service.example']) {
      const http = await open({
        HTTP_PROXY: proxy.url,
        ...(noProxy === undefined ? {} : { NO_PROXY: noProxy }),
      });
      expect((await http.send(requestTo(`http://${host}:${port}/`))).status).toBe(200);
    }
    expect(proxy.tunnels).toEqual([]);
  },
);

it.each([
  ...['socks5://127.0.0.1:1080', 'http://', 'ann:s3cret@:x', 'http://ann:s3cret@host:99999'],
  ...['http://ann:s3cret100%@host:8080', 'ann:s3cret%ff@host:8080'],
])('rejects %s as a proxy, and names its variable without showing the value', async (value) => {
  const error = await failure(open({ https_proxy: value }));
  expect({ code: error.code, message: error.message, hint: error.hint }).toEqual({
    code: 'CONFIG',
    message: 'https_proxy is not the address of a proxy that can be used.',
    hint: 'Write it as http://HOST:PORT, or unset it. In a password, %25 stands for a %.',
  });
  expect(JSON.stringify([error.message, error.hint, error.details])).not.toContain('s3cret');
});

it('connects directly if no proxy is set, in spite of other settings of the process', async () => {
  const proxy = await startProxy();
  // What the program is given is what counts; nothing reads the process's own variables.
  vi.stubEnv('HTTP_PROXY', proxy.url);
  onTestFinished(() => void vi.unstubAllEnvs());
  const http = await open({});
  await failure(http.send(requestTo('http://service.invalid/')));
  expect(proxy.tunnels).toEqual([]);
});

it('rejects https requests while no certificate is checked, before it connects', async () => {
  const connections: unknown[] = [];
  const server = createServer().on('connection', (socket) => {
    connections.push(socket);
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const proxy = await startProxy();
  for (const proxies of [{}, { HTTPS_PROXY: proxy.url }]) {
    const http = await open({ NODE_TLS_REJECT_UNAUTHORIZED: '0', ...proxies });
    const error = await failure(http.send(requestTo(`https://127.0.0.1:${port}/`)));
    expect(error).toMatchObject({
      code: 'CONFIG',
      message: 'No certificate is checked, because NODE_TLS_REJECT_UNAUTHORIZED is 0.',
      hint: expect.stringMatching(/^Unset NODE_TLS_.*NODE_EXTRA_CA_CERTS=/) as string,
    });
  }
  expect(connections).toEqual([]);
  expect(proxy.tunnels).toEqual([]);

  // The text that Node.js takes for "check them".
  const http = await open({ NODE_TLS_REJECT_UNAUTHORIZED: '1' });
  expect((await failure(http.send(requestTo(`https://127.0.0.1:${port}/`)))).code).toBe('NETWORK');
  expect(connections).toHaveLength(1);
});

it('sends plain http to this machine while no certificate is checked', async () => {
  const server = await listen((_request, response) => void response.end('{}'));
  const http = await open({ NODE_TLS_REJECT_UNAUTHORIZED: '0' });
  const answer = await http.send(requestTo(`http://127.0.0.1:${server.port}/`));
  expect(answer.status).toBe(200);
});
