import { networkInterfaces } from 'node:os';
import { type Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_SCOPES } from '../../../src/config/scopes.ts';
import { contrasts, launchBrowser, openBrowserPage } from '../../support/browser-login.ts';
import { chromium } from '../../support/chromium.ts';
import { authorizeUrl, openSandbox } from '../support.ts';
import { openServer } from '../../support/local-server.ts';

/** Some containers have no IPv6. */
const loopback = Object.values(networkInterfaces()).flatMap(
  (addresses) =>
    addresses?.map(({ address }) => address).filter((a) => ['127.0.0.1', '::1'].includes(a)) ?? [],
);

/** An application's callback that records the requests of the browser. */
async function openCallback(host: string) {
  const seen: URL[] = [];
  const { port } = await openServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://callback');
    if (url.pathname === '/login') seen.push(url);
    response.end('The application has it.');
  }, host);
  return { uri: `http://${host.includes(':') ? `[${host}]` : host}:${port}/login`, seen };
}

describe.skipIf(!chromium.present)(`the consent page in Chromium${chromium.note}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  async function openPage(
    options: { host?: string; colorScheme?: 'light' | 'dark'; scope?: string } = {},
  ) {
    const sandbox = await openSandbox({ settings: { exactRedirectUris: false } });
    const callback = await openCallback(options.host ?? '127.0.0.1');
    const { page, complaints } = await openBrowserPage(browser, options);
    const scope = options.scope === undefined ? {} : { scope: options.scope };
    await page.goto(sandbox.url + authorizeUrl({ redirect_uri: callback.uri, ...scope }));
    return { sandbox, callback, page, complaints };
  }

  it.each(loopback)(
    'sends the approval to the application on %s, with the chosen account and every scope',
    async (host) => {
      const { sandbox, callback, page, complaints } = await openPage({ host });
      await page.getByLabel('Ben Okafor').check();
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.getByText('The application has it.').waitFor();
      expect(callback.seen.map((url) => [...url.searchParams.keys()])).toEqual([['code', 'state']]);
      const code = callback.seen[0]?.searchParams.get('code');
      const response = await fetch(`${sandbox.url}/api/oauth/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          grant_type: 'authorization_code',
          client_id: sandbox.clientId,
          code,
          redirect_uri: callback.uri,
          code_verifier: 'a-verifier-of-exactly-enough-characters-0123456789',
        }),
      });
      expect(await response.json()).toMatchObject({ scope: 'profile:read workout:write' });
      expect(sandbox.control.state('athlete-2').athletes[0]?.logins).toHaveLength(1);
      expect(complaints).toEqual([]);
    },
  );

  it('can be answered using only the keyboard', async () => {
    const { callback, page } = await openPage();
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    // Select the second account, then move to Approve.
    await press('Tab', 'ArrowDown', 'Tab', 'Enter');
    await page.getByText('The application has it.').waitFor();
    expect(callback.seen[0]?.searchParams.has('code')).toBe(true);
  });

  it.each(['light', 'dark'] as const)(
    'has a contrast of at least 4.5 in the %s scheme, and fits a phone',
    async (colorScheme) => {
      const { page, complaints } = await openPage({ colorScheme });
      const texts = await contrasts(page);
      expect(texts.length).toBeGreaterThan(15);
      expect(texts.filter(({ ratio }) => !(ratio >= 4.5))).toEqual([]);
      const ground = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      expect(ground).toBe(colorScheme === 'light' ? 'rgb(238, 241, 240)' : 'rgb(15, 21, 19)');
      await page.setViewportSize({ width: 320, height: 640 });
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(width).toBeLessThanOrEqual(320);
      expect(complaints).toEqual([]);
    },
  );

  it.each([
    { width: 1000, height: 640 },
    { width: 360, height: 640 },
    { width: 320, height: 480 },
  ])('shows both buttons without scrolling in $width x $height', async (size) => {
    const { page } = await openPage({ scope: DEFAULT_SCOPES.join(' ') });
    await page.setViewportSize(size);
    for (const name of ['Approve', 'Deny']) {
      const box = await page.getByRole('button', { name }).boundingBox();
      expect(box?.y).toBeGreaterThan(0);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(size.height);
    }
  });

  it('shows the last permission above the buttons when it is scrolled to its end', async () => {
    const { page } = await openPage({ scope: DEFAULT_SCOPES.join(' ') });
    await page.setViewportSize({ width: 360, height: 640 });
    await page.mouse.wheel(0, 5_000);
    await page.waitForFunction('scrollY + innerHeight >= document.documentElement.scrollHeight');
    const hint = await page.getByText('You grant all of them or none.').boundingBox();
    const button = await page.getByRole('button', { name: 'Approve' }).boundingBox();
    expect((hint?.y ?? 0) + (hint?.height ?? 0)).toBeLessThanOrEqual(button?.y ?? 0);
  });
});
