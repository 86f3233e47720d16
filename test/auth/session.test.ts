import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { loginLockPath, withLoginLock } from '../../src/auth/login-lock.ts';
import { loadConfig } from '../../src/config/config.ts';
import { findPaths } from '../../src/config/paths.ts';
import { fileStore, tokenFilePath } from '../../src/credentials/file.ts';
import { secretFor } from '../../src/credentials/open-store.ts';
import type { Credentials, SessionStore } from '../../src/credentials/store.ts';
import { SyncError } from '../../src/base/errors.ts';
import { type Text, renderText } from '../../src/base/phrase.ts';
import type { SandboxServer } from '../../src/sandbox/server.ts';
import { Secret } from '../../src/base/secret.ts';
import { isHeld } from '../../src/system/process-lock.ts';
import { testContext } from '../support/context.ts';
import type { Clock } from '../../src/base/time.ts';
import {
  everythingShownOf,
  failure,
  mint,
  never,
  openTestSession,
  sandbox,
  scratchDir,
  sessionOptions,
  testClock,
  tokenRequests,
} from './support.ts';

const HOUR = 3_600_000;

/** A sandbox, a stored login, and a clock that is ready to be moved. */
async function loggedIn(options: Parameters<typeof sandbox>[0] = {}) {
  const service = await sandbox(options);
  const stateDir = scratchDir();
  const clock = testClock();
  const needs = sessionOptions(service, { stateDir, clock });
  const credentials = mint(service);
  await needs.store.save(credentials, never);
  return { service, stateDir, clock, needs, credentials };
}

const stored = async (store: SessionStore): Promise<Credentials> => {
  const found = await store.load(never);
  if (found === undefined) throw new Error('nothing is stored');
  return found;
};
const access = ({ tokens }: Credentials) => tokens.accessToken?.reveal();
const refresh = ({ tokens }: Credentials) => tokens.refreshToken?.reveal();

/** Returns a new login of the sandbox that is good for an hour from now. */
const freshLogin = (service: SandboxServer, clock: Clock): Credentials => {
  const newer = mint(service);
  const obtainedAt = clock.now();
  return { ...newer, tokens: { ...newer.tokens, obtainedAt, accessExpiresAt: obtainedAt + HOUR } };
};

/** Asks for twenty tokens at once. */
const twenty = async (ask: () => Promise<Secret>) => {
  const tokens = await Promise.all(Array.from({ length: 20 }, ask));
  return [...new Set(tokens.map((token) => token.reveal()))];
};

const CONFIDENTIAL = 'sandbox-confidential';

describe('a login that is still good', () => {
  it('uses a stored token without any request', async () => {
    const { service, needs, credentials } = await loggedIn();
    const token = await openTestSession(needs).accessToken(never);
    expect(token.reveal()).toBe(access(credentials));
    expect(service.control.requestCount()).toBe(0);
  });

  it('reads the login once for many concurrent callers', async () => {
    const { needs, credentials } = await loggedIn();
    const load = vi.fn((signal: AbortSignal) => needs.store.load(signal));
    const session = openTestSession({ ...needs, store: { ...needs.store, load } });
    expect(await twenty(() => session.accessToken(never))).toEqual([access(credentials)]);
    expect(load).toHaveBeenCalledOnce();
  });

  it('does not read the store until a token is asked for', async () => {
    const { needs } = await loggedIn();
    const load = () => Promise.reject(new Error('the store was read'));
    const session = openTestSession({ ...needs, store: { ...needs.store, load } });
    await session.close();
  });
});

