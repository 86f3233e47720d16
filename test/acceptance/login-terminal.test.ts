import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  AUTHORIZE_URL,
  answerOf,
  openTerminal,
  openWorld,
  requestLines,
  terminals,
  tokenFile,
  visit,
} from '../support/acceptance.ts';
import { ndjson } from '../support/program.ts';

/** The requests of a login; the profile states the athlete's time zone. */
const CHECK = ['authorize 302'];
const LOGIN = [...CHECK, 'authorize 302', 'token 200', 'userinfo 200', 'profile 200'];

describe.skipIf(!terminals.present)(`a login at a terminal${terminals.note}`, () => {
  it('asks for address, client and secret on first use, and never shows the secret', async () => {
    const world = await openWorld({ env: { SYNC_BASE_URL: undefined, SYNC_CLIENT_ID: undefined } });
    const { sandbox } = world;
    const terminal = openTerminal(world, ['login', '--no-browser', '--port', '0']);
    await terminal.waitFor(/Number, name, or the address/);
    terminal.type('my platform\r');
    await terminal.waitFor(/That "my platform" is not an address/);
    await terminal.waitFor(/Number, name, or the address/);
    terminal.type('http://training.example.com\r');
    await terminal.waitFor(/is plain http: a login needs https/);
    await terminal.waitFor(/Number, name, or the address/);
    terminal.type(`${sandbox.url}\r`);
    await terminal.waitFor(/Client ID/);
    terminal.type('sandbox-confidential\r');
    await terminal.waitFor(/Client secret \(not shown/);
    terminal.type('sandbox-secret\r');
    const [url] = await terminal.waitFor(AUTHORIZE_URL);
    expect(new URL(url).searchParams.get('client_id')).toBe('sandbox-confidential');
    await terminal.waitFor(/Address of the last page/);
    await visit(url);
    const { code } = await terminal.finished;
    expect(code).toBe(0);
    expect(terminal.screen()).toContain('Logged in as Ada Lindqvist');
    // The result starts on a line of its own, after the question that the callback withdrew.
    expect(terminal.screen()).toMatch(/Address of the last page: [^\n]*\n\r?Logged in as /);
    expect(terminal.screen().match(/last page/g)).toHaveLength(2);
    expect(terminal.screen()).not.toContain('sandbox-secret');
    // The secret went with the tokens, the rest is in the configuration.
    const config = readFileSync(join(world.home.dir, 'config', 'config.json'), 'utf8');
    expect(config).toContain('sandbox-confidential');
    expect(config).not.toContain('sandbox-secret');
    expect(readFileSync(tokenFile(world), 'utf8')).toContain('sandbox-secret');
    expect(requestLines(sandbox)).toEqual(LOGIN);

    // The second time nothing is asked.
    const again = openTerminal(world, ['login', '--no-browser', '--port', '0']);
    const [second] = await again.waitFor(AUTHORIZE_URL);
    expect(again.screen()).not.toMatch(/Client ID:|Client secret|Number, name/);
    await again.waitFor(/Address of the last page/);
    await visit(second);
    expect((await again.finished).code).toBe(0);
  });

  it('accepts an empty client secret', async () => {
    const world = await openWorld({ env: { SYNC_CLIENT_ID: undefined } });
    const terminal = openTerminal(world, ['login', '--no-browser', '--port', '0']);
    await terminal.waitFor(/Client ID/);
    terminal.type('sandbox-client\r');
    await terminal.waitFor(/Client secret/);
    terminal.type('\r');
    const [url] = await terminal.waitFor(AUTHORIZE_URL);
    await terminal.waitFor(/Address of the last page/);
    await visit(url);
    expect((await terminal.finished).code).toBe(0);
    expect(world.sandbox.control.requests({ route: 'token' })[0]?.body).not.toHaveProperty(
      'client_secret',
    );
  });

  it('accepts the last address of the browser, and asks again for any other', async () => {
    const world = await openWorld();
    const terminal = openTerminal(world, ['login', '--no-browser', '--port', '0']);
    const [url] = await terminal.waitFor(AUTHORIZE_URL);
    const answer = await answerOf(url);
    const wrongState = new URL(answer);
    wrongState.searchParams.set('state', 'A'.repeat(43));
    const mistakes: [string, RegExp][] = [
      ['', /That was empty/],
      ['no idea', /That is not an address/],
      [url, /That is another address/],
      [wrongState.href, /belongs to another login/],
    ];
    for (const [pasted, complaint] of mistakes) {
      await terminal.waitFor(/Address of the last page/);
      terminal.type(`${pasted}\r`);
      await terminal.waitFor(complaint);
    }
    expect(requestLines(world.sandbox)).toEqual([...CHECK, 'authorize 302']);
    await terminal.waitFor(/Address of the last page/);
    terminal.type(`${answer}\r`);
    expect((await terminal.finished).code).toBe(0);
    expect(terminal.screen()).toContain('Logged in as Ada Lindqvist');
    expect(requestLines(world.sandbox)).toEqual(LOGIN);
  });

  it('asks again after each of 30 wrong addresses, without a warning of Node.js', async () => {
    const world = await openWorld();
    const terminal = openTerminal(world, ['login', '--no-browser', '--port', '0']);
    for (let each = 1; each <= 30; each++) {
      await terminal.waitFor(/Address of the last page/);
      terminal.type(`wrong ${each}\r`);
      await terminal.waitFor(/That is not an address/);
    }
    await terminal.waitFor(/Address of the last page/);
    expect(terminal.screen()).not.toMatch(/Warning|listeners/i);
    terminal.type('\u0003');
    expect((await terminal.finished).code).toBe(130);
  });

  it('exits 130 on Ctrl-C at the question, and stores nothing', async () => {
    const world = await openWorld();
    const terminal = openTerminal(world, ['login', '--no-browser', '--port', '0']);
    await terminal.waitFor(/Address of the last page/);
    terminal.type('\u0003');
    expect((await terminal.finished).code).toBe(130);
    expect(existsSync(tokenFile(world))).toBe(false);
    expect(requestLines(world.sandbox)).toEqual(CHECK);
  });

  it('asks before it uses a file without a keychain, and saves the answer', async () => {
    const world = await openWorld({ env: { SYNC_TOKEN_STORE: undefined } });
    const terminal = openTerminal(world, ['login', '--no-browser', '--port', '0']);
    await terminal.waitFor(/No keychain found/);
    await terminal.waitFor(/Keep the login in a file that only you can read\? \[y\/N\]/);
    expect(terminal.screen()).not.toContain('In CI');
    terminal.type('y\r');
    const [url] = await terminal.waitFor(AUTHORIZE_URL);
    await terminal.waitFor(/Address of the last page/);
    await visit(url);
    expect((await terminal.finished).code).toBe(0);
    const [status] = ndjson((await world.sync(['status', '--json'])).stdout);
    expect(status).toMatchObject({ store: { kind: 'file' }, login: { state: 'logged-in' } });
  });

  it('exits 2 without a keychain and without a yes, before it shows the address', async () => {
    const world = await openWorld({ env: { SYNC_TOKEN_STORE: undefined } });
    const terminal = openTerminal(world, ['login', '--no-browser', '--port', '0']);
    await terminal.waitFor(/\[y\/N\]/);
    terminal.type('\r');
    expect((await terminal.finished).code).toBe(2);
    expect(terminal.screen()).not.toMatch(AUTHORIZE_URL);
    expect(existsSync(tokenFile(world))).toBe(false);
  });
});
