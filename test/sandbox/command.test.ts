import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type SandboxFlags, sandbox } from '../../src/commands/sandbox.ts';
import { DEFAULT_SETTINGS, type SandboxSettings } from '../../src/sandbox/settings.ts';
import { testSystem } from '../auth/support.ts';
import { startCommand, startJsonCommand } from '../support/command.ts';
import { ndjson } from '../support/program.ts';
import { until } from '../watch/support.ts';
import { openSandbox, scratchDir } from './support.ts';

/** Runs the command until it is ready; `stop` ends it and returns its last line. */
async function start(flags: SandboxFlags) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  let announce: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => (announce = resolve));
  const { lines, finished } = startJsonCommand(
    sandbox,
    [{ port: '0', ...flags }],
    { homeDir: scratchDir(), signal: stop.signal },
    announce,
  );
  await Promise.race([ready, finished.then(() => Promise.reject(new Error('not ready')))]);
  return {
    info: lines()[0] as { url: string; settings: SandboxSettings },
    stop: async () => {
      stop.abort();
      await finished;
      return lines()[1];
    },
  };
}

/** Runs the command for people until it prints its address; it ends with the test. */
async function startForPeople(...args: string[]) {
  const stop = new AbortController();
  const system = testSystem({ homeDir: scratchDir(), signal: stop.signal });
  const { stdout, stderr, done } = startCommand(sandbox, system, ['--port', '0', ...args]);
  onTestFinished(async () => {
    stop.abort();
    await done;
  });
  await until(() => stdout.length > 0);
  const url = /SYNC_BASE_URL=(\S+)/.exec(stdout.join('\n'))?.[1] ?? '';
  return { url, stdout, stderr };
}