describe('a refresh', () => {
  it.each(['rotate', 'keep'] as const)(
    'refreshes shortly before expiry, and stores the tokens before using them (%s)',
    async (refreshToken) => {
      const { service, clock, needs, credentials } = await loggedIn({ settings: { refreshToken } });
      clock.advance(HOUR - 59_000);
      const token = await openTestSession(needs).accessToken(never);
      const now = await stored(needs.store);
      expect(token.reveal()).toBe(access(now));
      expect(token.reveal()).not.toBe(access(credentials));
      expect(refresh(now) === refresh(credentials)).toBe(refreshToken === 'keep');
      expect(tokenRequests(service)).toEqual([{ status: 200 }]);
    },
  );

  it('does not refresh two minutes before expiry', async () => {
    const { service, clock, needs } = await loggedIn();
    clock.advance(HOUR - 120_000);
    await openTestSession(needs).accessToken(never);
    expect(tokenRequests(service)).toEqual([]);
  });

  it.each([
    ['another client', { SYNC_CLIENT_ID: 'another' }],
    ['another service', { SYNC_BASE_URL: 'https://else.example' }],
  ])('sends the client and secret of the login as JSON, not those of %s', async (_what, other) => {
    const { service, clock, needs, stateDir } = await loggedIn();
    const clientSecret = new Secret('sandbox-secret');
    const login = mint(service, { clientId: CONFIDENTIAL });
    await needs.store.save({ ...login, clientSecret }, never);
    clock.advance(HOUR);
    const secret = { SYNC_CLIENT_SECRET: 'of somebody else' };
    const env = { SYNC_BASE_URL: service.url, SYNC_CLIENT_ID: CONFIDENTIAL, ...secret, ...other };
    const config = loadConfig({ env, paths: findPaths(env, 'linux', stateDir) }, undefined);
    const secretOf = (stored: Credentials) => secretFor(stored, config);
    await openTestSession({ ...needs, secretOf }).accessToken(never);
    const [request] = service.control.requests({ route: 'token' });
    const headers = { 'content-type': 'application/json' };
    expect(request).toMatchObject({ status: 200, headers });
    const names = ['client_id', 'client_secret', 'grant_type', 'refresh_token'];
    expect(Object.keys(request?.body as object).sort()).toEqual(names);
  });

  it('keeps the stored refresh token if the answer has none', async () => {
    const { clock, needs, credentials } = await loggedIn({ settings: { refreshToken: 'omit' } });
    clock.advance(HOUR);
    const session = openTestSession(needs);
    await session.accessToken(never);
    const first = await stored(needs.store);
    expect(refresh(first)).toBe(refresh(credentials));
    expect(first.tokens.refreshExpiresAt).toBe(credentials.tokens.refreshExpiresAt);
    expect(first.tokens.scopes).toEqual(credentials.tokens.scopes);
    clock.advance(HOUR);
    await session.accessToken(never);
    expect(access(await stored(needs.store))).not.toBe(access(first));
  });

  it('refreshes once for twenty sessions that share a store', async () => {
    const { service, clock, needs } = await loggedIn();
    clock.advance(HOUR);
    expect(await twenty(() => openTestSession(needs).accessToken(never))).toHaveLength(1);
    expect(tokenRequests(service)).toEqual([{ status: 200 }]);
  });

  it('refreshes once if new tokens expire immediately', async () => {
    const { service, clock, needs } = await loggedIn({ settings: { accessTtl: 0 } });
    clock.advance(HOUR);
    const token = await openTestSession(needs).accessToken(never);
    expect(token.reveal()).toBe(access(await stored(needs.store)));
    expect(tokenRequests(service)).toHaveLength(1);
  });

  it('aborts an unanswered refresh after the grace period', async () => {
    const { service, clock, needs, credentials, stateDir } = await loggedIn({
      faults: ['refresh:hang'],
    });
    const lock = loginLockPath({ stateDir, profile: 'default' });
    clock.advance(HOUR);
    const stop = new AbortController();
    const session = openTestSession(needs);
    const asked = session.accessToken(stop.signal);
    await expect.poll(() => service.control.requests({ route: 'token' }).length).toBe(1);
    stop.abort(new SyncError('INTERRUPTED', 'Ctrl-C'));
    expect((await failure(asked)).code).toBe('INTERRUPTED');
    expect(isHeld(lock)).toBe(true);
    await session.close();
    expect(isHeld(lock)).toBe(false);
    expect(refresh(await stored(needs.store))).toBe(refresh(credentials));
  });

  it('does not begin a refresh if the program is stopped while it waits for the lock', async () => {
    const { service, clock, needs, stateDir } = await loggedIn();
    clock.advance(HOUR);
    const stop = new AbortController();
    const context = testContext({ clock, signal: never });
    await withLoginLock(context, { stateDir, profile: 'default' }, async () => {
      const session = openTestSession(needs);
      const asked = session.accessToken(stop.signal);
      setTimeout(() => stop.abort(new SyncError('INTERRUPTED', 'Ctrl-C')), 50);
      expect((await failure(asked)).code).toBe('INTERRUPTED');
      await session.close();
    });
    expect(tokenRequests(service)).toEqual([]);
  });

  it('continues a refresh for the other callers when one leaves', async () => {
    const { service, clock, needs } = await loggedIn({ faults: ['refresh:delay=200ms'] });
    clock.advance(HOUR);
    const session = openTestSession(needs);
    const stop = new AbortController();
    const leaves = session.accessToken(stop.signal);
    const stays = session.accessToken(never);
    await expect.poll(() => service.control.requests({ route: 'token' }).length).toBe(1);
    stop.abort(new SyncError('INTERRUPTED', 'enough'));
    expect((await failure(leaves)).code).toBe('INTERRUPTED');
    expect((await stays).reveal()).toBe(access(await stored(needs.store)));
  });

  it('retries a refresh after 503', async () => {
    const { service, clock, needs } = await loggedIn({ faults: ['refresh:503*2'] });
    clock.advance(HOUR);
    await openTestSession(needs).accessToken(never);
    expect(tokenRequests(service)).toEqual([{ status: 503 }, { status: 503 }, { status: 200 }]);
  });
});

