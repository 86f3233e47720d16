import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { here, openWorld, requestLines, startLogin } from '../support/acceptance.ts';
import { contrasts, historyOf, launchBrowser, openBrowserPage } from '../support/browser-login.ts';
import { chromium } from '../support/chromium.ts';
import type { SandboxSettings } from '../../src/sandbox/settings.ts';
import { ndjson } from '../support/program.ts';

describe.skipIf(!chromium.present)(`a login clicked through in Chromium${chromium.note}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  async function openConsent(settings: Partial<SandboxSettings> = {}) {
    const world = await openWorld({ sandbox: { settings: { autoApprove: false, ...settings } } });
    const login = await startLogin(here(world), ['--json']);
    const opened = await openBrowserPage(browser);
    await opened.page.goto(login.authorizeUrl);
    return { world, login, ...opened };
  }

  it('names the chosen athlete, and lists the features that will not work', async () => {
    const { world, login, page, complaints, requested } = await openConsent({
      grantScopes: [
        'workout:write',
        'health:write',
        'profile:write',
        'profile:read',
        'workout:read',
      ],
    });
    const form = await page.innerText('main');
    expect(form).toContain('sync on this computer');
    expect(form).toContain('Upload and manage workouts');
    await page.getByLabel('Ben Okafor').check();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'You are logged in as Ben Okafor' }).waitFor();

    const text = await page.innerText('main');
    expect(text).toContain('You can close this window and go back to the terminal.');
    expect(text).toContain('this will not work: nutrition records.');
    const { code, stdout } = await login.running.finished;
    expect(code).toBe(0);
    expect(ndjson(stdout)[0]).toMatchObject({
      account: { id: 'athlete-2', name: 'Ben Okafor' },
      missing: [{ scope: 'nutrition:write', asked: true }],
    });
    expect(world.sandbox.control.state('athlete-2').athletes[0]?.logins).toHaveLength(1);

    // The page loaded nothing, ran nothing that its policy forbids, and kept nothing.
    expect(complaints).toEqual([]);
    expect(requested.map((url) => new URL(url).pathname)).toEqual([
      '/api/oauth/authorize',
      '/api/oauth/authorize',
      '/login',
    ]);
    const callback = new URL(requested[2] ?? '');
    const spent = ['code', 'state'].map((name) => callback.searchParams.get(name) ?? '');
    expect(spent.every((value) => value.length > 30)).toBe(true);
    // The address at the service contained the state too; the callback's entry contains neither.
    const entries = await historyOf(page);
    expect(entries.filter((url) => url.startsWith(login.redirectUri))).toEqual([login.redirectUri]);
    const [authorizationCode = '', state = ''] = spent;
    const content = await page.content();
    expect(content).not.toContain(state);
    for (const secret of [authorizationCode, 'sbx_at_', 'sbx_rt_', 'sbx_code_']) {
      expect([content, ...entries].filter((place) => place.includes(secret))).toEqual([]);
    }
    expect(page.url()).toBe(login.redirectUri);
    const stored = await page.evaluate<number>(
      'localStorage.length + sessionStorage.length + document.cookie.length',
    );
    expect(stored).toBe(0);
  });

  it('shows the next command after a denial, and exits 4', async () => {
    const { world, login, page, complaints } = await openConsent();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('heading', { name: 'You denied the login' }).waitFor();
    expect(await page.innerText('main')).toContain('sync login');
    const { code, stdout } = await login.running.finished;
    expect({ code, lines: ndjson(stdout) }).toEqual({
      code: 4,
      lines: [
        {
          type: 'error',
          code: 'AUTH_REFUSED',
          message: 'The login was not approved (The user denied the request.).',
          hint: 'Run `sync login` again to approve it.',
          error: 'access_denied',
        },
      ],
    });
    expect(world.sandbox.control.requests({ route: 'token' })).toEqual([]);
    expect(complaints).toEqual([]);
    expect((await historyOf(page)).at(-1)).toBe(login.redirectUri);
    expect(await page.content()).not.toContain(login.state);
  });

  it('holds the page until the outcome is known, then shows it', async () => {
    const { world, login, page } = await openConsent();
    world.sandbox.control.addFaults('exchange:400(error=invalid_grant)');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'The login failed' }).waitFor();
    expect((await login.running.finished).code).toBe(4);
    expect(requestLines(world.sandbox)).toEqual([
      'authorize 200',
      'authorize 200',
      'consent 303',
      'token 400',
    ]);
  });

  it.each(['light', 'dark'] as const)(
    'ends at a page that is readable in the %s scheme and on a phone',
    async (colorScheme) => {
      const world = await openWorld();
      const login = await startLogin(here(world));
      const { page, complaints } = await openBrowserPage(browser, { colorScheme });
      await page.setViewportSize({ width: 320, height: 640 });
      await page.goto(login.authorizeUrl);
      await page.getByRole('heading', { name: 'You are logged in' }).waitFor();
      const texts = await contrasts(page);
      expect(texts.length).toBeGreaterThan(0);
      expect(texts.filter(({ ratio }) => !(ratio >= 4.5))).toEqual([]);
      const ground = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      const [red = 0] = (ground.match(/\d+/g) ?? []).map(Number);
      expect(red > 128 ? 'light' : 'dark').toBe(colorScheme);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(width).toBeLessThanOrEqual(320);
      expect(complaints).toEqual([]);
      await login.running.finished;
    },
  );
});
