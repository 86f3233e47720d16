// Writes the pictures of docs/sandbox.md: the sandbox's page with 14 generated days, at two widths, light
// and dark. Needs Chromium (CHROMIUM_PATH names another one) and a build. Bytes differ between two runs.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { PROGRAM, addFaults, onSandbox, openHome } from './play.mjs';

const WIDTHS = { wide: 1600, narrow: 400 };
const HEIGHT = 900;
/** WebP quality, of 100. */
const QUALITY = 40;

const fromRoot = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const user = openHome({ PATH: process.env.PATH });

await onSandbox(user, async ({ url }) => {
  await fill(url);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  for (const [name, width] of Object.entries(WIDTHS)) {
    for (const colorScheme of ['light', 'dark']) {
      const picture = await photograph(browser, url, { width, colorScheme });
      writeFileSync(fromRoot(`docs/pictures/sandbox-${name}-${colorScheme}.webp`), picture);
    }
  }
  await browser.close();
});

/** Seeds the first athlete, adds a fault, and lets an upload meet it. */
async function fill(url) {
  const answer = await fetch(`${url}/_sandbox/tokens`, { method: 'POST' });
  const { access_token: token } = await answer.json();
  const options = { env: { ...user.env, SYNC_ACCESS_TOKEN: token }, cwd: user.home };
  const seed = ['seed', '--days', '14', '--until', '2026-05-17', '--seed', '3'];
  await promisify(execFile)(process.execPath, [PROGRAM, ...seed], options);
  await promisify(execFile)(process.execPath, [PROGRAM, 'workouts'], options);
  await addFaults(url, 'profile:503', 'upload-fit:reset-after*2');
  await fetch(`${url}/api/profile`);
}

async function photograph(browser, url, { width, colorScheme }) {
  const viewport = { width, height: HEIGHT };
  const context = await browser.newContext({ viewport, colorScheme });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByText('live', { exact: true }).waitFor();
  await page.locator('#request-list li').first().waitFor();
  const session = await context.newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: QUALITY,
  });
  await context.close();
  return Buffer.from(data, 'base64');
}