describe('a token that the service rejects', () => {
  it('replaces a rejected token by a refresh', async () => {
    const { service, needs } = await loggedIn();
    const session = openTestSession(needs);
    const rejected = await session.accessToken(never);
    const next = await session.replace(rejected, never);
    expect(next.equals(rejected)).toBe(false);
    expect(next.reveal()).toBe(access(await stored(needs.store)));
    expect(tokenRequests(service)).toEqual([{ status: 200 }]);
  });

  it('replaces a rejected token by a newer one from another process, without a request', async () => {
    const { service, needs } = await loggedIn();
    const session = openTestSession(needs);
    const rejected = await session.accessToken(never);
    const newer = mint(service);
    await needs.store.save(newer, never);
    expect((await session.replace(rejected, never)).reveal()).toBe(access(newer));
    expect(tokenRequests(service)).toEqual([]);
  });

  it('waits for the refresh of another process if a fresh token is rejected, and sends nothing', async () => {
    const { service, clock, needs, stateDir } = await loggedIn();
    const session = openTestSession(needs);
    const rejected = await session.accessToken(never);
    const newer = mint(service);
    const context = testContext({ clock, signal: never });
    const next = await withLoginLock(context, { stateDir, profile: 'default' }, async () => {
      const asked = session.accessToken(never, rejected);
      await clock.sleep(100);
      await needs.store.save(newer, never);
      return { asked };
    });
    expect((await next.asked).reveal()).toBe(access(newer));
    expect((await session.accessToken(never, rejected)).reveal()).toBe(access(newer));
    expect(tokenRequests(service)).toEqual([]);
  });

  it('replaces a token once for twenty requests that all got 401', async () => {
    const { service, needs } = await loggedIn();
    const session = openTestSession(needs);
    const rejected = await session.accessToken(never);
    expect(await twenty(() => session.replace(rejected, never))).toHaveLength(1);
    expect(tokenRequests(service)).toEqual([{ status: 200 }]);
  });
});