describe('sync sandbox', () => {
  it('prints its address, serves until stopped, and reports its requests', async () => {
    const { info, stop } = await start({});
    expect(info).toEqual({
      type: 'sandbox',
      url: /^http:\/\/127\.0\.0\.1:\d+$/,
      clientId: 'sandbox-client',
      data: null,
      athletes: [
        { id: 'athlete-1', name: 'Ada Lindqvist' },
        { id: 'athlete-2', name: 'Ben Okafor' },
        { id: 'athlete-3', name: 'Meera Rao' },
      ],
      settings: DEFAULT_SETTINGS,
      faults: [],
    });
    expect((await fetch(`${info.url}/api/profile`)).status).toBe(401);
    expect(await stop()).toEqual({ type: 'sandbox-stopped', requests: 1, recordings: 0 });
    await expect(fetch(`${info.url}/api/profile`)).rejects.toThrow();
  });

  it('prints a line for each request with --verbose', async () => {
    const { url, stderr } = await startForPeople('--verbose', '--fault', 'profile:503');
    await fetch(`${url}/api/workouts`);
    await fetch(`${url}/api/profile`);
    expect(stderr.map((line) => line.replace(/\d+ ms/, '1 ms'))).toEqual([
      'GET /api/workouts: 401 after 1 ms',
      'GET /api/profile: 503 after 1 ms (fault profile:503)',
    ]);
  });

  it('points people to its page', async () => {
    const { stdout } = await startForPeople();
    const [, page = ''] = /^# Open (\S+) to see its data\.$/m.exec(stdout.join('\n')) ?? [];
    const response = await fetch(page, { headers: { accept: 'text/html' } });
    expect(await response.text()).toContain('<title>Ada Lindqvist · Sandbox platform</title>');
  });

  it('appends each request to the file of --log, for its owner alone', async () => {
    const log = join(scratchDir(), 'requests.ndjson');
    for (const path of ['/api/profile', '/api/workouts']) {
      const { info, stop } = await start({ log });
      await fetch(`${info.url}${path}?q=%9b`, {
        headers: { authorization: 'Bearer secret', 'x-odd': '\u009b' },
      });
      await stop();
    }
    const text = readFileSync(log, 'utf8');
    expect(ndjson(text)).toMatchObject([
      { ordinal: 1, path: '/api/profile', status: 401 },
      { ordinal: 1, path: '/api/workouts', status: 401 },
    ]);
    expect(text).not.toContain('secret');
    expect(text).toContain('\\u009b');
    expect(text).not.toContain('\u009b');
    expect(statSync(log).mode & 0o077).toBe(0);
  });

  it.skipIf(!existsSync('/dev/full'))('warns once of a full --log disk, and answers', async () => {
    const { url, stderr } = await startForPeople('--log', '/dev/full');
    await fetch(`${url}/api/profile`);
    expect((await fetch(`${url}/api/profile`)).status).toBe(401);
    expect(stderr).toEqual([/The disk of \/dev is full\./]);
  });

  it('writes the file of --wait-ready when it answers, for a shell to read, and removes it', async () => {
    const file = join(scratchDir(), 'sandbox.env');
    const { info, stop } = await start({ waitReady: file });
    expect(readFileSync(file, 'utf8')).toBe(
      `export SYNC_BASE_URL=${info.url} SYNC_CLIENT_ID=sandbox-client\n`,
    );
    await stop();
    expect(existsSync(file)).toBe(false);
  });

  it('replaces the file of a killed sandbox, and keeps that of a later one', async () => {
    const file = join(scratchDir(), 'sandbox.env');
    writeFileSync(file, 'export SYNC_BASE_URL=http://127.0.0.1:1 SYNC_CLIENT_ID=x\n');
    const first = await start({ waitReady: file });
    expect(readFileSync(file, 'utf8')).toContain(first.info.url);
    const second = await start({ waitReady: file });
    await first.stop();
    expect(readFileSync(file, 'utf8')).toContain(second.info.url);
    await second.stop();
    expect(existsSync(file)).toBe(false);
  });

  it('leaves a file for --wait-ready that it did not write', async () => {
    const file = join(scratchDir(), 'notes.txt');
    writeFileSync(file, 'notes');
    await expect(start({ waitReady: file })).rejects.toMatchObject({
      code: 'USAGE',
      message: `--wait-ready ${file}: this file is not of a sandbox.`,
    });
    expect(readFileSync(file, 'utf8')).toBe('notes');
  });

  it.each([
    [{ log: '/nowhere/a' }, '--log /nowhere/a: there is no folder /nowhere.'],
    [{ waitReady: '/nowhere/a' }, '--wait-ready /nowhere/a: there is no folder /nowhere.'],
    [{ log: '/' }, '--log /: this is a folder.'],
    [{ waitReady: '/' }, '--wait-ready /: this is a folder.'],
  ])('refuses %o, and says why', async (flags, message) => {
    await expect(start(flags)).rejects.toMatchObject({ code: 'USAGE', message });
  });

  it('sets every setting by --set, and some by their flags', async () => {
    const data = scratchDir();
    const changed = {
      autoApproveAthlete: 'athlete-2',
      refreshToken: 'omit',
      reuseRevokesFamily: true,
      accessTtl: 60,
      refreshTtl: 600,
      announceRefreshTtl: false,
      answers: 'created',
      unknownRoutes: 422,
      strict: true,
      filePart: 'fit',
      refusesKnown: true,
      processingMs: null,
      exactRedirectUris: false,
      deactivated: ['athlete-1', 'athlete-3'],
    } satisfies Partial<SandboxSettings>;
    const { info } = await start({
      data,
      autoApprove: true,
      platform: 'interface',
      set: [
        ...Object.entries(changed).map(
          ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
        ),
        'grantScopes=workout:write profile:read',
      ],
      fault: ['upload-fit:503*2'],
    });
    expect(info).toMatchObject({
      data,
      settings: {
        ...DEFAULT_SETTINGS,
        ...changed,
        autoApprove: true,
        platform: 'interface',
        grantScopes: ['workout:write', 'profile:read'],
      },
      faults: ['upload-fit:503*2'],
    });
  });

  it.each([
    [{ fault: ['uploads:503'] }, 'USAGE', 'no route "uploads": authorize'],
    [
      { set: ['autoApproveAthlete=nobody'] },
      'USAGE',
      '--set autoApproveAthlete: no athlete "nobody", but athlete-1, ',
    ],
    [
      { set: ['grantScopes=admin'] },
      'USAGE',
      '--set grantScopes: expected words out of profile:read, profile:write, ',
    ],
    [
      { set: ['accessTtl=-1'] },
      'USAGE',
      '--set accessTtl: expected a whole number from 0; received -1',
    ],
    [{ set: ['nothing=1'] }, 'USAGE', '--set nothing: there is no such setting.'],
    [{ set: ['constructor=a'] }, 'USAGE', '--set constructor: there is no such setting.'],
    [{ set: ['deactivated'] }, 'USAGE', '--set deactivated: not NAME=VALUE.'],
  ] as const)('refuses %o', async (options, code, message) => {
    await expect(start(options)).rejects.toMatchObject({
      name: 'SyncError',
      code,
      message: expect.stringContaining(message) as string,
      hint: expect.any(String) as string,
    });
  });

  it('takes the kind of platform and the approval of logins from --set, too', async () => {
    const { info } = await start({ set: ['platform=interface', 'autoApprove=true'] });
    expect(info).toMatchObject({ settings: { platform: 'interface', autoApprove: true } });
  });

  it('names the setting that a mistyped --set most likely means', async () => {
    await expect(start({ set: ['acessTTL=5'] })).rejects.toMatchObject({
      hint: 'Did you mean accessTtl? sync sandbox --help lists every setting.',
    });
  });

  it('refuses a port beyond the range, and names the range', async () => {
    await expect(start({ port: '70000' })).rejects.toMatchObject({
      code: 'USAGE',
      message: '--port 70000: not a whole number from 0 to 65535.',
    });
  });

  it('names a port in use and the flag for another', async () => {
    const { port } = await openSandbox();
    await expect(start({ port: String(port) })).rejects.toMatchObject({
      name: 'SyncError',
      code: 'PORT_IN_USE',
      message: expect.stringContaining(String(port)) as string,
      hint: /--port/,
    });
  });

  it.each(['foo', 'http://127.0.0.1:1/callback#x'])(
    'refuses %s as a redirect URI',
    async (redirectUri) => {
      await expect(start({ redirectUri: [redirectUri] })).rejects.toMatchObject({
        code: 'USAGE',
        message: `--redirect-uri ${redirectUri}: not a redirect URI.`,
      });
    },
  );

  it('names a data folder that it cannot use', async () => {
    const file = join(scratchDir(), 'a-file');
    writeFileSync(file, '');
    await expect(start({ data: file })).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(file) as string,
    });
  });

  it('refuses the data folder of a running sandbox, and takes it afterwards', async () => {
    const data = scratchDir();
    const { stop } = await start({ data });
    await expect(start({ data })).rejects.toMatchObject({
      code: 'BUSY',
      message: `Another sandbox uses the folder ${data}.`,
    });
    await stop();
    await start({ data });
  });

  it('names the data folder if it cannot save its data at its end', async () => {
    const data = scratchDir();
    const { info, stop } = await start({ data });
    mkdirSync(join(data, 'sandbox.json.new'));
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    };
    expect((await fetch(`${info.url}/_sandbox/tokens`, request)).status).toBe(500);
    await expect(stop()).rejects.toMatchObject({
      code: 'STORAGE',
      message: expect.stringContaining(`cannot keep its state in ${data}`) as string,
    });
  });

  it.skipIf(process.platform === 'win32')('makes the folder of --data for its owner', async () => {
    const data = join(scratchDir(), 'deep', 'data');
    const before = process.umask(0);
    try {
      await start({ data });
      expect([data, join(data, '..')].map((path) => statSync(path).mode & 0o777)).toEqual([
        0o700, 0o700,
      ]);
    } finally {
      process.umask(before);
    }
  });

  it('ends at once if stopped before it started', async () => {
    const { lines, finished } = startJsonCommand(sandbox, [{ port: '0' }], {
      homeDir: scratchDir(),
      signal: AbortSignal.abort(),
    });
    expect(await finished).toBe(0);
    expect(lines()[1]).toEqual({ type: 'sandbox-stopped', requests: 0, recordings: 0 });
  });
});
