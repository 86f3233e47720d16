import { type Browser, type Page, chromium as playwright } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { chromium } from './chromium.ts';
import { NEVER_MS } from './until.ts';

/** Starts the browser that {@link openBrowserPage} opens pages in. Close it when the tests are done. */
export async function launchBrowser(): Promise<Browser> {
  return await playwright.launch(chromium.launchOptions);
}

/**
 * Opens a page in a new browser context; both close with the test.
 *
 * @returns the page, the errors and warnings of the console, including violations of a
 *   Content-Security-Policy, and every address that the page requested
 */
export async function openBrowserPage(
  browser: Browser,
  options: { readonly colorScheme?: 'light' | 'dark' } = {},
) {
  const context = await browser.newContext({ colorScheme: options.colorScheme ?? 'light' });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(NEVER_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => {
    // Chromium logs each 4xx response; that is no error of the page.
    if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requested.push(request.url()));
  return { page, complaints, requested };
}

/** Returns the history of the page, newest last. */
export async function historyOf(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  return (await session.send('Page.getNavigationHistory')).entries.map(({ url }) => url);
}

/** Measures the contrast of each text to its background (WCAG 2.2, relative luminance). */
export async function contrasts(page: Page): Promise<{ text: string; ratio: number }[]> {
  return await page.evaluate<{ text: string; ratio: number }[]>(CONTRASTS);
}

/** Runs in the page. A string, because this project does not load the DOM's types. */
const CONTRASTS = `(() => {
  const channels = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = channels(colour).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const groundOf = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (channels(backgroundColor)[3] !== 0) return backgroundColor;
    }
    return 'rgb(255, 255, 255)';
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() !== null) {
    const parent = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent.trim();
    if (text === '' || parent.tagName === 'SCRIPT') continue;
    const pair = [luminance(getComputedStyle(parent).color), luminance(groundOf(parent))];
    found.push({ text, ratio: (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05) });
  }
  return found;
})()`;