describe('a login that has ended', () => {
  it('throws AUTH_EXPIRED after invalid_grant, and does not send the token again', async () => {
    const { service, clock, needs, credentials } = await loggedIn();
    service.control.revoke();
    clock.advance(HOUR);
    const session = openTestSession(needs);
    const error = await failure(session.accessToken(never));
    expect(error).toMatchObject({ code: 'AUTH_EXPIRED', hint: 'Run `sync login`.' });
    expect((await failure(session.accessToken(never))).code).toBe('AUTH_EXPIRED');
    expect(tokenRequests(service)).toEqual([{ status: 400 }]);
    for (const secret of [access(credentials), refresh(credentials)]) {
      expect(everythingShownOf(error)).not.toContain(secret);
    }
    // The stored login stays: only `sync login` and `sync logout` end a login.
    expect(refresh(await stored(needs.store))).toBe(refresh(credentials));
  });

  it('uses a new login from another terminal after the old one ended', async () => {
    const { service, clock, needs } = await loggedIn();
    service.control.revoke();
    clock.advance(HOUR);
    const session = openTestSession(needs);
    await failure(session.accessToken(never));
    const newer = freshLogin(service, clock);
    await needs.store.save(newer, never);
    expect((await session.accessToken(never)).reveal()).toBe(access(newer));
  });

  it('uses a newer login if another process stored it before the refusal', async () => {
    const { service, clock, needs } = await loggedIn();
    service.control.revoke();
    clock.advance(HOUR);
    const newer = freshLogin(service, clock);
    let loads = 0;
    // The first look, the look under the lock, and then the look after the refusal.
    const load: SessionStore['load'] = async (signal) =>
      ++loads < 3 ? await needs.store.load(signal) : newer;
    const store = { ...needs.store, load };
    const token = await openTestSession({ ...needs, store }).accessToken(never);
    expect(token.reveal()).toBe(access(newer));
    expect(tokenRequests(service)).toEqual([{ status: 400 }]);
  });

  it('throws AUTH_EXPIRED without a request if there is no refresh token', async () => {
    const { service, clock, needs, credentials } = await loggedIn();
    const tokens = { ...credentials.tokens, refreshToken: undefined };
    await needs.store.save({ ...credentials, tokens }, never);
    clock.advance(HOUR);
    expect((await failure(openTestSession(needs).accessToken(never))).code).toBe('AUTH_EXPIRED');
    expect(tokenRequests(service)).toEqual([]);
  });
});

describe('failures that keep the login', () => {
  it.each([
    ['no connection', undefined, 'NETWORK', false],
    ['a connection that breaks', 'refresh:reset*inf', 'NETWORK', true],
    ['a service that is down', 'refresh:503*inf', 'SERVICE_UNAVAILABLE', false],
    ['a gateway that answers for it', 'refresh:502*inf', 'SERVICE_UNAVAILABLE', true],
    ['an HTML page of a proxy', 'refresh:html*inf', 'SERVICE_UNAVAILABLE', true],
    ['half an answer', 'refresh:truncate', 'SERVICE_ANSWER', true],
    ['a client that is refused', 'refresh:400(error=invalid_client)', 'AUTH_REFUSED', false],
    ['no renewals', 'refresh:400(error=unsupported_grant_type)', 'AUTH_REFUSED', false],
    ['any other refusal', 'refresh:400(error=invalid_request)', 'AUTH_REFUSED', false],
    ['a refusal without a word', 'refresh:403', 'AUTH_REFUSED', false],
    ['no such endpoint', 'refresh:404', 'SERVICE_UNAVAILABLE', false],
  ] as const)('keeps the stored login after %s', async (_what, fault, code, isMarked) => {
    const { service, clock, needs, credentials } = await loggedIn({ faults: fault ? [fault] : [] });
    if (fault === undefined) await service.close();
    clock.advance(HOUR);
    const error = await failure(openTestSession(needs).accessToken(never));
    expect(error.code).toBe(code);
    const kept = await stored(needs.store);
    expect(refresh(kept)).toBe(refresh(credentials));
    // The mark says that the refresh token may have been used.
    expect(kept.refreshStartedAt !== undefined).toBe(isMarked);
    expect(everythingShownOf(error)).not.toContain(refresh(credentials));
  });

  it.each([
    ['refresh:503*inf', 'SERVICE_UNAVAILABLE'],
    ['refresh:400(error=invalid_request)*inf', 'AUTH_REFUSED'],
  ])('uses a token that is due but not expired during %s', async (fault, code) => {
    const { clock, needs, credentials } = await loggedIn({ faults: [fault] });
    clock.advance(HOUR - 30_000);
    const session = openTestSession(needs);
    expect((await session.accessToken(never)).reveal()).toBe(access(credentials));
    clock.advance(31_000);
    expect((await failure(session.accessToken(never))).code).toBe(code);
  });

  /** Returns a store that is locked whenever tokens are saved after a refresh, while `isLocked`. */
  function lockedStore(over: SessionStore, isLocked: () => boolean): SessionStore {
    const locked = new SyncError('KEYCHAIN_LOCKED', 'It is locked.', { hint: 'Unlock it.' });
    const save: SessionStore['save'] = (next, signal) =>
      isLocked() ? Promise.reject(locked) : over.save(next, signal);
    const commit = (next: Credentials) => save(next, never);
    const prepareSave = () => Promise.resolve({ commit, discard: () => undefined });
    return { ...over, save, prepareSave };
  }

  it('does not use unsaved tokens, and saves them at the next call', async () => {
    const { service, clock, needs, credentials } = await loggedIn();
    clock.advance(HOUR);
    let locked = true;
    const warnings: Text[] = [];
    const store = lockedStore(needs.store, () => locked);
    const session = openTestSession({ ...needs, store }, warnings);
    const message = expect.stringContaining('could not be stored') as unknown;
    const refused = await failure(session.accessToken(never));
    expect(refused).toMatchObject({ code: 'KEYCHAIN_LOCKED', message });
    expect(refresh(await stored(needs.store))).toBe(refresh(credentials));
    locked = false;
    const token = await session.accessToken(never);
    expect(token.reveal()).toBe(access(await stored(needs.store)));
    // The second one did not cost another refresh, which would have been refused.
    expect(tokenRequests(service)).toEqual([{ status: 200 }]);
    await session.close();
    expect(warnings).toEqual([]);
  });

  it('leaves unsaved tokens if the athlete has logged in again meanwhile', async () => {
    const { service, clock, needs } = await loggedIn();
    clock.advance(HOUR);
    let locked = true;
    const session = openTestSession({ ...needs, store: lockedStore(needs.store, () => locked) });
    await failure(session.accessToken(never));
    const newer = freshLogin(service, clock);
    await needs.store.save(newer, never);
    locked = false;
    expect((await session.accessToken(never)).reveal()).toBe(access(newer));
    expect(refresh(await stored(needs.store))).toBe(refresh(newer));
  });

  it.each([
    ['warns once of', 'rotate', 1],
    ['does not warn of a kept refresh token and', 'keep', 0],
  ] as const)('%s tokens that are unsaved at the end', async (_what, refreshToken, count) => {
    const { clock, needs } = await loggedIn({ settings: { refreshToken } });
    clock.advance(HOUR);
    const warnings: Text[] = [];
    const store = lockedStore(needs.store, () => true);
    // The minute of attempts to save is over after a few.
    let ms = 0;
    const quick: Clock = { ...needs.clock, monotonic: () => (ms += 20_000) };
    const session = openTestSession({ ...needs, clock: quick, store }, warnings);
    const error = await failure(session.accessToken(never));
    // The warning alone has the advice about the login.
    expect(error.hint).toBe('Unlock it.');
    await session.close();
    await session.close();
    expect(warnings).toHaveLength(count);
    for (const warning of warnings) {
      expect(renderText(warning, undefined)).toContain('The platform renewed the login');
      expect(renderText(warning, undefined)).toContain('sync login');
    }
  });
});

