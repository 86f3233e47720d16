import { describe, expect, it } from 'vitest';
import { makeRecording } from '../../support/fit-maker.ts';
import { makeActivity } from '../../support/fit-messages.ts';
import { DEFAULT_ATHLETES } from '../../../src/sandbox/resources/athletes.ts';
import { openApp, upload } from '../support.ts';
import { fill, HTML, readPage } from './support.ts';

const recording = makeRecording({ durationSecs: 600, startTime: new Date('2026-02-15T07:30:00Z') });

/** A request that adds a fault. */
const ANY_503 = {
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ faults: ['any:503'] }),
};

async function openFilled(name?: string) {
  const sandbox = openApp();
  await fill(sandbox, recording, name);
  sandbox.control.addFaults('any:503*inf');
  return sandbox;
}

describe('GET /', () => {
  it.each(['application/json', '*/*', ''])(
    'describes the sandbox to a client that accepts "%s"',
    async (accept) => {
      const { app } = openApp({ version: '1.2.3', settings: { platform: 'interface' } });
      const response = await app.request('/', { headers: { accept } });
      expect(response.headers.get('vary')).toBe('accept');
      expect(await response.json()).toEqual({
        name: 'athlete-sync sandbox',
        version: '1.2.3',
        platform: 'interface',
        links: {
          page: 'http://localhost/',
          authorize: 'http://localhost/api/oauth/authorize',
          token: 'http://localhost/api/oauth/token',
          control: 'http://localhost/_sandbox',
          state: 'http://localhost/_sandbox/state',
          requests: 'http://localhost/_sandbox/requests',
        },
      });
    },
  );

  it('is no request to the platform: no log entry, no fault', async () => {
    const sandbox = openApp({ faults: ['any:503*inf'] });
    const statuses = [1, 2, 3].map(async () => (await readPage(sandbox)).response.status);
    expect(await Promise.all(statuses)).toEqual([200, 200, 200]);
    expect(sandbox.control.requests()).toEqual([]);
  });

  it('is not sent again until a request, its answer or a control operation changed something', async () => {
    const sandbox = openApp({ faults: ['workouts:delay=500ms'] });
    const { app } = sandbox;
    let etag = '';
    const statusNow = async () => {
      const response = await app.request('/', { headers: { ...HTML, 'if-none-match': etag } });
      etag = response.headers.get('etag') ?? '';
      return response.status;
    };
    const seen = [await statusNow(), await statusNow()];
    const answer = app.request('/api/workouts');
    await expect.poll(() => sandbox.control.requests()[0]?.faults).toHaveLength(1);
    seen.push(await statusNow(), await statusNow());
    await answer;
    seen.push(await statusNow(), await statusNow());
    await app.request('/_sandbox/faults', { method: 'POST', ...ANY_503 });
    seen.push(await statusNow(), await statusNow());
    // As a test does that started the sandbox by the library.
    sandbox.control.clearFaults();
    seen.push(await statusNow(), await statusNow());
    expect(seen).toEqual([200, 304, 200, 304, 200, 304, 200, 304, 200, 304]);
    // Another sandbox at this address.
    const headers = { ...HTML, 'if-none-match': etag };
    expect((await openApp().app.request('/', { headers })).status).toBe(200);
  });

  it('can be opened by a link on another site', async () => {
    const headers = { ...HTML, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect((await openApp().app.request('/', { headers })).status).toBe(200);
  });

  it('leaves queued recordings queued', async () => {
    const sandbox = await openFilled();
    await readPage(sandbox);
    const [athlete] = sandbox.control.state('athlete-1').athletes;
    expect(athlete?.recordings.map(({ processing }) => processing)).toEqual(['queued']);
  });
});

describe('the page', () => {
  it('shows the line to copy into a shell', async () => {
    const { html } = await readPage(openApp());
    expect(html).toMatch(/>export SYNC_BASE_URL=http:\S+ SYNC_CLIENT_ID=sandbox-client</);
  });

  it('shows the year of each day', async () => {
    const { html } = await readPage(await openFilled());
    expect(html).toContain('Sun, 15 Feb 2026');
  });

  it('loads nothing from elsewhere, cannot be framed or cached, and cannot turn text into HTML', async () => {
    const sandbox = openApp();
    const pages = [await readPage(sandbox), await readPage(sandbox)];
    const nonces = pages.map(({ response, elements }) => {
      const policy = response.headers.get('content-security-policy') ?? '';
      const [, nonce = ''] = /script-src 'nonce-([^']+)'/.exec(policy) ?? [];
      expect(policy).toBe(
        `default-src 'none'; style-src 'nonce-${nonce}'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; script-src 'nonce-${nonce}'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'`,
      );
      const loading = elements.filter(({ attributes }) => 'nonce' in attributes);
      expect(loading.map(({ name, attributes }) => [name, attributes['nonce']])).toEqual([
        ['link', nonce],
        ['script', nonce],
      ]);
      return nonce;
    });
    expect(nonces[0]).not.toBe(nonces[1]);
    expect(Object.fromEntries(pages[0]?.response.headers ?? [])).toMatchObject({
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      vary: 'accept',
    });
  });

  it('has neither inline styles, nor handlers, nor addresses elsewhere', async () => {
    const { elements } = await readPage(await openFilled());
    expect(elements.length).toBeGreaterThan(150);
    for (const { name, attributes, text } of elements) {
      const names = Object.keys(attributes);
      expect(names.filter((each) => each === 'style' || each.startsWith('on'))).toEqual([]);
      if (name === 'script') expect(text).toBe('');
      expect(name).not.toBe('style');
      for (const each of ['href', 'src', 'action']) {
        expect(attributes[each] ?? '/').toMatch(/^(\/(?!\/)|#|data:image\/svg)/);
      }
    }
  });

  it.each(['page.css', 'page.js'])('serves %s under its own type', async (name) => {
    const response = await openApp().app.request(`/_sandbox/page/${name}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(
      name === 'page.css' ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
    );
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await response.text()).length).toBeGreaterThan(1000);
  });

  it('has unique IDs, one h1, a name for each region, and a label for each control', async () => {
    const { elements } = await readPage(await openFilled());
    const ids = elements.flatMap(({ attributes }) => attributes['id'] ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    expect(elements.find(({ name }) => name === 'html')?.attributes['lang']).toBe('en');
    expect(elements.filter(({ name }) => name === 'h1')).toHaveLength(1);
    for (const tag of ['header', 'main', 'footer']) {
      expect(
        elements.filter(({ name, parents }) => name === tag && parents.length === 2),
      ).toHaveLength(1);
    }
    const named = elements.filter(
      ({ name, attributes }) =>
        name === 'section' || name === 'nav' || attributes['role'] === 'region',
    );
    expect(named.length).toBeGreaterThan(6);
    for (const { attributes } of named) {
      const label = attributes['aria-labelledby'];
      expect(label === undefined ? attributes['aria-label'] : ids).toContain(label ?? '');
    }
    const drawings = elements.filter(({ attributes }) => attributes['role'] === 'img');
    expect(drawings.length).toBeGreaterThan(2);
    for (const { attributes } of drawings) expect(attributes['aria-label']).toMatch(/\w+/);
    const labelled = elements.flatMap(({ attributes }) => attributes['for'] ?? []);
    for (const { name, attributes, text } of elements) {
      if (name === 'button' || name === 'summary' || name === 'a') {
        if (name !== 'summary' || attributes['id'] !== undefined) expect(text.trim()).not.toBe('');
      }
      if (name === 'input' && attributes['type'] !== 'hidden') {
        expect(labelled).toContain(attributes['id']);
      }
    }
  });

  it('shows names from outside as text', async () => {
    const hostile = `</a><script>alert(1)</script><img src=x onerror=alert(1)>"'&{{7*7}}\u202e`;
    const sandbox = openApp({
      athletes: DEFAULT_ATHLETES.map((each) => ({ ...each, name: hostile, timezone: 'UTC' })),
    });
    await fill(sandbox, recording, hostile);
    sandbox.control.addFood({
      date: '2026-02-15',
      meal: 'lunch',
      source: hostile,
      item: { name: hostile, logged_at: hostile, carbs: hostile, absorptionType: hostile },
    });
    const { html, elements } = await readPage(sandbox);
    expect(elements.filter(({ name }) => name === 'script')).toHaveLength(1);
    expect(elements.filter(({ name }) => name === 'img')).toEqual([]);
    const texts = elements.filter(({ attributes }) => attributes['class']?.includes('outside'));
    expect(texts.filter(({ text }) => text.trim() === hostile).length).toBeGreaterThan(3);
    expect(html).not.toContain('<script>');
  });

  it('shows each recording with its track, the newest first', async () => {
    const sandbox = openApp();
    await fill(sandbox, recording, 'First');
    const run = makeRecording({
      seed: 2,
      sport: 1,
      durationSecs: 300,
      startTime: new Date('2026-02-16'),
    });
    await upload(sandbox, [
      { name: 'file', fileName: 'run.fit', content: run },
      { name: 'name', content: 'Second' },
    ]);
    const { elements } = await readPage(sandbox);
    const titles = elements.filter(({ name }) => name === 'h3').map(({ text }) => text.trim());
    expect(titles).toEqual(['Second', 'First']);
    const labels = elements.flatMap(({ attributes }) => attributes['aria-label'] ?? []);
    expect(labels.filter((label) => /^Track within [\d.]+ by [\d.]+ km$/.test(label))).toHaveLength(
      2,
    );
  });

  it('draws a series within the limits that its words name, if there is no track', async () => {
    const sandbox = openApp();
    const records = [100, 900, 100, 300].flatMap((power) =>
      Array.from({ length: 900 }, () => power),
    );
    records[1800] = 1400;
    await fill(sandbox, makeActivity({ records: records.map((power) => ({ power })) }));
    const { html, elements } = await readPage(sandbox);
    expect(html).toMatch(/average 350, highest 1,400 W/);
    const drawing = elements.find(({ attributes }) => attributes['class'] === 'drawing');
    expect(drawing?.attributes['aria-label']).toContain('highest 1,400 W');
    const line = elements.find(({ attributes }) => attributes['class'] === 'line');
    const heights = [...(line?.attributes['d'] ?? '').matchAll(/ ([\d.]+)/g)].map(([, y]) =>
      Number(y),
    );
    expect(heights.length).toBeGreaterThan(300);
    // 900 W of 1,400, from the top.
    expect(heights).toContain(35.7);
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...heights)).toBeLessThanOrEqual(100);
  });

  it.each([
    ['bytes that are not FIT', new Uint8Array(Buffer.from('not FIT'))],
    ['a recording without records', makeActivity({})],
    ['a recording with one record', makeActivity({ records: [{ power: 200 }] })],
  ])('lists %s without charts', async (_what, bytes) => {
    const sandbox = openApp();
    await fill(sandbox, bytes);
    const { response, html } = await readPage(sandbox);
    expect(response.status).toBe(200);
    expect(html).toContain('This file has no records to draw.');
  });

  it("lists food by its time in the athlete's zone, with the day of food that another day has", async () => {
    const { elements } = await readPage(await openFilled());
    const cells = elements
      .filter(({ name, parents }) => /^t[dh]$/.test(name) && parents.includes('details'))
      .map(({ text }) => text.trim());
    const row = (time: string) => cells.slice(cells.indexOf(time)).slice(0, 9).join('|');
    expect(row('07:10')).toBe('07:10|Ride|breakfast|fast|62||||oauth:app-1');
    expect(row('04:00 on 2026-02-16')).toMatch(/^04:00 on 2026-02-16\|Late\|\w+\|dense\|10\|/);
  });

  it('shows another athlete on request, and the first one for an unknown one', async () => {
    const sandbox = openApp();
    const nameAt = async (address: string) =>
      (await readPage(sandbox, address)).elements
        .find(({ attributes }) => attributes['aria-current'] === 'page')
        ?.text.replaceAll(/\s+/g, ' ');
    expect(await nameAt('/?athlete=athlete-2')).toContain('Ben Okafor');
    expect(await nameAt('/?athlete=unknown')).toContain('Ada Lindqvist');
  });

  it('survives a day beyond the calendar', async () => {
    const sandbox = openApp();
    await fill(sandbox, recording);
    const { daily } = sandbox.world;
    daily.put('athlete-1', 'wellness', '+012345-01', { hrv: 50 });
    daily.put('athlete-1', 'nutrition', '+012345-01', {
      ...daily.list('athlete-1', 'nutrition')[0]?.record,
    });
    expect((await readPage(sandbox)).response.status).toBe(200);
  });
});
