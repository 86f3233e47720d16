import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AUTHORIZE_URL, type World, openWorld } from '../support/acceptance.ts';
import { historyOf, launchBrowser, openBrowserPage } from '../support/browser-login.ts';
import { chromium } from '../support/chromium.ts';
import { ndjson } from '../support/program.ts';

/** Puts a program named `xdg-open` first on the PATH; it runs `script` with Node. */
function fakeOpener(world: World, script: string): NodeJS.ProcessEnv {
  const path = world.write('bin/xdg-open', `#!${process.execPath}\n${script}`);
  chmodSync(path, 0o755);
  return { DISPLAY: ':99', PATH: [dirname(path), world.home.env['PATH']].join(delimiter) };
}

/** What the opener was given, and which command lines of this machine held the state meanwhile. */
interface Seen {
  readonly argv: readonly string[];
  readonly address: string;
  readonly state: string;
  readonly commandLines: readonly string[];
}

/** Opens the address, follows it through to the end, and looks at /proc on the way. */
const OPENER = `
const fs = require('node:fs');
(async () => {
  const argv = process.argv.slice(2);
  const started = await fetch(argv[0], { redirect: 'manual' });
  const address = started.headers.get('location');
  const state = new URL(address).searchParams.get('state');
  const look = () => fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map((pid) => {
    try { return fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8'); } catch { return ''; }
  });
  const before = look();
  await (await fetch(address)).text();
  const commandLines = [...before, ...look()].filter((line) => line.includes(state));
  fs.writeFileSync(process.env.HOME + '/seen.tmp', JSON.stringify({ argv, address, state, commandLines }));
  fs.renameSync(process.env.HOME + '/seen.tmp', process.env.HOME + '/seen.json');
})();
`;

describe.skipIf(process.platform !== 'linux')('a login that starts a browser', () => {
  it('puts neither state nor challenge into the arguments of any process', async () => {
    const world = await openWorld();
    const env = fakeOpener(world, OPENER);
    const run = await world.program(['login', '--port', '0', '--json'], { env });
    const { code, stdout, stderr } = run;
    expect(code).toBe(0);
    // For the case that nothing opens, the person is shown where it leads.
    expect(stderr).toMatch(AUTHORIZE_URL);
    expect(stderr).not.toContain('/start/');
    expect(ndjson(stdout)[0]).toMatchObject({ type: 'login', account: { id: 'athlete-1' } });
    const path = `${world.home.dir}/seen.json`;
    await expect.poll(() => existsSync(path)).toBe(true);
    const seen = JSON.parse(readFileSync(path, 'utf8')) as Seen;
    expect(seen.argv).toEqual([/^http:\/\/127\.0\.0\.1:\d+\/start\/[\w-]+$/]);
    expect(`${seen.address}\n`).toMatch(AUTHORIZE_URL);
    expect(seen.state).toMatch(/^[\w-]{43}$/);
    expect(seen.commandLines).toEqual([]);
  });

  it.skipIf(!chromium.present)(`works in Chromium, with one request${chromium.note}`, async () => {
    const world = await openWorld();
    const keep = `require('node:fs').writeFileSync(process.env.HOME + '/address', process.argv[2]);`;
    const running = world.start(['login', '--port', '0'], { env: fakeOpener(world, keep) });
    const path = `${world.home.dir}/address`;
    await expect.poll(() => existsSync(path) && readFileSync(path, 'utf8')).toContain('/start/');
    const browser = await launchBrowser();
    try {
      const { page, complaints } = await openBrowserPage(browser);
      await page.goto(readFileSync(path, 'utf8'));
      await page.getByRole('heading', { name: 'You are logged in as Ada Lindqvist' }).waitFor();
      expect((await historyOf(page)).some((url) => url.includes('/start/'))).toBe(false);
      expect(complaints).toEqual([]);
      expect((await running.finished).code).toBe(0);
    } finally {
      await browser.close();
    }
  });
});
