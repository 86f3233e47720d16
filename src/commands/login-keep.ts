import { randomUUID } from 'node:crypto';
import { PATIENT, type WhoAmI, whoAmI } from '../auth/account.ts';
import { withLoginLock } from '../auth/login-lock.ts';
import { DEFAULT_SCOPES, missingFeatures } from '../config/scopes.ts';
import { revokeToken } from '../auth/token-endpoint.ts';
import { changeProfile } from '../config/config-write.ts';
import { type Account, readConfigFile } from '../config/config.ts';
import { givenSecret, secretFor } from '../credentials/client-secret.ts';
import { hasEnvironmentTokens } from '../credentials/environment.ts';
import { openStore } from '../credentials/open-store.ts';
import {
  type CredentialStore,
  type Credentials,
  type TokenSet,
  serviceId,
} from '../credentials/store.ts';
import { SyncError, messageOf } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import { endpointUrl } from '../config/endpoints.ts';
import type { SettingKey } from '../config/settings.ts';
import type { Notify } from './login-events.ts';
import type { LoginReport, LoginRun, NewTokens } from './login-run.ts';

/** How long to try to revoke one login, in ms. */
const REVOKE_LIMIT_MS = 5_000;
const NEVER = new AbortController().signal;

/**
 * Finds out whose login it is, stores it, and remembers the settings that it was made with.
 *
 * @param ours nobody else has these tokens: where they cannot be kept, they are revoked.
 */
export async function keep(
  run: LoginRun,
  tokens: NewTokens,
  ours: 'ours' | 'given',
): Promise<LoginReport> {
  const { config, deps, http, notify, url } = run;
  try {
    const needs = { http, clock: deps.clock, url: url('userinfo'), policy: PATIENT };
    const who = await whoAmI(needs, tokens.accessToken, deps.signal);
    if (who.kind === 'unreachable' || who.kind === 'rejected') warnUnknown(who, notify);
    const account = who.kind === 'known' ? who.account : undefined;
    const { replaced, saved } = await storeLogin(run, tokens, account);
    const left = await forgetOtherStore(run);
    if (ours === 'ours') await endReplaced(run, [replaced, left], tokens);
    if (hasEnvironmentTokens(config)) {
      notify({
        type: 'warning',
        message:
          'SYNC_ACCESS_TOKEN or SYNC_REFRESH_TOKEN is set: as long as it is, this login is not used.',
      });
    }
    return reportOf(run, tokens, account, saved);
  } catch (error) {
    // Tokens that nobody holds should not go on working.
    if (ours === 'ours') await revokeQuietly(run, tokens);
    throw error;
  }
}

/** @returns the login that this one replaced, and the settings that changed. */
async function storeLogin(
  run: LoginRun,
  tokens: NewTokens,
  account: Account | undefined,
): Promise<{ replaced: Credentials | undefined; saved: LoginReport['saved'] }> {
  const { config, deps, store, target } = run;
  const { paths, profile } = config;
  const lock = { stateDir: paths.stateDir, profile, clock: deps.clock };
  const loginId = account === undefined ? randomUUID() : undefined;
  return await withLoginLock(lock, deps.signal, async () => {
    const replaced = await loadQuietly(store);
    deps.signal.throwIfAborted();
    // Ctrl-C has to wait for the two of them: one without the other is no login.
    await store.save(
      {
        service: serviceId(target.baseUrl),
        clientId: target.clientId,
        clientSecret: target.clientSecret,
        accountId: account?.id,
        loginId,
        tokens,
      },
      NEVER,
    );
    try {
      const settings: LoginReport['saved'] = settingsToKeep(run);
      const before = readConfigFile(paths.configFile).profiles[profile]?.settings ?? {};
      const whose = { account: account ?? null, loginId: loginId ?? null };
      await changeProfile(paths, profile, { settings, ...whose });
      const changed = Object.entries(settings).filter(
        ([key, value]) => (before[key as SettingKey] ?? null) !== value,
      );
      return { replaced, saved: Object.fromEntries(changed) };
    } catch (error) {
      // The login before it is the one that the settings still speak of.
      await (replaced === undefined ? store.delete(NEVER) : store.save(replaced, NEVER));
      throw error;
    }
  });
}

/** A login that cannot be read can still be replaced, but not revoked. */
async function loadQuietly(store: CredentialStore): Promise<Credentials | undefined> {
  return await store.load(NEVER).catch(() => undefined);
}

/**
 * The settings that this login was made with, so that the next command has them. `--scope` is one of
 * them, also if it asks for less: a later login must not ask for more than was wanted.
 */
function settingsToKeep({ config, store, target }: LoginRun) {
  const byFlag = (key: SettingKey) => config.originOf(key) === 'flag';
  const scope = config.get('scope');
  return {
    baseUrl: serviceId(target.baseUrl),
    clientId: target.clientId,
    tokenStore: store.kind,
    ...(byFlag('scope') ? { scope: isDefault(scope) ? null : scope.join(' ') } : {}),
    ...(byFlag('redirectUri')
      ? { redirectUri: config.get('redirectUri') ?? null, redirectPort: null }
      : {}),
    ...(byFlag('redirectPort')
      ? { redirectPort: String(config.get('redirectPort')), redirectUri: null }
      : {}),
  };
}

