import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  AUTHORIZE_URL,
  freePort,
  openTerminal,
  openWorld,
  requestLines,
  terminals,
  tokenFile,
  visit,
} from '../support/acceptance.ts';
import { makeRecording } from '../support/fit-maker.ts';

/** The requests of a login; the profile states the athlete's time zone. */
const CHECK = ['authorize 302'];
const LOGIN = [...CHECK, 'authorize 302', 'token 200', 'userinfo 200', 'profile 200'];

describe.skipIf(!terminals.present)(`a login at a terminal${terminals.note}`, () => {
  it('asks for address, client and secret on first use, and never shows the secret', async () => {
    const world = await openWorld({ env: { SYNC_BASE_URL: undefined, SYNC_CLIENT_ID: undefined } });
    const { sandbox } = world;
    const terminal = openTerminal(world, ['login', '--no-browser', '--port', '0']);
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
    expect((await terminal.finished).code).toBe(0);
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
  });

  it('registers a client with one Enter, from nothing to the first upload', async () => {
    const world = await openWorld({
      env: { SYNC_BASE_URL: undefined, SYNC_CLIENT_ID: undefined, TZ: 'Europe/Stockholm' },
    });
    const { sandbox } = world;
    const port = String(await freePort());
    const terminal = openTerminal(world, ['login', sandbox.url, '--no-browser', '--port', port]);
    await terminal.waitFor(/can register an application named "sync".* \[Y\/n\]/);
    terminal.type('\r');
    await terminal.waitFor(/"Dynamically registered MCP client"/);
    const [url] = await terminal.waitFor(AUTHORIZE_URL);
    await terminal.waitFor(/Address of the last page/);
    await visit(url);
    expect((await terminal.finished).code).toBe(0);
    expect(terminal.screen().match(/\[Y\/n\]/g)).toHaveLength(1);
    const ride = world.write('ride.fit', makeRecording());
    expect((await world.program(['upload', ride])).code).toBe(0);
    expect(requestLines(sandbox)).toEqual([
      ...['metadata 200', 'register 201', ...LOGIN, 'upload-fit 200'],
    ]);
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
    expect(existsSync(tokenFile(world))).toBe(false);
    expect(requestLines(world.sandbox)).toEqual(CHECK);
  });
});