describe('refreshStartedAt in the store', () => {
  /** A store with its own way to commit and to save new tokens. */
  const storeThat = (
    over: SessionStore,
    commit: () => Promise<void>,
    save: (real: () => Promise<void>) => Promise<void>,
  ): SessionStore => ({
    ...over,
    prepareSave: async (...all) => ({ ...(await over.prepareSave(...all)), commit }),
    save: (next, signal) => save(() => over.save(next, signal)),
  });

  it('clears the mark when a save succeeds after many failures', async () => {
    const { service, clock, needs } = await loggedIn({ settings: { refreshToken: 'rotate' } });
    clock.advance(HOUR);
    let tries = 0;
    const gone = () => Promise.reject(new SyncError('KEYCHAIN_MISSING', 'No keychain found.'));
    const store = storeThat(needs.store, gone, (save) => (++tries < 20 ? gone() : save()));
    const token = await openTestSession({ ...needs, store }).accessToken(never);
    const kept = await stored(needs.store);
    expect([access(kept), kept.refreshStartedAt]).toEqual([token.reveal(), undefined]);
    expect(tokenRequests(service)).toEqual([{ status: 200 }]);
  });

  it('keeps the mark if the new tokens could not be saved', async () => {
    const { clock, needs, credentials } = await loggedIn();
    clock.advance(HOUR);
    const began = clock.now();
    let commits = 0;
    let saves = 0;
    const full = () => Promise.reject(new SyncError('STORAGE', 'The disk of /state is full.'));
    const commit = () => (commits++, full());
    const store = storeThat(needs.store, commit, (save) => (saves++ < 2 ? full() : save()));
    const error = await failure(openTestSession({ ...needs, store }).accessToken(never));
    expect([error.code, commits, saves]).toEqual(['STORAGE', 1, 2]);
    const kept = await stored(needs.store);
    expect(refresh(kept)).toBe(refresh(credentials));
    expect(kept.refreshStartedAt).toBeGreaterThanOrEqual(began);
  });
});

