import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CallbackServer } from '../../src/auth/callback-server.ts';
import {
  type LandingPage,
  deniedPage,
  failedPage,
  loggedInPage,
} from '../../src/auth/landing-page.ts';
import { Secret } from '../../src/base/secret.ts';
import { never } from './support.ts';

const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);
if (executablePath === undefined) console.warn('Landing pages are not looked at: no Chromium.');

describe.skipIf(executablePath === undefined)('the landing page in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      ...(executablePath === undefined ? {} : { executablePath }),
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
    });
  });
  afterAll(() => browser.close());

  /** What the browser shows at the end of a login. */
  async function arrive(page: LandingPage, colorScheme: 'light' | 'dark') {
    const server = await CallbackServer.start({
      redirectUri: 'http://127.0.0.1:0/callback',
      expected: { state: new Secret('the-state'), origin: 'https://training.example' },
      platform: process.platform,
      userId: process.getuid?.(),
      onRefused: () => undefined,
    });
    const tab = await browser.newPage({ colorScheme });
    onTestFinished(async () => {
      await tab.close();
      await server.close();
    });
    const complaints: string[] = [];
    const requests: string[] = [];
    tab.on('console', (message) => void complaints.push(message.text()));
    tab.on('pageerror', (error) => void complaints.push(error.message));
    tab.on('request', (request) => void requests.push(request.url()));
    const loading = tab.goto(`${server.redirectUri}?code=the-code&state=the-state`);
    await server.waitForCallback(never);
    server.finish(page);
    await loading;
    const background = await tab.evaluate('getComputedStyle(document.body).backgroundColor');
    return {
      tab,
      complaints,
      requests,
      brightness: Math.max(...(String(background).match(/\d+/g) ?? []).map(Number)),
    };
  }

  it.each([
    ['logged in', 'light', loggedInPage('Anna', [])],
    ['logged in', 'dark', loggedInPage('Anna', [])],
    ['denied', 'light', deniedPage()],
    ['failed', 'dark', failedPage('The platform refuses this client.', 'Run `sync login`.')],
  ] as const)('%s, in %s', async (_what, scheme, page) => {
    const { tab, complaints, requests, brightness } = await arrive(page, scheme);
    // Chromium notes every status beyond 399.
    expect(complaints.filter((text) => !text.includes('a status of 400'))).toEqual([]);
    expect(await tab.locator('h1').innerText()).toBe(page.title);
    expect(brightness > 128).toBe(scheme === 'light');
    // The spent code is out of the address bar, and of what "back" or a bookmark would keep.
    expect(new URL(tab.url()).pathname + new URL(tab.url()).search).toBe('/callback');
    expect(await tab.content()).not.toMatch(/the-(code|state)/);
    expect(requests.filter((url) => !url.startsWith('data:'))).toHaveLength(1);
    if (page.command !== undefined) {
      expect(await tab.locator('main > code').innerText()).toBe('sync login');
    }
  });
});
