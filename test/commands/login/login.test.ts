import { tokenFilePath } from '../../../src/credentials/file.ts';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SCOPES } from '../../../src/config/scopes.ts';
import { platformAddress } from '../../../src/commands/login/target.ts';
import { PLATFORMS } from '../../../src/config/platforms.ts';
import { until } from '../../support/until.ts';
import { parseTimeout } from '../../../src/commands/login/login.ts';
import { readConfigFile } from '../../../src/config/config.ts';
import type { Env } from '../../../src/base/env.ts';
import { SyncError } from '../../../src/base/errors.ts';
import type { SandboxServer } from '../../../src/sandbox/server.ts';
import {
  everythingShownOf,
  failure,
  never,
  openStart,
  sandbox,
  testIo,
  tokenRequests,
} from '../../auth/support.ts';
import { login, machine } from './support.ts';
import { ISO_TIME } from '../../support/program.ts';
import { openServer } from '../../support/local-server.ts';
import { freePort } from '../../support/acceptance.ts';

const autoApprove = { settings: { autoApprove: true } } as const;

describe('a login through the browser', () => {
  it('stores the tokens and the settings it was made with, and says so in the browser', async () => {
    const service = await sandbox(autoApprove);
    const here = machine(service);
    const { done, stderr, browser } = login(here);
    const report = await done;
    const athlete = service.control.state().athletes[0]?.profile;

    expect(report).toEqual({
      profile: 'default',
      service: service.url,
      clientId: service.clientId,
      account: { id: athlete?.id, name: athlete?.name, email: athlete?.email },
      replaced: undefined,
      askedScopes:
        'workout:write health:write nutrition:write profile:write profile:read workout:read'.split(
          ' ',
        ),
      grantedScopes: report.askedScopes,
      missing: [],
      saved: {
        baseUrl: service.url,
        clientId: service.clientId,
        tokenStore: 'file',
        redirectPort: '0',
      },
      store: { kind: 'file', where: `the file ${tokenFilePath(here.paths.stateDir, 'default')}` },
      renewable: true,
      accessExpiresAt: expect.stringMatching(ISO_TIME) as string,
      refreshExpiresAt: undefined,
    });
    expect(stderr).toEqual([/Your browser opens the login page of /]);

    const page = await browser.page;
    expect(page?.status).toBe(200);
    const text = (await page?.text()) ?? '';
    expect(text).toContain(`You are logged in as ${athlete?.name ?? '?'}`);

    const stored = await here.store.load(never);
    expect(stored).toMatchObject({ service: service.url, accountId: athlete?.id });
    for (const secret of [stored?.tokens.accessToken, stored?.tokens.refreshToken]) {
      expect(text).not.toContain(secret?.reveal());
      expect(everythingShownOf([report, stderr])).not.toContain(secret?.reveal());
    }
    expect(readConfigFile(here.paths.configFile).profiles['default']).toEqual({
      settings: {
        baseUrl: service.url,
        clientId: service.clientId,
        tokenStore: 'file',
        redirectPort: '0',
      },
      account: report.account,
      loginId: undefined,
      loggedOut: false,
    });
  });

  it('proves itself with a challenge and the verifier to it, and leaves no code behind', async () => {
    const service = await sandbox(autoApprove);
    const here = machine(service);
    await login(here).done;
    const [check, authorize] = service.control.requests({ route: 'authorize' });
    for (const own of ['state', 'code_challenge']) {
      expect(check?.query[own]).toMatch(/^[\w-]{43}$/);
      expect(check?.query[own]).not.toBe(authorize?.query[own]);
    }
    const kept = readdirSync(here.homeDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.lock'))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
      .join('\n');
    expect(kept).not.toContain('sbx_code_');
    expect(kept).not.toContain(authorize?.query['state']);
  });

  const ELSEWHERE = 'https://else.example';
  it.each([
    ['flags that name all alone', {}, ['--base-url', '--client-id'], false],
    ['another address in a flag', { SYNC_BASE_URL: ELSEWHERE }, ['--base-url'], false],
    ['another client in a flag', { SYNC_CLIENT_ID: 'else' }, ['--client-id'], false],
    ['an address in a flag beside SYNC_CLIENT_ID', { SYNC_BASE_URL: '' }, ['--base-url'], true],
    ['a client in a flag beside SYNC_BASE_URL', { SYNC_CLIENT_ID: '' }, ['--client-id'], true],
    ['flags that repeat the variables', undefined, ['--base-url', '--client-id'], true],
  ])(
    'with %s, SYNC_CLIENT_SECRET goes only to the platform and client that it belongs to',
    async (_what, env, flags, isSent) => {
      const service = await sandbox(autoApprove);
      const named =
        env && Object.keys(env).length === 0 ? { SYNC_BASE_URL: '', SYNC_CLIENT_ID: '' } : env;
      const given = {
        SYNC_CLIENT_SECRET: 'of-another',
        SYNC_REFRESH_TOKEN: 'of-another',
        ...named,
      };
      const here = machine(service, given);
      const values: Record<string, string> = {
        '--base-url': service.url,
        '--client-id': service.clientId,
      };
      const args = flags.flatMap((flag) => [flag, values[flag] ?? '']);
      const run = login(here, { args });
      await run.done.catch(() => undefined);
      const sent = JSON.stringify(
        service.control.requests({ route: 'token' }).map(({ body }) => body),
      );
      expect(sent).toContain('authorization_code');
      expect(sent.includes('client_secret')).toBe(isSent);
      // The refresh token of the environment, too, may be of another platform.
      expect(sent).not.toContain('"refresh_token"');
      const warning = run.stderr.find((line) => line.startsWith('SYNC_CLIENT_SECRET is not sent'));
      if (isSent) expect(warning).toBeUndefined();
      else expect(warning).toContain('--client-secret-stdin');
    },
  );

  it('sends the secret of a confidential client, and stores it with the tokens', async () => {
    const service = await sandbox(autoApprove);
    const here = machine(service, { SYNC_CLIENT_ID: 'sandbox-confidential' });
    await login(here, {
      args: ['--client-secret-stdin'],
      system: { io: testIo({ stdin: 'sandbox-secret\n' }) },
    }).done;
    expect((await here.store.load(never))?.clientSecret?.reveal()).toBe('sandbox-secret');
    // The next login still has it.
    await login(here).done;
    expect(tokenRequests(service)).toEqual([{ status: 200 }, { status: 200 }]);
    expect(readFileSync(here.paths.configFile, 'utf8')).not.toContain('sandbox-secret');
  });

  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const loginsAt = (service: SandboxServer) =>
    service.control.state().athletes[0]?.logins.map(({ revoked }) => revoked);
  const revocations = (service: SandboxServer) =>
    service.control.requests({ route: 'revoke' }).map(({ body }) => body);

  it('revokes the replaced login by its refresh token, after storing the new one', async () => {
    const service = await sandbox(autoApprove);
    const here = machine(service);
    await login(here).done;
    const old = await here.store.load(never);
    expect(revocations(service)).toEqual([]);
    // The new login is in the store when the old one is revoked.
    service.control.addFaults('revoke:delay=300ms');
    const again = login(here);
    await expect.poll(() => revocations(service).length).toBe(1);
    const stored = await here.store.load(never);
    expect(stored?.tokens.refreshToken?.reveal()).not.toBe(old?.tokens.refreshToken?.reveal());
    await again.done;
    expect(revocations(service)).toEqual([
      {
        token: `sha256:${sha256(old?.tokens.refreshToken?.reveal() ?? '').slice(0, 12)}`,
        token_type_hint: 'refresh_token',
        client_id: service.clientId,
      },
    ]);
    expect(loginsAt(service)).toEqual([true, false]);
    // No warning follows the address.
    expect(again.stderr).toHaveLength(1);
  });

  it.each([
    ['revoke:503*inf', 'cannot answer now'],
    ['revoke:404', 'the platform does not revoke tokens'],
    ['revoke:reset*inf', 'the connection broke off'],
  ])('succeeds with a warning if the old login cannot be revoked: %s', async (fault, words) => {
    const service = await sandbox(autoApprove);
    const here = machine(service);
    await login(here).done;
    service.control.addFaults(fault);
    const { done, stderr } = login(here);
    expect((await done).account).toBeDefined();
    const warning = stderr.find((line) => line.includes('could not be revoked'));
    expect(warning).toContain(words);
    expect((await here.store.load(never))?.tokens.refreshToken).toBeDefined();
  });

  it.each(['refreshToken', 'accessToken'] as const)(
    'does not revoke a login with the same %s as the new one',
    async (name) => {
      const service = await sandbox(autoApprove);
      let shared: unknown;
      // A service that issues the same token again.
      const front = await openServer((request, response) => {
        void (async () => {
          const parts: Buffer[] = [];
          for await (const part of request) parts.push(part as Buffer);
          const answer = await fetch(service.url + (request.url ?? ''), {
            method: request.method ?? 'GET',
            redirect: 'manual',
            headers: { 'content-type': 'application/json' },
            ...(parts.length === 0 ? {} : { body: Buffer.concat(parts) }),
          });
          const location = answer.headers.get('location');
          const text = await answer.text();
          const given = name === 'refreshToken' ? 'refresh_token' : 'access_token';
          let body = text;
          if (request.url?.endsWith('/token') === true) {
            const tokens = JSON.parse(text) as Record<string, unknown>;
            shared ??= tokens[given];
            body = JSON.stringify({ ...tokens, [given]: shared });
          }
          response.writeHead(answer.status, location === null ? {} : { location });
          response.end(body);
        })();
      });
      const direct = machine(service);
      const here = { ...direct, env: { ...direct.env, SYNC_BASE_URL: front.url } };
      await login(here).done;
      expect((await here.store.load(never))?.tokens[name]?.reveal()).toBe(shared);
      await login(here).done;
      expect((await here.store.load(never))?.tokens[name]?.reveal()).toBe(shared);
      expect(revocations(service)).toEqual([]);
    },
  );

  it('reports only the settings that changed', async () => {
    const here = machine(await sandbox(autoApprove));
    const saved = async (scope?: string) =>
      (await login(here, scope === undefined ? {} : { args: ['--scope', scope] }).done).saved;
    await saved();
    expect(await saved()).toEqual({});
    expect(await saved('profile:read')).toEqual({ scope: 'profile:read' });
    expect(await saved()).toEqual({});
    expect(await saved([...DEFAULT_SCOPES].reverse().join(' '))).toEqual({ scope: null });
    expect(readConfigFile(here.paths.configFile).profiles['default']?.settings).not.toHaveProperty(
      'scope',
    );
  });

  it('succeeds at a service without userinfo', async () => {
    const here = machine(await sandbox({ ...autoApprove, faults: ['userinfo:404'] }));
    expect((await login(here).done).account).toBeUndefined();
    expect(readConfigFile(here.paths.configFile).profiles['default']?.account).toBeUndefined();
    expect(await here.store.load(never)).toMatchObject({ accountId: undefined });
  });
});

describe('a login that fails', () => {
  it.each([
    ['400(error=invalid_grant)', 'AUTH_REFUSED', 'did not accept the authorization code'],
    ['400(error=invalid_client)', 'AUTH_REFUSED', 'refuses this client'],
    ['503*inf', 'SERVICE_UNAVAILABLE', 'cannot answer now'],
    ['reset', 'NETWORK', 'the connection broke off'],
    ['truncate', 'SERVICE_ANSWER', 'other than a JSON object'],
  ])('shows the failure in terminal and browser: exchange:%s', async (fault, code, words) => {
    const here = machine(await sandbox({ ...autoApprove, faults: [`exchange:${fault}`] }));
    const { done, browser } = login(here);
    const thrown = await failure(done);
    expect(thrown).toMatchObject({ code, message: expect.stringContaining(words) as string });
    const page = (await (await browser.page)?.text()) ?? '';
    expect(page).toContain(words);
    expect(page).toContain('<code>sync login</code>');
    expect(everythingShownOf(thrown) + page).not.toMatch(/sbx_(code|at|rt)_/);
    expect(await here.store.load(never)).toBeUndefined();
    expect(readConfigFile(here.paths.configFile).profiles).toEqual({});
  });

  it.each([
    [{ SYNC_CLIENT_ID: 'nope' }, 'CONFIG', 'does not know the client ID "nope"'],
    [{ SYNC_BASE_URL: 'http://127.0.0.1:9' }, 'NETWORK', 'nothing answers there'],
  ])('opens no browser and asks nothing if the check fails: %j', async (env, code, words) => {
    const service = await sandbox(autoApprove);
    const opened: string[] = [];
    const io = testIo({ interactive: true });
    const { done, stderr } = login(machine(service, env), {
      system: { io, openBrowser: (url) => Promise.resolve(void opened.push(url)) },
    });
    const error = await failure(done);
    expect(error.code).toBe(code);
    expect(error.message).toContain(words);
    expect({ opened, asked: io.asked, stderr }).toEqual({ opened: [], asked: [], stderr: [] });
  });

  it('continues with a warning if a bot wall answers the check', async () => {
    const service = await sandbox({ ...autoApprove, faults: ['authorize:403'] });
    const { done, stderr } = login(machine(service));
    expect((await done).account).toBeDefined();
    expect(stderr[0]).toMatch(/answered the check of its login page with 403; .* continues\.$/);
    expect(stderr).toHaveLength(2);
  });

  it('does not resend a code that may have arrived', async () => {
    const service = await sandbox({ ...autoApprove, faults: ['exchange:reset-mid'] });
    await failure(login(machine(service)).done);
    expect(tokenRequests(service)).toHaveLength(1);
  });

  it.each([
    ['https://honest.example', 'https://honest.example'],
    ['', 'an unnamed server'],
  ])('sends the code nowhere if another service answered', async (issuer, named) => {
    const service = await sandbox(autoApprove);
    const here = machine(service);
    const { done } = login(here, {
      system: {
        openBrowser: async (address) => {
          const url = await openStart(address);
          const answer = await fetch(url, { redirect: 'manual' });
          const location = new URL(answer.headers.get('location') ?? '');
          location.searchParams.set('iss', issuer);
          void fetch(location).then((page) => page.text());
        },
      },
    });
    expect(await failure(done)).toMatchObject({
      code: 'AUTH_REFUSED',
      message: `The answer to the login is from ${named}, not from ${service.url}.`,
    });
    expect(tokenRequests(service)).toEqual([]);
    expect(await here.store.load(never)).toBeUndefined();
  });

  it('ends after the time limit, with the likely causes', async () => {
    const here = machine(await sandbox());
    const error = await failure(login(here, { args: ['--timeout', '1s'] }).done);
    expect(error.code).toBe('AUTH_TIMEOUT');
    expect(error.message).toBe('The login was not completed in the browser within 1 s.');
    expect(String(error.hint)).toMatch(
      /"sandbox-client", and exactly http:\/\/127\.0\.0\.1:\d+\/login must be/,
    );
    expect(String(error.hint)).toContain('know each of the scopes workout:write health:write');
  });

  it('revokes tokens that could not be stored', async () => {
    const service = await sandbox({ ...autoApprove, faults: ['userinfo:delay=500ms'] });
    const stop = new AbortController();
    const { done, browser } = login(machine(service), { system: { signal: stop.signal } });
    await expect.poll(() => service.control.requests({ route: 'userinfo' }).length).toBe(1);
    stop.abort(new SyncError('INTERRUPTED', 'Ctrl-C'));
    expect((await failure(done)).code).toBe('INTERRUPTED');
    expect(await (await browser.page)?.text()).toContain('ended in the terminal');
    expect(service.control.state().athletes[0]?.logins).toMatchObject([{ revoked: true }]);
  });

  it('keeps the earlier login if the settings cannot be saved', async () => {
    const service = await sandbox(autoApprove);
    const here = machine(service);
    await login(here).done;
    const before = await here.store.load(never);
    const nowhere = join(here.homeDir, 'config');
    symlinkSync(join(here.homeDir, 'missing', 'folder'), nowhere);
    const env = { ...here.env, SYNC_CONFIG_DIR: nowhere };
    expect((await failure(login({ ...here, env }).done)).code).toBe('STORAGE');
    const after = await here.store.load(never);
    expect(after?.tokens.refreshToken?.reveal()).toBe(before?.tokens.refreshToken?.reveal());
    // The new tokens alone are revoked.
    expect(service.control.state().athletes[0]?.logins).toMatchObject([
      { revoked: false },
      { revoked: true },
    ]);
  });

  it('does not open a browser if the port is in use', async () => {
    const { port } = await openServer(() => undefined);
    const service = await sandbox(autoApprove);
    const { done, stderr } = login(machine(service), { args: ['--port', String(port)] });
    expect(await failure(done)).toMatchObject({ code: 'PORT_IN_USE', details: { port } });
    expect(stderr).toEqual([]);
    expect(service.control.requestCount()).toBe(0);
  });

  it('does not open a browser if the store cannot save', async () => {
    const service = await sandbox(autoApprove);
    const { done, stderr } = login(machine(service, { SYNC_STATE_DIR: '/dev/null/state' }));
    expect((await failure(done)).code).toBe('STORAGE');
    expect(stderr.join('\n')).not.toContain('oauth/authorize');
  });

  it('does not follow a redirect of the token endpoint, and sends nothing there', async () => {
    const service = await sandbox(autoApprove);
    const elsewhere = await sandbox();
    const front = await openServer((request, response) => {
      // A proxy that sends token requests to another host, and the browser to the service.
      const to = request.method === 'POST' ? elsewhere.url : service.url;
      response.writeHead(request.method === 'POST' ? 307 : 302, {
        location: to + (request.url ?? ''),
      });
      response.end();
    });
    const error = await failure(login(machine(service, { SYNC_BASE_URL: front.url })).done);
    expect(error.code).toBe('SERVICE_ANSWER');
    expect(error.message).toContain('tokens are not sent there');
    expect(elsewhere.control.requestCount()).toBe(0);
  });
});

describe('--no-browser', () => {
  it('shows the address and the SSH command, and accepts a pasted address', async () => {
    const service = await sandbox(autoApprove);
    const here = machine(service, { SSH_CONNECTION: '10.0.0.9 5 10.0.0.5 22', USER: 'anna' });
    const pasted: string[] = ['nonsense', 'http://127.0.0.1:1/login?code=1'];
    const io = testIo({ interactive: true, answers: { 'Address of the last page': pasted } });
    let shown: URL | undefined;
    const { done, stderr } = login(here, {
      args: ['--no-browser'],
      onAuthorize: (url) => (shown = url),
      system: {
        io: {
          ...io,
          // The user opens the address elsewhere, and copies the last address of the browser.
          ask: async (question, settings) => {
            const next = pasted.shift();
            if (next !== undefined) return next;
            if (!String(question).startsWith('Address of the last page'))
              return await io.ask(question, settings);
            const answer = await fetch(shown ?? '', { redirect: 'manual' });
            return answer.headers.get('location') ?? '';
          },
        },
      },
    });
    expect((await done).account?.id).toBe(service.control.state().athletes[0]?.athlete);
    expect(stderr).toEqual([
      /^Open this page in a browser.*\nOr paste the address of the last page below, /s,
      /^That is not an address/,
      /is another address/,
      /^Next: /,
    ]);
    expect(stderr[0]).toMatch(
      /^ {2}ssh -N -L (\d+):127\.0\.0\.1:\1 -L (\d+):127\.0\.0\.1:\2 anna@10\.0\.0\.5$/m,
    );
  });

  it('withdraws the question if the callback comes first', async () => {
    const service = await sandbox(autoApprove);
    const io = testIo({ interactive: true });
    const { done } = login(machine(service), {
      args: ['--no-browser'],
      system: { io },
      onAuthorize: (url) => void fetch(url).then((page) => page.text()),
    });
    expect((await done).account).toBeDefined();
    expect(io.asked).toEqual([{ question: 'Address of the last page: ', hidden: false }]);
  });

  it('asks nothing without a terminal', async () => {
    const service = await sandbox(autoApprove);
    const io = testIo();
    const { done, stderr } = login(machine(service), {
      args: ['--no-browser'],
      system: { io },
      onAuthorize: (url) => void fetch(url).then((page) => page.text()),
    });
    await done;
    expect(io.asked).toEqual([]);
    expect(stderr).toEqual([/^Open this page in a browser/]);
    expect(stderr[0]).not.toContain('paste');
  });

  it.each([
    ['a browser that cannot be started', {}, 'No browser could be started.'],
    ['no screen', { DISPLAY: '' }, 'This machine has no desktop.'],
    ['an SSH session', { DISPLAY: '', SSH_CONNECTION: '1 2 3 22' }, 'You are here over SSH.'],
  ])('shows the address with %s', async (_what, env, why) => {
    const { done, stderr } = login(machine(await sandbox(autoApprove), env), {
      system: {
        platform: 'linux',
        io: testIo({ interactive: true }),
        openBrowser: () => Promise.reject(new Error('no browser')),
      },
      onAuthorize: (url, text) => {
        if (text.startsWith(why)) void fetch(url).then((page) => page.text());
      },
    });
    await done;
    // The last line names the next step.
    expect(stderr).toHaveLength(why.startsWith('No browser') ? 3 : 2);
    expect(stderr.at(-2)).toContain(why);
  });
});

describe('a first login', () => {
  it('completes an address without a scheme, and shows the next step at its end', async () => {
    const service = await sandbox(autoApprove);
    const here = machine(undefined, { SYNC_CLIENT_ID: service.clientId });
    const { host } = new URL(service.url);
    const io = testIo({ interactive: true, answers: { 'Number, name': [host, service.url] } });
    const first = login(here, { system: { io } });
    await first.done;
    // It was completed with https, which the sandbox does not speak.
    expect(first.stderr[1]).toMatch(/is it http:\/\/\?\n/);
    const next = 'Next: `sync upload FILE`, or `sync watch` for each new recording.';
    expect(first.stderr.at(-1)).toBe(next);
    const again = login(here, { system: { io } });
    await again.done;
    expect(again.stderr).not.toContain(next);
  });

  it('asks for missing settings, again after a wrong answer, and hides the secret', async () => {
    const service = await sandbox(autoApprove);
    const here = machine(undefined);
    const io = testIo({
      interactive: true,
      answers: {
        'Number, name': ['9', '', 'not an address', 'http://training.example.com', service.url],
        'Client ID': ['', service.url, 'unknown', 'sandbox-confidential'],
        'Client secret': ['wrong', 'sandbox-secret'],
      },
    });
    const { done, stderr } = login(here, { system: { io } });
    await done;
    expect(
      io.asked.map(({ question, hidden }) => `${question.slice(0, 13)} ${String(hidden)}`),
    ).toEqual([
      ...Array<string>(5).fill('Number, name, false'),
      'Client ID:  false',
      'Client ID:  false',
      'Client ID:  false',
      'Client secret true',
      // A wrong answer alone is asked for again, after the platform refused it.
      'Client ID (En false',
      'Client secret true',
    ]);
    expect(stderr).toEqual([
      /^Which platform\?\n {2}1 {2}Coach Watts /,
      ...['Type 1 or 2, or an address.', 'Type 1 or 2, or an address.'],
      '"not an address" is not an address; write one such as https://training.example.com.',
      '"http://training.example.com" is plain http: a login needs https (http only for this machine).',
      'No application is registered: a registered redirect URI has one port, not any free one.',
      /^Create an application on .*\n {2}Redirect URI {2}http:\/\/127\.0\.0\.1:0\/login\n {2}Scopes {8}workout:write health:write nutrition:write profile:write profile:read workout:read$/,
      'That is empty.',
      'That is an address, not a client ID.',
      /does not know the client ID "unknown"/,
      /^Your browser opens /,
      /refuses this client/,
      /^Your browser opens /,
      /^Next: /,
    ]);
    expect(everythingShownOf(stderr)).not.toContain('sandbox-secret');
    expect((await here.store.load(never))?.clientSecret?.reveal()).toBe('sandbox-secret');
  });

  it.each([
    ['', 'Europe/Stockholm'],
    ['y', 'Europe/Stockholm'],
    ['n', undefined],
  ])('offers the zone of the platform once; the answer "%s" sets %s', async (answer, zone) => {
    const service = await sandbox(autoApprove);
    const here = machine(undefined, {
      SYNC_BASE_URL: service.url,
      SYNC_CLIENT_ID: 'sandbox-client',
    });
    const question = 'Count your days in Europe/Stockholm? ';
    const io = testIo({ interactive: true, answers: { [question]: [answer] } });
    await login(here, { system: { io, machineZone: () => 'Asia/Tokyo' } }).done;
    expect(io.asked.filter((asked) => asked.question.startsWith(question))).toHaveLength(1);
    const { profiles } = readConfigFile(here.paths.configFile);
    expect(profiles['default']?.settings.timezone).toBe(zone);
  });

  it('reads an empty answer as "no client secret"', async () => {
    const service = await sandbox(autoApprove);
    const io = testIo({
      interactive: true,
      answers: { 'Client ID': ['sandbox-client'], 'Client secret': [''] },
    });
    await login(machine(undefined, { SYNC_BASE_URL: service.url }), { system: { io } }).done;
    const [exchange] = service.control.requests({ route: 'token' });
    expect(exchange?.body).not.toHaveProperty('client_secret');
  });

  it.each([
    [{}, 'platform is named', 'PLATFORM`, or set SYNC_BASE_URL.'],
    [
      { SYNC_BASE_URL: 'https://training.example.com' },
      'client ID is set up yet',
      '--client-id ID`, or `sync login --register`, or set SYNC_CLIENT_ID.',
    ],
  ])('names the flag and the variable without a terminal: %j', async (env, what, hint) => {
    const io = testIo();
    const error = await failure(login(machine(undefined, env), { system: { io } }).done);
    expect(error).toMatchObject({ code: 'CONFIG', message: `No ${what}.` });
    expect(String(error.hint)).toBe(`Run \`sync login ${hint}`);
    expect(io.asked).toEqual([]);
  });

  it('opens the page for developers of a known platform on Enter, and asks for its scopes', async () => {
    const [known] = PLATFORMS;
    const opened: string[] = [];
    const io = testIo({ interactive: true, answers: { 'Number, name': ['1'], 'Client ID': [''] } });
    const controller = new AbortController();
    const { done, stderr } = login(machine(undefined), {
      system: {
        io,
        signal: controller.signal,
        openBrowser: (url) => Promise.resolve(void opened.push(url)),
      },
    });
    await until(() => io.asked.length === 3);
    controller.abort(new SyncError('INTERRUPTED', 'Interrupted.'));
    expect((await failure(done)).code).toBe('INTERRUPTED');
    expect(opened).toEqual([known?.portal]);
    expect(everythingShownOf(stderr)).toContain('workout:read nutrition:read');
  });

  it('ends at once without a terminal and without a desktop, with what to do in CI', async () => {
    const service = await sandbox(autoApprove);
    const error = await failure(
      login(machine(service, { DISPLAY: '' }), { system: { platform: 'linux' } }).done,
    );
    expect(error.code).toBe('AUTH_REQUIRED');
    expect(String(error.hint)).toMatch(
      /^In CI, set SYNC_BASE_URL, SYNC_CLIENT_ID and SYNC_REFRESH_TOKEN/,
    );
    expect(service.control.requests()).toEqual([]);
  });

  it.each([
    ['sandbox', 'http://127.0.0.1:8918'],
    ['Coach Watts', 'https://app.coachwatts.com'],
    ['coachwatts', 'https://app.coachwatts.com'],
    ['training.example.com', 'https://training.example.com'],
  ])('knows the platform %s: %s', (typed, address) => {
    expect(platformAddress(typed)).toBe(address);
  });

  it('reports a proxy that cannot be used before any question', async () => {
    const io = testIo({ interactive: true });
    const here = machine(undefined, { HTTPS_PROXY: 'socks5://proxy.example' });
    const error = await failure(login(here, { system: { io } }).done);
    expect([error.code, error.message, io.asked]).toEqual([
      'CONFIG',
      'HTTPS_PROXY is not the address of a proxy that can be used.',
      [],
    ]);
  });

  it('can be cancelled at a question', async () => {
    const io = {
      ...testIo({ interactive: true }),
      ask: () => Promise.reject(new SyncError('INTERRUPTED', 'Cancelled.')),
    };
    const error = await failure(login(machine(undefined), { system: { io } }).done);
    expect(error.code).toBe('INTERRUPTED');
  });
});

describe('flags of sync login', () => {
  it('saves --port in place of an earlier redirect URI', async () => {
    const here = machine(await sandbox(autoApprove));
    const port = await freePort();
    const redirectUri = `http://localhost:${String(port)}/login`;
    const config = () => readConfigFile(here.paths.configFile).profiles['default']?.settings;
    await login(here, { args: ['--redirect-uri', redirectUri] }).done;
    expect(config()).toMatchObject({ redirectUri });
    await login(here, { args: ['--port', '0'] }).done;
    expect(config()).not.toHaveProperty('redirectUri');
    expect(config()).toMatchObject({ redirectPort: '0' });
  });

  it.each([
    [['--with-token', '--client-secret-stdin'], '--with-token and --client-secret-stdin'],
    [['--port', '9', '--redirect-uri', 'http://127.0.0.1:9/callback'], '--port and --redirect-uri'],
    [['--timeout', 'soon'], '--timeout: "soon" is not a duration.'],
  ])('refuses %j', async (args, words) => {
    const service = await sandbox();
    const error = await failure(login(machine(service), { args }).done);
    expect(error.code).toBe('USAGE');
    expect(error.message).toContain(words);
  });

  it.each([
    ['90s', 90_000],
    ['5m', 300_000],
    ['1.5m', 90_000],
    ['2h', 7_200_000],
  ])('reads --timeout %s as %i ms', (text, ms) => {
    expect(parseTimeout(text)).toBe(ms);
  });

  it.each(['', '5', '0s', '-1m', '25h', '5 minutes'])('refuses --timeout %j', (text) => {
    expect(() => parseTimeout(text)).toThrow(SyncError);
  });
});

describe('--with-token', () => {
  const withToken = (service: SandboxServer, stdin: string, env: Env = {}) => {
    const here = machine(service, env);
    return { here, ...login(here, { args: ['--with-token'], system: { io: testIo({ stdin }) } }) };
  };

  it('reads a token response from stdin, without a browser', async () => {
    const service = await sandbox();
    const answer = service.control.mint();
    const { here, done, stderr } = withToken(service, JSON.stringify(answer));
    const report = await done;
    expect(report.account?.id).toBe(service.control.state().athletes[0]?.athlete);
    expect(stderr).toEqual(['Reading the token response from stdin.']);
    expect((await here.store.load(never))?.tokens.accessToken?.reveal()).toBe(answer.access_token);
    expect(service.control.requests({ route: 'authorize' })).toEqual([]);
    expect(everythingShownOf([report, stderr])).not.toMatch(/sbx_/);
  });

  it('revokes nothing, because others may use the replaced tokens', async () => {
    const service = await sandbox();
    const here = machine(service);
    for (let i = 0; i < 2; i++) {
      const stdin = JSON.stringify(service.control.mint());
      await login(here, { args: ['--with-token'], system: { io: testIo({ stdin }) } }).done;
    }
    expect(service.control.requests({ route: 'revoke' })).toEqual([]);
  });

  it('stores nothing if nothing answers at the address', async () => {
    const service = await sandbox();
    const stdin = JSON.stringify(service.control.mint());
    await service.close();
    const { here, done } = withToken(service, stdin);
    expect((await failure(done)).code).toBe('NETWORK');
    expect(await here.store.load(never)).toBeUndefined();
  });

  it('refreshes a token response with an expired access token', async () => {
    const service = await sandbox({ settings: { refreshToken: 'rotate' } });
    const answer = service.control.mint({ accessTtl: 0 });
    const { here, done } = withToken(service, JSON.stringify(answer));
    await done;
    const stored = await here.store.load(never);
    expect(stored?.tokens.refreshToken?.reveal()).not.toBe(answer.refresh_token);
    expect(tokenRequests(service)).toEqual([{ status: 200 }]);
  });

  it.each([
    ['nothing', '', 'is not JSON'],
    ['half a response', '{"access_token": "sbx_at_half', 'is not JSON'],
    [
      'a response nested too deep',
      `{"access_token": "sbx_at_deep", "x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
      'nested more than 200 deep',
    ],
    ['no access token', '{"token_type":"Bearer"}', 'access_token is missing'],
    [
      'another kind of token',
      '{"access_token":"sbx_at_mac","token_type":"mac"}',
      'token_type is a string other than "Bearer"',
    ],
    ['a list', '[]', 'it is an array, not an object'],
  ])('refuses %s, naming the fault and no token', async (_what, stdin, words) => {
    const { here, done } = withToken(await sandbox(), stdin);
    const error = await failure(done);
    expect(error.code).toBe('CONFIG');
    expect(error.message).toContain(words);
    expect(everythingShownOf(error)).not.toContain('sbx_at_');
    expect(await here.store.load(never)).toBeUndefined();
  });

  it('refuses a token that the service rejects', async () => {
    const service = await sandbox();
    const stdin = '{"access_token":"sbx_at_unknown","token_type":"bearer"}';
    const { here, done } = withToken(service, stdin);
    expect((await failure(done)).code).toBe('AUTH_REFUSED');
    expect(await here.store.load(never)).toBeUndefined();
  });

  it('does not revoke tokens from stdin that cannot be stored', async () => {
    const service = await sandbox();
    const here = machine(service);
    // There is no configuration yet, and there cannot be one.
    const nowhere = join(here.homeDir, 'config');
    symlinkSync(join(here.homeDir, 'missing', 'folder'), nowhere);
    const io = testIo({ stdin: JSON.stringify(service.control.mint()) });
    const env = { ...here.env, SYNC_CONFIG_DIR: nowhere };
    const run = login({ ...here, env }, { args: ['--with-token'], system: { io } });
    expect((await failure(run.done)).code).toBe('STORAGE');
    expect(service.control.requests({ route: 'revoke' })).toEqual([]);
    expect(await here.store.load(never)).toBeUndefined();
  });

  it('warns if the environment overrides the login', async () => {
    const service = await sandbox();
    const stdin = JSON.stringify(service.control.mint());
    const { done, stderr } = withToken(service, stdin, { SYNC_ACCESS_TOKEN: 'other' });
    await done;
    expect(stderr.at(-1)).toContain('SYNC_ACCESS_TOKEN or SYNC_REFRESH_TOKEN is set');
  });
});
