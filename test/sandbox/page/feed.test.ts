import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MAX_LISTENERS } from '../../../src/sandbox/page/feed.ts';
import type { SandboxServer } from '../../../src/sandbox/server.ts';
import { openApp, openSandbox } from '../support.ts';

interface ServerEvent {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** A listener over HTTP that reads events one by one. */
async function listen(sandbox: SandboxServer) {
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  const address = `${sandbox.url}/_sandbox/page/events`;
  const response = await fetch(address, { signal: leave.signal });
  const pieces = response.body?.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  let text = '';
  const next = async (): Promise<ServerEvent> => {
    while (!text.includes('\n\n')) text += (await pieces?.next())?.value ?? '';
    const end = text.indexOf('\n\n');
    const [, event = '', data = '{}'] = /^event: (.*)\ndata: (.*)$/.exec(text.slice(0, end)) ?? [];
    text = text.slice(end + 2);
    return { event, data: JSON.parse(data) as Record<string, unknown> };
  };
  return { response, next, leave: () => leave.abort() };
}

const ask = (sandbox: SandboxServer, path = '/api/profile') => fetch(sandbox.url + path);

describe('the stream of changes', () => {
  it('begins with the run of the sandbox, and reports a request when it arrives and when it is answered', async () => {
    const sandbox = await openSandbox({ faults: ['workouts:delay=100ms'] });
    await ask(sandbox);
    const { response, next } = await listen(sandbox);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(await next()).toEqual({
      event: 'hello',
      data: { run: expect.any(String) as string },
    });
    const answer = ask(sandbox, '/api/workouts');
    expect(await next()).toEqual({ event: 'change', data: {} });
    expect(sandbox.control.requests().at(-1)).toMatchObject({ status: null });
    expect((await next()).event).toBe('change');
    expect((await answer).status).toBe(401);
  });

  it('names another run after a restart', async () => {
    const runs = [await openSandbox(), await openSandbox()].map(async (sandbox) => {
      const { next } = await listen(sandbox);
      return (await next()).data['run'];
    });
    expect(new Set(await Promise.all(runs)).size).toBe(2);
  });

  it('reports changes by the control endpoints', async () => {
    const sandbox = await openSandbox();
    const { next } = await listen(sandbox);
    expect((await next()).event).toBe('hello');
    await fetch(`${sandbox.url}/_sandbox/faults`, { method: 'DELETE' });
    expect((await next()).event).toBe('change');
  });

  it('is refused to another web site', async () => {
    const { app } = openApp();
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await app.request('/_sandbox/page/events', { headers })).status).toBe(403);
  });

  it('ends with the sandbox', async () => {
    const sandbox = await openSandbox();
    const { next } = await listen(sandbox);
    await next();
    const ended = expect(next()).rejects.toThrow();
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

  it('do not wait for one that reads nothing', async () => {
    const sandbox = await openSandbox();
    const slow = connect(sandbox.port, '127.0.0.1');
    onTestFinished(() => void slow.destroy());
    slow.write(`GET /_sandbox/page/events HTTP/1.1\r\nhost: 127.0.0.1:${sandbox.port}\r\n\r\n`);
    slow.pause();
    const { next } = await listen(sandbox);
    expect((await next()).event).toBe('hello');
    for (let each = 0; each < 100; each++) await ask(sandbox);
    expect((await next()).event).toBe('change');
    expect(sandbox.control.requestCount()).toBe(100);
  });
});
