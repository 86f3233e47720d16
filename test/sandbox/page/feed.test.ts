import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MAX_LISTENERS } from '../../../src/sandbox/page/feed.ts';
import type { Sandbox } from '../../../src/sandbox/server.ts';
import { openApp, openSandbox } from '../support.ts';

interface ServerEvent {
  readonly event: string;
  readonly id?: string;
  readonly data: Record<string, unknown>;
}

/** A listener over HTTP that reads events one by one. */
async function listen(sandbox: Sandbox, headers: Record<string, string> = {}) {
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  const address = `${sandbox.url}/_sandbox/page/events`;
  const response = await fetch(address, { headers, signal: leave.signal });
  const pieces = response.body?.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  let text = '';
  const next = async (): Promise<ServerEvent> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end === -1) {
        text += (await pieces?.next())?.value ?? '';
        continue;
      }
      const fields = Object.fromEntries(
        text
          .slice(0, end)
          .split('\n')
          .map((line) => line.split(/: (.*)/s)),
      ) as Record<string, string>;
      text = text.slice(end + 2);
      if (fields['event'] === undefined) continue;
      const data = JSON.parse(fields['data'] ?? '') as Record<string, unknown>;
      const { event, id } = fields;
      return { event, data, ...(id === undefined ? {} : { id }) };
    }
  };
  /** Reads until an event for which `wanted` is true. */
  const until = async (wanted: (event: ServerEvent) => boolean): Promise<ServerEvent[]> => {
    const events: ServerEvent[] = [];
    do events.push(await next());
    while (!wanted(events.at(-1) as ServerEvent));
    return events;
  };
  return { response, next, until, leave: () => leave.abort() };
}

const answered = ({ data }: ServerEvent) => data['durationMs'] !== null;
const ask = (sandbox: Sandbox, path = '/api/profile') => fetch(sandbox.url + path);

describe('the stream of requests', () => {
  it('begins with earlier requests, and shows each new one when it arrives and when it is answered', async () => {
    const sandbox = await openSandbox({ faults: ['workouts:delay=100ms'] });
    await ask(sandbox);
    const { response, next, until } = await listen(sandbox);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(await next()).toMatchObject({
      event: 'hello',
      data: { run: expect.any(String) as string },
    });
    expect(await next()).toEqual({
      event: 'request',
      id: expect.any(String) as string,
      data: {
        ordinal: 1,
        receivedAt: expect.any(String) as string,
        method: 'GET',
        path: '/api/profile',
        route: 'profile',
        size: 0,
        status: 401,
        athlete: null,
        faults: [],
        durationMs: expect.any(Number) as number,
      },
    });
    const answer = ask(sandbox, '/api/workouts');
    const [arrived] = await until(({ data }) => data['ordinal'] === 2);
    expect(arrived?.data).toMatchObject({ status: null, durationMs: null });
    const events = await until(answered);
    expect(events.at(-1)?.data).toMatchObject({
      ordinal: 2,
      status: 401,
      faults: ['workouts:delay=100ms'],
    });
    await answer;
  });

  it('continues after the last event that a listener received', async () => {
    const sandbox = await openSandbox();
    await ask(sandbox);
    const first = await listen(sandbox);
    const seen = await first.until(({ event }) => event === 'request');
    first.leave();
    await ask(sandbox, '/api/workouts');
    const again = await listen(sandbox, { 'last-event-id': seen.at(-1)?.id ?? '' });
    expect((await again.next()).event).toBe('hello');
    expect((await again.next()).data).toMatchObject({ ordinal: 2, path: '/api/workouts' });
  });

  it.each(['999999', 'x', '-1'])(
    'begins anew for a listener of an earlier run (ID %s)',
    async (id) => {
      const sandbox = await openSandbox();
      await ask(sandbox);
      const { next } = await listen(sandbox, { 'last-event-id': id });
      expect((await next()).event).toBe('hello');
      expect((await next()).data).toMatchObject({ ordinal: 1 });
    },
  );

  it('reports changes by the control endpoints', async () => {
    const sandbox = await openSandbox();
    const { until } = await listen(sandbox);
    await fetch(`${sandbox.url}/_sandbox/faults`, { method: 'DELETE' });
    const events = await until(({ event }) => event === 'change');
    expect(events.map(({ event }) => event)).toEqual(['hello', 'change']);
  });

  it('is refused to another web site', async () => {
    const { app } = openApp();
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await app.request('/_sandbox/page/events', { headers })).status).toBe(403);
  });

  it('ends with the sandbox', async () => {
    const sandbox = await openSandbox();
    const { next, until } = await listen(sandbox);
    await next();
    const ended = expect(until(() => false)).rejects.toThrow();
    await sandbox.close();
    await ended;
  });
});

describe('the listeners', () => {
  it(`are at most ${MAX_LISTENERS}, and one that leaves makes room`, async () => {
    const sandbox = await openSandbox();
    const listeners = await Promise.all(
      Array.from({ length: MAX_LISTENERS }, () => listen(sandbox)),
    );
    const refused = await listen(sandbox);
    expect(refused.response.status).toBe(503);
    expect(refused.response.headers.get('retry-after')).toBe('5');
    listeners[0]?.leave();
    await expect.poll(async () => (await listen(sandbox)).response.status).toBe(200);
  });

  it('do not wait for one that reads nothing; it continues with the newest requests', async () => {
    const sandbox = await openSandbox();
    const slow = connect(sandbox.port, '127.0.0.1');
    onTestFinished(() => void slow.destroy());
    slow.write(`GET /_sandbox/page/events HTTP/1.1\r\nhost: 127.0.0.1:${sandbox.port}\r\n\r\n`);
    slow.pause();
    const path = `/${'x'.repeat(14_000)}`;
    // More than the buffers of both sockets hold.
    const count = 1_500;
    for (let each = 0; each < count; each += 50) {
      await Promise.all(Array.from({ length: 50 }, () => ask(sandbox, path)));
    }
    expect(sandbox.control.requestCount()).toBe(count);
    const text = await textUntil(slow, `"ordinal":${count},`);
    expect(text).toContain('event: gap\n');
    const ordinals = new Set([...text.matchAll(/"ordinal":(\d+)/g)].map(([, ordinal]) => ordinal));
    expect(ordinals.size).toBeLessThan(count);
  });
});

async function textUntil(socket: Socket, end: string): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').resume();
  while (!text.includes(end)) {
    const [piece] = (await once(socket, 'data')) as [string];
    text += piece;
  }
  return text;
}