/** Are these the scopes that logins ask for without the setting? */
function isDefault(scopes: readonly string[]): boolean {
  return (
    scopes.length === DEFAULT_SCOPES.length &&
    DEFAULT_SCOPES.every((scope) => scopes.includes(scope))
  );
}

/**
 * Where somebody moves from one store to the other, the old login does not stay behind.
 *
 * @returns that login.
 */
async function forgetOtherStore({
  config,
  deps,
  store,
  target,
  notify,
}: LoginRun): Promise<Credentials | undefined> {
  const other = store.kind === 'file' ? 'keychain' : 'file';
  // A keychain that never held this profile's login is left in peace.
  const before = config.account ?? config.loginId;
  if (other === 'keychain' && before === undefined) return undefined;
  const old = openStore(config, { ...deps, attended: false }, other, target.baseUrl);
  const left = await loadQuietly(old);
  try {
    await old.delete(NEVER);
  } catch (error) {
    if (error instanceof SyncError && error.code === 'KEYCHAIN_MISSING') return undefined;
    notify({
      type: 'warning',
      message: `An older login may be left in ${old.describe()}: ${messageOf(error)}`,
    });
  }
  return left;
}

/**
 * Revokes the logins that a new one replaced. Deployed services keep each login apart, so its refresh
 * token ends that login alone. A login that shares a token with the new one is the same login, and an
 * access token is not sent: services end all of a login by it.
 */
async function endReplaced(
  { config, deps, http, notify }: LoginRun,
  replaced: readonly (Credentials | undefined)[],
  { accessToken, refreshToken }: NewTokens,
): Promise<void> {
  const isNew = (token: Secret) =>
    token.equals(accessToken) || refreshToken?.equals(token) === true;
  for (const old of replaced) {
    const token = old?.tokens.refreshToken;
    const all = [token, old?.tokens.accessToken].filter((one) => one !== undefined);
    if (old === undefined || token === undefined || all.some(isNew)) continue;
    const { service, clientId } = old;
    const why = await revokeToken(
      {
        http,
        clock: deps.clock,
        url: endpointUrl(new URL(service), config.endpoints.revoke),
      },
      {
        client: { id: clientId, secret: secretFor(old, givenSecret(config)) },
        token,
        kind: 'refresh_token',
      },
      AbortSignal.any([deps.signal, AbortSignal.timeout(REVOKE_LIMIT_MS)]),
    ).then(
      (outcome) => (outcome === 'revoked' ? undefined : 'the service does not revoke tokens'),
      (error: unknown) => (error instanceof SyncError ? error.message : 'no answer in time'),
    );
    if (why === undefined) continue;
    notify({
      type: 'warning',
      message: `The login that this one replaces could not be revoked at ${service}: ${why.replace(/\.$/, '')}.`,
    });
  }
}

function reportOf(
  { config, store, target }: LoginRun,
  tokens: TokenSet,
  account: Account | undefined,
  saved: LoginReport['saved'],
): LoginReport {
  const askedScopes = config.get('scope');
  const before = config.account;
  const other = account !== undefined && before !== undefined && before.id !== account.id;
  return {
    profile: config.profile,
    service: serviceId(target.baseUrl),
    clientId: target.clientId,
    account,
    replaced: other ? before : undefined,
    askedScopes,
    grantedScopes: tokens.scopes,
    missing: missingFeatures(tokens.scopes).map((feature) => ({
      ...feature,
      asked: askedScopes.includes(feature.scope),
    })),
    saved,
    store: { kind: store.kind, where: store.describe() },
    renewable: tokens.refreshToken !== undefined,
    accessExpiresAt: tokens.accessExpiresAt,
    refreshExpiresAt: tokens.refreshExpiresAt,
  };
}

async function revokeQuietly({ deps, http, target, url }: LoginRun, tokens: TokenSet) {
  const signal = AbortSignal.timeout(REVOKE_LIMIT_MS);
  const token = tokens.refreshToken ?? tokens.accessToken;
  if (token === undefined) return;
  await revokeToken(
    { http, clock: deps.clock, url: url('revoke') },
    {
      client: { id: target.clientId, secret: target.clientSecret },
      token,
      kind: tokens.refreshToken === undefined ? 'access_token' : 'refresh_token',
    },
    signal,
  ).catch(() => undefined);
}

function warnUnknown(who: WhoAmI, notify: Notify): void {
  notify({
    type: 'warning',
    message:
      who.kind === 'rejected'
        ? 'The service gave a token and does not accept it when asked whose it is.'
        : 'The service could not say whose login this is; it is asked again before anything is sent.',
  });
}
