import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contrasts, launchBrowser, openBrowserPage } from '../../support/browser-login.ts';
import { chromium } from '../../support/chromium.ts';
import { makeRecording } from '../../support/fit-maker.ts';
import type { ServerOptions } from '../../../src/sandbox/server.ts';
import { multipart, openSandbox } from '../support.ts';

const DAY = '2026-02-15';
const HOSTILE = `<img src=x onerror="document.title='harm'"><script>document.title='harm'</script>`;

describe.skipIf(!chromium.present)(`the page of the sandbox in Chromium${chromium.note}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  async function openFilled(options: ServerOptions = {}) {
    const sandbox = await openSandbox(options);
    const { access_token } = sandbox.control.mint();
    const authorization = `Bearer ${access_token}`;
    const send = async (path: string, body: object) =>
      await fetch(sandbox.url + path, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    for (const [seed, name] of [HOSTILE, 'Long ride'].entries()) {
      const form = multipart([
        {
          name: 'file',
          fileName: `ride-${seed}.fit`,
          content: makeRecording({ seed: seed + 1, durationSecs: 600 }),
        },
        { name: 'name', content: name },
      ]);
      await fetch(`${sandbox.url}/api/workouts/upload-fit`, {
        method: 'POST',
        headers: { authorization, ...form.headers },
        body: form.body,
      });
    }
    for (const [index, hrv] of [58, 61, 60, 66].entries()) {
      await send('/api/wellness', { date: `2026-02-1${index + 2}`, hrv, restingHr: 50 - index });
    }
    const items = ['RAPID', 'FAST', 'BALANCED', 'DENSE', 'HYPER_LOAD'].map(
      (absorptionType, hour) => ({
        name: HOSTILE,
        logged_at: `${DAY}T1${hour}:00:00Z`,
        carbs: 20 * hour,
        absorptionType,
      }),
    );
    await send('/api/nutrition', { date: DAY, items });
    return { sandbox, send };
  }

  async function openPage(
    address: string,
    {
      width = 1600,
      colorScheme = 'light',
    }: { width?: number; colorScheme?: 'light' | 'dark' } = {},
  ) {
    const opened = await openBrowserPage(browser, { colorScheme });
    await opened.page.setViewportSize({ width, height: 900 });
    await opened.page.goto(address);
    await opened.page.getByText('live', { exact: true }).waitFor();
    return opened;
  }

  /** Moves the focus with Tab until it is on a button with this name. */
  async function tabTo(page: Page, name: string): Promise<void> {
    for (let presses = 0; presses < 200; presses++) {
      await page.keyboard.press('Tab');
      const found = await page.evaluate<string>(
        'document.activeElement.textContent.replace(/\\s+/g, " ").trim()',
      );
      if (found === name) return;
    }
    throw new Error(`No focus on "${name}"`);
  }

  it.each([
    { width: 400, colorScheme: 'dark' as const },
    { width: 1600, colorScheme: 'light' as const },
  ])('fits $width px, and is readable in the $colorScheme scheme', async (look) => {
    const { sandbox } = await openFilled({ faults: ['any:delay=1ms*inf'] });
    const { page, complaints, requested } = await openPage(sandbox.url, look);
    await page.locator('#nutrition summary').first().click();
    const texts = await contrasts(page);
    expect(texts.length).toBeGreaterThan(100);
    expect(texts.filter(({ ratio }) => !(ratio >= 4.5))).toEqual([]);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(look.width);
    const ground = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    expect(ground).toBe(look.colorScheme === 'light' ? 'rgb(238, 241, 240)' : 'rgb(15, 21, 19)');
    expect(complaints).toEqual([]);
    expect(
      requested.filter((url) => !url.startsWith(sandbox.url) && !url.startsWith('data:')),
    ).toEqual([]);
  });

  it('shows names and bodies from outside as text, in the list of requests too', async () => {
    const { sandbox, send } = await openFilled();
    const { page, complaints } = await openPage(sandbox.url);
    await send(`/api/${encodeURIComponent(HOSTILE)}`, { text: HOSTILE });
    await page.locator('#request-list a').first().getByText('404').waitFor();
    expect(await page.getByText('onerror=').count()).toBeGreaterThan(2);
    expect(await page.locator('img, main script').count()).toBe(0);
    expect(await page.title()).not.toContain('harm');
    expect(complaints).toEqual([]);
  });

  it('cannot turn text into HTML, whatever its script does', async () => {
    const { sandbox } = await openFilled();
    const { page } = await openPage(sandbox.url);
    const attempt = page.evaluate<unknown>('document.body.innerHTML = "<b>x</b>"');
    await expect(attempt).rejects.toThrow(/TrustedHTML/);
  });

  it('shows requests as they arrive, with redacted headers and the answer', async () => {
    const { sandbox, send } = await openFilled();
    const { page } = await openPage(sandbox.url);
    await send('/api/wellness', { date: DAY, hrv: 71 });
    const entry = page.locator('#request-list li').first();
    await entry.getByText('/api/wellness').waitFor();
    await expect
      .poll(async () => await page.locator('#wellness b').first().textContent())
      .toContain('71');
    await entry.locator('a').click();
    await page.waitForURL(/requests/);
    const text = (await page.locator('pre').textContent()) ?? '';
    expect(JSON.parse(text)).toMatchObject({
      headers: { authorization: /^Bearer sha256:[0-9a-f]{12}$/ },
      body: { hrv: 71 },
      answer: { status: 200, body: { success: true } },
    });
    expect(text).not.toContain('sbx_');
    expect(text.split('\n').length).toBeGreaterThan(10);
  });

  it('shows a request that waits, and then its answer', async () => {
    const { sandbox } = await openFilled({ faults: ['profile:delay=1500ms'] });
    const { page } = await openPage(sandbox.url);
    const answer = fetch(`${sandbox.url}/api/profile`);
    const entry = page.locator('#request-list li').first();
    await entry.getByText('…', { exact: true }).waitFor();
    await answer;
    await entry.getByText('401', { exact: true }).waitFor();
    expect(await entry.textContent()).toContain('fault profile:delay=1500ms');
  });

  it('can be used with the keyboard alone, and keeps the focus when its data changes', async () => {
    const { sandbox } = await openFilled();
    const { page, complaints } = await openPage(sandbox.url);
    await tabTo(page, 'upload-fit:503');
    const outline = await page.evaluate<string>(
      'getComputedStyle(document.activeElement).outlineStyle',
    );
    expect(outline).toBe('solid');
    await page.keyboard.press('Enter');
    await page.getByText('Added the fault upload-fit:503.').waitFor();
    expect(sandbox.control.faults()).toMatchObject([{ spec: 'upload-fit:503', hitsLeft: 1 }]);
    await page.getByRole('link', { name: '1 active fault' }).waitFor();

    // The same switch has the focus.
    const fault = page.getByRole('switch', { name: 'upload-fit:503' });
    expect(await fault.getAttribute('aria-checked')).toBe('true');
    await page.keyboard.press('Space');
    await page.getByText('Removed the fault upload-fit:503.').waitFor();
    expect(sandbox.control.faults()).toEqual([]);

    await page.getByLabel('Another fault').fill('wellness:503');
    await page.keyboard.press('Enter');
    await page.getByRole('switch', { name: 'wellness:503' }).focus();
    await page.keyboard.press('Space');
    // The switch is gone: the focus is on the heading of its section.
    const focused = () => page.evaluate<string>('document.activeElement.id');
    await expect.poll(focused).toBe('faults-title');
    expect(complaints).toEqual([]);
  });

  it('shows an error of a typed fault, and keeps the text', async () => {
    const { sandbox } = await openFilled();
    const { page } = await openPage(sandbox.url);
    await page.getByLabel('Another fault').fill('uploads:503');
    await page.keyboard.press('Enter');
    await page.getByText('no route "uploads"').waitFor();
    expect(await page.getByLabel('Another fault').inputValue()).toBe('uploads:503');
    await page.getByLabel('Another fault').fill('wellness:503');
    await page.keyboard.press('Enter');
    await page.getByText('Added the fault wellness:503.').waitFor();
    expect(sandbox.control.faults()).toHaveLength(1);
  });

  it('shows another athlete, and Back returns', async () => {
    const { sandbox } = await openFilled();
    const { page, complaints } = await openPage(sandbox.url);
    await page.getByRole('link', { name: /Ben Okafor/ }).click();
    await page.getByText('No recordings yet.').waitFor();
    expect(await page.title()).toBe('Ben Okafor · Sandbox platform');
    await page.goBack();
    await page.getByText('Long ride').waitFor();
    expect(complaints).toEqual([]);
  });

  it('loads itself again after the sandbox was restarted', async () => {
    const { sandbox } = await openFilled();
    const { page } = await openPage(sandbox.url);
    const { port } = sandbox;
    await sandbox.close();
    await page.getByText('not connected').waitFor();
    const next = await openSandbox({ port });
    await page.getByText('No recordings yet.').waitFor();
    await page.getByRole('switch', { name: 'any:503*inf' }).click();
    await page.getByText('Added the fault any:503*inf.').waitFor();
    expect(next.control.faults()).toHaveLength(1);
  });

  it('shows everything without JavaScript, too', async () => {
    const { sandbox } = await openFilled();
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${sandbox.url}/?athlete=athlete-2`);
    await page.getByText('No recordings yet.').waitFor();
    await page.locator('#request-list a').first().click();
    expect(await page.locator('pre').textContent()).toContain('"answer": {');
    await context.close();
  });
});