describe('a missing or foreign login', () => {
  it('throws AUTH_REQUIRED without a stored login', async () => {
    const needs = sessionOptions(await sandbox(), { stateDir: scratchDir() });
    const message = 'Not logged in (profile "default").';
    const error = await failure(openTestSession(needs).accessToken(never));
    expect(error).toMatchObject({ code: 'AUTH_REQUIRED', message });
  });

  it('never sends the tokens of one service to another', async () => {
    const { service, needs } = await loggedIn();
    const other = await sandbox();
    const tokenUrl = new URL('/api/oauth/token', other.url);
    const session = openTestSession({ ...needs, service: other.url, tokenUrl });
    const message = expect.stringContaining(service.url) as unknown;
    const error = await failure(session.accessToken(never));
    expect(error).toMatchObject({ code: 'AUTH_REQUIRED', message });
    expect(other.control.requestCount()).toBe(0);
  });

  it('compares login IDs if the athlete is unknown', async () => {
    const { needs, credentials } = await loggedIn();
    await needs.store.save({ ...credentials, loginId: 'one' }, never);
    const ours = { ...needs, loginId: 'one' };
    const known = { ...ours, accountId: 'anna' };
    for (const same of [ours, known]) await openTestSession(same).accessToken(never);
    for (const next of [{ loginId: 'two' }, {}, { accountId: 'ben' }]) {
      await needs.store.save({ ...credentials, ...next }, never);
      for (const replaced of [ours, known]) {
        const error = await failure(openTestSession(replaced).accessToken(never));
        expect(error).toMatchObject({ code: 'AUTH_REQUIRED' });
      }
    }
    // The same athlete logged in anew.
    await needs.store.save({ ...credentials, accountId: 'anna' }, never);
    await openTestSession(known).accessToken(never);
  });

  it('refuses a login of another athlete than at the start of the command', async () => {
    const { clock, needs, credentials } = await loggedIn();
    await needs.store.save({ ...credentials, accountId: 'anna' }, never);
    const session = openTestSession({ ...needs, accountId: 'anna' });
    await session.accessToken(never);
    await needs.store.save({ ...credentials, accountId: 'ben' }, never);
    clock.advance(HOUR);
    expect((await failure(session.accessToken(never))).code).toBe('AUTH_REQUIRED');
  });

  it('refuses a login whose athlete the configuration does not name, and says so', async () => {
    const { needs, credentials } = await loggedIn();
    await needs.store.save({ ...credentials, accountId: 'anna' }, never);
    const session = openTestSession({ ...needs, accountId: undefined, loginId: undefined });
    expect(await failure(session.accessToken(never))).toMatchObject({
      code: 'AUTH_REQUIRED',
      message: 'The configuration does not name the athlete of the login of profile "default".',
    });
  });

  it('throws AUTH_REQUIRED for a damaged login, without quoting it', async () => {
    const { stateDir, needs, credentials } = await loggedIn();
    const path = tokenFilePath(stateDir, 'default');
    const { writeFile } = await import('node:fs/promises');
    await writeFile(path, readFileSync(path, 'utf8').slice(0, -20));
    const error = await failure(openTestSession(needs).accessToken(never));
    expect(error.code).toBe('AUTH_REQUIRED');
    expect(everythingShownOf(error)).not.toContain(access(credentials)?.slice(0, 20));
  });
});

it('starts nothing after close(), which may be called twice', async () => {
  const { needs } = await loggedIn();
  const session = openTestSession(needs);
  await session.close();
  await session.close();
  expect((await failure(session.accessToken(never))).code).toBe('INTERRUPTED');
});

it('shows no secret of a printed login', async () => {
  const { needs, credentials } = await loggedIn();
  const session = openTestSession(needs);
  const shown = everythingShownOf([
    credentials,
    await session.credentials(never),
    await session.accessToken(never),
    fileStore('/nowhere', 'linux'),
  ]);
  expect(shown).toContain('[redacted]');
  expect(shown).not.toContain(access(credentials));
  expect(shown).not.toContain(refresh(credentials));
});
