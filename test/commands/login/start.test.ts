import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readConfigFile } from '../../../src/config/config.ts';
import { fileStore, tokenFilePath } from '../../../src/credentials/file.ts';
import { findPaths } from '../../../src/config/paths.ts';
import type { SandboxServer } from '../../../src/sandbox/server.ts';
import {
  failure,
  never,
  openStart,
  sandbox,
  scratchDir,
  testSystem,
  tokenRequests,
} from '../../auth/support.ts';
import { startLogin } from './support.ts';

const autoApprove = { settings: { autoApprove: true } } as const;

/** A login that opens the browser with `open`. */
function login(service: SandboxServer, open: (address: string) => Promise<void>) {
  const homeDir = scratchDir();
  const env = {
    SYNC_TOKEN_STORE: 'file',
    SYNC_CONFIG_DIR: homeDir,
    SYNC_STATE_DIR: join(homeDir, 'state'),
    SYNC_BASE_URL: service.url,
    SYNC_CLIENT_ID: service.clientId,
    DISPLAY: ':99',
  };
  const paths = findPaths(env, process.platform, homeDir);
  let shown: URL | undefined;
  const system = testSystem({ homeDir, env, openBrowser: open });
  const { done } = startLogin(system, ['--timeout', '20s'], (url) => (shown = url));
  const store = fileStore(tokenFilePath(paths.stateDir, 'default'), process.platform);
  return {
    done,
    /** The authorization URL, once it is printed. */
    shown: () => shown,
    /** Fails if the login left a token or an account behind. */
    expectNothingStored: async () => {
      expect(await store.load(never)).toBeUndefined();
      expect(readConfigFile(paths.configFile).profiles).toEqual({});
    },
  };
}

const visit = async (address: string | URL) => {
  const page = await fetch(address);
  return { status: page.status, text: await page.text() };
};

describe('the address that a login starts the browser with', () => {
  it('contains no secret, and redirects to the authorization URL', async () => {
    const service = await sandbox(autoApprove);
    let address = '';
    let target: URL | undefined;
    const { done, shown } = login(service, async (given) => {
      address = given;
      target = await openStart(given);
      void visit(target);
    });
    await done;
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/start\/[\w-]{22}$/);
    expect(target?.href).toBe(shown()?.href);
    expect(target?.searchParams.get('state')).toMatch(/^[\w-]{43}$/);
  });

  it('still works after HEAD, POST and prefetch requests', async () => {
    const service = await sandbox(autoApprove);
    const statuses: number[] = [];
    const { done } = login(service, async (address) => {
      const before: [string, RequestInit][] = [
        [address, { method: 'HEAD' }],
        [address, { method: 'POST' }],
        [address, { headers: { 'sec-purpose': 'prefetch;prerender' } }],
        [address, { headers: { purpose: 'prefetch' } }],
        [`${address}?a=1`, {}],
        [`${address}/`, {}],
        [new URL('/favicon.ico', address).href, {}],
      ];
      for (const [url, init] of before) {
        const response = await fetch(url, { ...init, redirect: 'manual' });
        expect(response.headers.get('location')).toBeNull();
        statuses.push(response.status);
      }
      void visit(address);
    });
    expect((await done).account).toBeDefined();
    expect(statuses).toEqual([404, 404, 403, 403, 404, 404, 404]);
  });

  it('does not redirect after the login', async () => {
    const service = await sandbox(autoApprove);
    let address = '';
    const { done } = login(service, (given) => {
      address = given;
      void visit(given);
      return Promise.resolve();
    });
    await done;
    await expect(fetch(address)).rejects.toThrow();
  });

  it('does not redirect if no browser could be started', async () => {
    const service = await sandbox();
    let answered: number | undefined;
    const { done, shown } = login(service, async (address) => {
      setTimeout(() => {
        void fetch(address, { redirect: 'manual' }).then(({ status }) => (answered = status));
      });
      await Promise.reject(new Error('no opener'));
    });
    const ended = failure(done);
    await expect.poll(() => answered).toBe(410);
    const query = shown()?.searchParams;
    const callback = query?.get('redirect_uri') ?? '';
    const page = await visit(`${callback}?error=access_denied&state=${query?.get('state') ?? ''}`);
    expect(page.text).toContain('You denied the login');
    expect((await ended).message).toContain('was not approved');
  });
});

describe('an address that is opened twice', () => {
  const words = 'The login was ended: its address was opened twice';

  it('ends the login if a thief opened its address first', async () => {
    const service = await sandbox();
    let page: ReturnType<typeof visit> | undefined;
    const { done, expectNothingStored } = login(service, async (address) => {
      const stolen = await openStart(address);
      await (page = visit(address));
      // The thief approves with her own account: her answer comes too late.
      service.control.settings({ autoApprove: true });
      await visit(stolen).catch(() => undefined);
    });
    const error = await failure(done);
    expect(error.code).toBe('AUTH_REFUSED');
    expect(error.message).toContain(words);
    expect(String(error.hint)).toContain('sync login --no-browser');
    expect((await page)?.status).toBe(400);
    expect((await page)?.text).toContain(words);
    expect(tokenRequests(service)).toEqual([]);
    await expectNothingStored();
  });

  it('ends the login if the address is opened twice at the same time', async () => {
    const service = await sandbox();
    const { done, expectNothingStored } = login(service, async (address) => {
      await Promise.all([openStart(address), openStart(address), openStart(address)]);
    });
    expect((await failure(done)).message).toContain(words);
    await expectNothingStored();
  });

  it('ends the login after the callback, and revokes the new tokens', async () => {
    const service = await sandbox({ ...autoApprove, faults: ['userinfo:delay=500ms'] });
    const { done, expectNothingStored } = login(service, async (address) => {
      void visit(await openStart(address)).catch(() => undefined);
      await expect.poll(() => service.control.requests({ route: 'userinfo' }).length).toBe(1);
      expect((await visit(address)).text).toContain(words);
    });
    expect((await failure(done)).message).toContain(words);
    expect(service.control.state().athletes[0]?.logins).toMatchObject([{ revoked: true }]);
    await expectNothingStored();
  });
});

/** This machine lets a test be another user: it runs as root, and has setpriv of util-linux. */
const canBeAnother = process.platform === 'linux' && process.getuid?.() === 0;

it.skipIf(!canBeAnother)(
  'ends a login if another user of the machine opens its address once (run as root only)',
  async () => {
    const service = await sandbox(autoApprove);
    let answer: Promise<{ stdout: string }> | undefined;
    const { done, expectNothingStored } = login(service, async (address) => {
      const script = `fetch(${JSON.stringify(address)}).then(async (r) => console.log(await r.text()))`;
      const another = ['--reuid=65534', '--clear-groups', process.execPath, '-e', script];
      await (answer = promisify(execFile)('setpriv', another));
    });
    const words = 'another user of this computer (UID 65534) opened its address';
    expect((await failure(done)).message).toContain(words);
    expect((await answer)?.stdout).toContain(words);
    // The check before the login, and no browser.
    expect(service.control.requests({ route: 'authorize' })).toHaveLength(1);
    await expectNothingStored();
  },
);
