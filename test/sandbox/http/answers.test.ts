import { describe, expect, it } from 'vitest';
import { RequestLog } from '../../../src/sandbox/http/request-log.ts';
import {
  authorizeUrl,
  bearer,
  exchange,
  getCode,
  openApp,
  openSandbox,
  postJson,
} from '../support.ts';

describe('GET /_sandbox/requests/:ordinal', () => {
  it('shows a request with its answer', async () => {
    const sandbox = openApp();
    await postJson(sandbox, '/api/wellness', { date: '2026-02-15', hrv: 62 }, bearer(sandbox));
    const response = await sandbox.app.request('/_sandbox/requests/1');
    expect(await response.json()).toMatchObject({
      ordinal: 1,
      path: '/api/wellness',
      body: { date: '2026-02-15', hrv: 62 },
      answer: {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: { success: true, data: { hrv: 62 } },
      },
    });
  });

  it('answers 404 for an unknown or a cleared request', async () => {
    const { app, control } = openApp();
    await app.request('/api/profile');
    control.clearRequests();
    for (const ordinal of ['1', '2', 'x']) {
      expect((await app.request(`/_sandbox/requests/${ordinal}`)).status).toBe(404);
    }
  });

  it('shows tokens and codes as fingerprints, also in the address of a redirect', async () => {
    const sandbox = openApp({ settings: { autoApprove: true } });
    const code = await getCode(sandbox);
    const tokens = (await (await exchange(sandbox, code)).json()) as Record<string, string>;
    const texts: string[] = [];
    for (const ordinal of [1, 2]) {
      texts.push(await (await sandbox.app.request(`/_sandbox/requests/${ordinal}`)).text());
    }
    const [redirect = '', exchanged = ''] = texts;
    expect(JSON.parse(redirect)).toMatchObject({
      answer: {
        status: 302,
        headers: {
          location: /^http:\/\/127\.0\.0\.1:8917\/login\?code=sha256:[0-9a-f]{12}&state=/,
        },
      },
    });
    expect(JSON.parse(exchanged)).toMatchObject({
      answer: {
        body: {
          access_token: /^sha256:[0-9a-f]{12}$/,
          refresh_token: /^sha256:[0-9a-f]{12}$/,
          token_type: 'Bearer',
        },
      },
    });
    for (const secret of [code, tokens['access_token'] ?? '-', tokens['refresh_token'] ?? '-']) {
      expect(texts.join('\n')).not.toContain(secret);
    }
  });

  it.each([
    ['the consent page, without its key', authorizeUrl(), [], /name="request" value="sha256:/],
    ['a page of a proxy', '/api/profile', ['profile:html'], /502/],
    ['half of an answer', '/api/profile', ['profile:truncate'], /\{/],
  ])('keeps the text of %s', async (_what, path, faults, body) => {
    const { app } = openApp({ faults });
    await app.request(path);
    const { answer } = (await (await app.request('/_sandbox/requests/1')).json()) as {
      answer: { body?: unknown };
    };
    expect(answer.body).toEqual(body);
  });

  it('keeps no secret of half of a token answer', async () => {
    const sandbox = openApp({ settings: { autoApprove: true }, faults: ['exchange:truncate'] });
    await exchange(sandbox, await getCode(sandbox));
    const response = await sandbox.app.request('/_sandbox/requests/2');
    expect(await response.text()).not.toContain('sbx_');
  });

  it.each(['reset', 'reset-mid', 'close-mid'])('has no answer after %s', async (kind) => {
    const sandbox = await openSandbox({ faults: [`profile:${kind}`] });
    const read = async () => await (await fetch(`${sandbox.url}/api/profile`)).text();
    await expect(read()).rejects.toThrow();
    expect(sandbox.control.request(1).answer).toBeNull();
  });

  it('counts against the limit of the log', () => {
    const log = new RequestLog();
    for (let count = 0; count < 400; count++) {
      const record = log.open(null, '2026-02-15T12:00:00Z', new Request('http://localhost/'));
      log.recordAnswer(record, { status: 200, headers: {}, body: 'x'.repeat(200_000) });
    }
    const ordinals = log.list().map(({ ordinal }) => ordinal);
    expect(ordinals.at(-1)).toBe(400);
    expect(ordinals.length).toBeLessThan(370);
    expect(log.find(1)).toBeUndefined();
  });
});
