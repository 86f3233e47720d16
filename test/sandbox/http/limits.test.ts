import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RequestLog } from '../../../src/sandbox/http/request-log.ts';
import { MAX_RECORDING_BYTES } from '../../../src/upload/read-recording.ts';
import {
  bearer,
  multipart,
  openApp,
  openSandbox,
  postJson,
  scratchDir,
  upload,
} from '../support.ts';

const MEGABYTE = 1024 * 1024;
const CHUNK = Buffer.concat([
  Buffer.from('10000\r\n'),
  Buffer.alloc(0x10000, 'x'),
  Buffer.from('\r\n'),
]);

interface Endless {
  /** All that the server sent before it closed the connection. */
  readonly answer: string;
  /** Bytes of the body that were sent by then. */
  readonly sent: number;
}

/** Sends a chunked body until the server closes the connection. */
async function sendEndlessly(port: number, head: readonly string[]): Promise<Endless> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  let sent = 0;
  socket.on('data', (part: Buffer) => (answer += part.toString('latin1')));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const lines = [...head, 'transfer-encoding: chunked', 'content-type: application/json', '', ''];
  socket.write(lines.join('\r\n'));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const event = (name: 'drain' | 'data') =>
    new Promise<void>((resolve) => socket.once(name, () => resolve()));
  const answered = event('data');
  while (!socket.destroyed && answer === '') {
    sent += CHUNK.length;
    if (!socket.write(CHUNK)) await Promise.race([event('drain'), answered, closed]);
  }
  await closed;
  return { answer, sent };
}

describe('a body without an end', () => {
  it.each([
    ['/api/wellness', 300 * MEGABYTE],
    ['/_sandbox/tokens', 8 * MEGABYTE],
  ])('is answered with 413, and the connection closed: %s', async (path, most) => {
    const { port, control } = await openSandbox();
    const { answer, sent } = await sendEndlessly(port, [
      `POST ${path} HTTP/1.1`,
      'host: localhost',
    ]);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(sent).toBeLessThan(most);
    expect(control.requests().map(({ status, body }) => [status, body])).toEqual(
      path.startsWith('/api') ? [[413, undefined]] : [],
    );
  });

  it('leaves room for the largest recording that the client sends', async () => {
    const sandbox = openApp();
    const headers = {
      ...bearer(sandbox),
      'content-length': String(MAX_RECORDING_BYTES + 10_000),
      'content-type': 'multipart/form-data; boundary=x',
    };
    const post = (length: string) =>
      Promise.resolve(
        sandbox.app.request('/api/workouts/upload-fit', {
          method: 'POST',
          headers: { ...headers, 'content-length': length },
          body: '--x--',
        }),
      );
    expect((await post(headers['content-length'])).status).toBe(400);
    expect((await post(String(2 * MAX_RECORDING_BYTES))).status).toBe(413);
  });
});

describe('a page of another web site', () => {
  it.each([
    ['its Origin', 'origin: https://evil.example', 403],
    ['no Origin (a frame without one)', 'origin: null', 403],
    ['Sec-Fetch-Site', 'sec-fetch-site: cross-site', 403],
    ['its own name for this address (DNS rebinding)', 'x-nothing: 1', 403],
  ])('is refused by %s, before its body is read or logged', async (_what, header, status) => {
    const { port, control } = await openSandbox();
    const host = header.startsWith('x-') ? 'evil.example' : `127.0.0.1:${port}`;
    const own = ['/_sandbox/tokens', '/_sandbox/faults'];
    const apis = ['/api/wellness', '/api/oauth/token', '/api/oauth/authorize', '/nowhere'];
    for (const path of [...apis, ...own]) {
      const head = [`POST ${path} HTTP/1.1`, `host: ${host}`, header];
      const { answer, sent } = await sendEndlessly(port, head);
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      // What the sockets of both sides hold.
      expect(sent).toBeLessThan(64 * MEGABYTE);
    }
    expect(control.requests()).toEqual([]);
  });

  it('may lead the browser to the consent page, as a login does', async () => {
    const { app } = openApp();
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect((await app.request('/api/oauth/authorize', { headers })).status).toBe(400);
  });
});

describe('the limits of a request', () => {
  it('answers 431 to more headers than 16 kB', async () => {
    const { url, control } = await openSandbox();
    expect((await fetch(url, { headers: { 'x-long': 'x'.repeat(20_000) } })).status).toBe(431);
    expect(control.requests()).toEqual([]);
  });

  it('refuses a multipart body of a thousand parts and more, before it parses them', async () => {
    const sandbox = openApp();
    const parts = (count: number) =>
      multipart(Array.from({ length: count }, (_, each) => ({ name: `n${each}`, content: 'x' })));
    const post = async (count: number) => {
      const { headers, ...form } = parts(count) as { headers: object };
      const init = { ...form, method: 'POST', headers: { ...headers, ...bearer(sandbox) } };
      return await sandbox.app.request('/api/workouts/upload-fit', init);
    };
    expect((await post(1_000)).status).toBe(400);
    expect((await post(1_001)).status).toBe(400);
    expect(sandbox.control.requests().map(({ parts }) => parts?.length)).toEqual([
      1_000,
      undefined,
    ]);
  });

  it('keeps no body in the log that is nested too deeply to be shown', async () => {
    const sandbox = openApp();
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const headers = { ...bearer(sandbox), 'content-type': 'application/json' };
    await sandbox.app.request('/api/wellness', { method: 'POST', headers, body: deep });
    const log = await sandbox.app.request('/_sandbox/requests');
    expect(log.status).toBe(200);
    expect(await log.json()).toMatchObject({ requests: [{ size: 400_000 }] });
    expect((await postJson(sandbox, '/api/wellness', {}, bearer(sandbox))).status).toBe(400);
  });
});

describe('the request log', () => {
  const received = (log: RequestLog) =>
    log.open(
      null,
      '2026-02-15T12:00:00.000Z',
      new Request('http://localhost/', { method: 'POST' }),
    );
  const body = (bytes: number) => ({ type: 'application/json', value: 'x'.repeat(bytes) });

  it('drops the oldest requests beyond 64 MB', () => {
    const log = new RequestLog();
    for (let each = 0; each < 200; each++) log.recordBody(received(log), body(MEGABYTE), MEGABYTE);
    const kept = log.list();
    expect(kept.length).toBeGreaterThan(60);
    expect(kept.length).toBeLessThan(72);
    expect(kept.at(-1)?.ordinal).toBe(200);
    expect(log.count).toBe(200);
  });

  it('keeps the size of a body beyond 8 MB, and not the body', () => {
    const log = new RequestLog();
    log.recordBody(received(log), body(9 * MEGABYTE), 9 * MEGABYTE);
    expect(log.list()).toMatchObject([{ size: 9 * MEGABYTE }]);
    expect(log.list()[0]).not.toHaveProperty('body');
  });
});

it.skipIf(process.platform === 'win32')('keeps its data in files of its owner alone', async () => {
  const data = join(scratchDir(), 'data');
  const before = process.umask(0);
  try {
    await upload(openApp({ data }), [{ name: 'file', fileName: 'ride.fit', content: 'ride' }]);
    const files = readdirSync(data, { recursive: true }).map(String).sort();
    expect(files).toEqual(['recordings', /^recordings.[0-9a-f]{64}$/, 'sandbox.json']);
    const modes = [data, ...files.map((name) => join(data, name))].map((path) =>
      (statSync(path).mode & 0o777).toString(8),
    );
    expect(modes).toEqual(['700', '700', '600', '600']);
  } finally {
    process.umask(before);
  }
});
