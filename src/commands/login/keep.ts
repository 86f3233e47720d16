import { randomUUID } from 'node:crypto';
import type { AppContext } from '../../app/context.ts';
import { type WhoAmI, whoAmI } from '../../api/account.ts';
import { deliveryOf } from '../../api/http-failure.ts';
import { RETRIES } from '../../api/retry.ts';
import { withLoginLock } from '../../auth/login-lock.ts';
import { revokeTokenOf } from '../../auth/revoke.ts';
import type { NewTokens } from '../../auth/token-response.ts';
import { SyncError, messageOf } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import { NEVER } from '../../base/tasks.ts';
import {
  type Account,
  accountUrls,
  readConfigFile,
  hasEnvironmentTokens,
  settingsOfAnother,
} from '../../config/config.ts';
import { changeProfile } from '../../config/config-write.ts';
import { serviceId } from '../../config/endpoints.ts';
import { defaultScopes } from '../../config/platforms.ts';
import { missingFeatures } from '../../config/scopes.ts';
import type { SettingKey } from '../../config/settings.ts';
import { openStore } from '../../credentials/open-store.ts';
import type { CredentialStore, Credentials } from '../../credentials/store.ts';
import { type LoginAttempt, savedLogin } from './store.ts';

/** Time limit for revoking one login (ms). */
const REVOKE_LIMIT_MS = 5_000;

/** Settings of the profile that a login changed; null: removed. */
type SavedSettings = Readonly<Partial<Record<SettingKey, string | null>>>;

export type LoginReport = ReturnType<typeof reportOf>;

/**
 * Asks the service for the account of a login, stores the login, and saves the settings that it was
 * made with.
 *
 * @param from `code`: only this process has these tokens, so it revokes them if it cannot store
 *   them. `stdin`: others may use the same tokens, so none is revoked.
 * @throws SyncError `NETWORK` if nothing answers at the address of tokens from stdin; the failures of the store
 */
export async function keep(
  context: AppContext,
  attempt: LoginAttempt,
  tokens: NewTokens,
  from: 'code' | 'stdin',
): Promise<LoginReport> {
  const { config, http, baseUrl, clientId, clientSecret, registered } = attempt;
  const issued = {
    service: serviceId(baseUrl),
    clientId,
    clientSecret,
    isPublic: registered?.isPublic === true ? (true as const) : undefined,
    tokens,
  };
  try {
    const asked = { ...accountUrls(config, baseUrl), http, policy: RETRIES.answer };
    const who = await whoAmI(context, asked, tokens.accessToken);
    // A misspelt address: no connection was ever made. The caller still has the tokens.
    if (from === 'stdin' && who.kind === 'unreachable') {
      const { error } = who;
      if (error.code === 'NETWORK' && deliveryOf(error) === 'not-sent') throw error;
    }
    warnIfUnknown(context, who);
    const account = who.kind === 'known' ? who.account : undefined;
    const { replaced, saved } = await storeLogin(context, attempt, issued, who);
    const left = await clearOtherStores(context, attempt);
    if (from === 'code') {
      for (const old of [replaced, ...left]) await revokeReplaced(context, attempt, old, tokens);
    }
    if (hasEnvironmentTokens(config)) {
      context.warn(
        'SYNC_ACCESS_TOKEN or SYNC_REFRESH_TOKEN is set: commands use it instead of this login.',
      );
    }
    return reportOf(attempt, tokens, account, saved);
  } catch (error) {
    if (from === 'code') {
      const signal = AbortSignal.timeout(REVOKE_LIMIT_MS);
      const kind = tokens.refreshToken === undefined ? 'access' : 'refresh';
      const unstored = { ...issued, accountId: undefined };
      await revokeTokenOf({ ...context, signal }, http, config, unstored, kind);
    }
    throw error;
  }
}

/** @returns the login that this one replaced, and the settings that changed. */
async function storeLogin(
  context: AppContext,
  attempt: LoginAttempt,
  issued: Pick<Credentials, 'service' | 'clientId' | 'clientSecret' | 'isPublic' | 'tokens'>,
  who: WhoAmI,
): Promise<{ replaced: Credentials | undefined; saved: SavedSettings }> {
  const { config, store, unnamed } = attempt;
  const { paths, profile } = config;
  const account = who.kind === 'known' ? who.account : undefined;
  const wasNamed = (config.account ?? config.formerAccount) !== undefined;
  const isSettled = account !== undefined || (who.kind === 'unknown' && !wasNamed);
  const loginId = isSettled ? undefined : randomUUID();
  return await withLoginLock(context, { stateDir: paths.stateDir, profile }, async () => {
    const replaced = await loadIfReadable(store);
    context.signal.throwIfAborted();
    // Ctrl-C does not interrupt from here on: tokens and settings belong together.
    await store.save(
      {
        ...issued,
        accountId: account?.id,
        loginId,
        unnamed: account === undefined ? unnamed : undefined,
        askedScopes: attempt.scopes,
      },
      NEVER,
    );
    try {
      const settings: SavedSettings = settingsToSave(attempt);
      const before = readConfigFile(paths.configFile).profiles[profile]?.settings ?? {};
      const isNewLedger = who.kind === 'unknown' || unnamed !== config.unnamedLedger;
      await changeProfile(paths, profile, {
        settings,
        account: account ?? null,
        loginId: loginId ?? null,
        loggedOut: false,
        ...(isNewLedger ? { unnamed } : {}),
      });
      const changed = Object.entries(settings).filter(
        ([key, value]) => (before[key as SettingKey] ?? null) !== value,
      );
      return { replaced, saved: Object.fromEntries(changed) };
    } catch (error) {
      // The settings still describe the earlier login.
      await (replaced === undefined ? store.delete(NEVER) : store.save(replaced, NEVER));
      throw error;
    }
  });
}

/** A login that cannot be read can still be replaced, but not revoked. */
async function loadIfReadable(store: CredentialStore): Promise<Credentials | undefined> {
  return await store.load(NEVER).catch(() => undefined);
}

/**
 * Returns the settings to save for later commands. They include `--scope`, also if it asks for
 * fewer scopes: a later login must not ask for more than the user wanted.
 */
function settingsToSave({ config, store, baseUrl, clientId, scopes }: LoginAttempt) {
  const byFlag = (key: SettingKey) => config.originOf(key) === 'flag';
  const preset = (key: SettingKey) => config.originOf(key) === 'system';
  const foreign = settingsOfAnother(config.saved, baseUrl).map((key) => [key, null] as const);
  return {
    ...Object.fromEntries(foreign),
    // A later change by the operator applies to this profile, too.
    baseUrl: preset('baseUrl') ? null : serviceId(baseUrl),
    clientId: preset('clientId') ? null : clientId,
    tokenStore: store.kind,
    ...(byFlag('scope') ? { scope: isDefault(scopes, baseUrl) ? null : scopes.join(' ') } : {}),
    ...(byFlag('redirectUri')
      ? { redirectUri: config.get('redirectUri') ?? null, redirectPort: null }
      : {}),
    ...(byFlag('redirectPort')
      ? { redirectPort: String(config.get('redirectPort')), redirectUri: null }
      : {}),
  };
}

/** Are these the scopes that logins at this platform ask for without the setting? */
export function isDefault(scopes: readonly string[], baseUrl: URL): boolean {
  const usual = defaultScopes(baseUrl);
  return scopes.length === usual.length && usual.every((scope) => scopes.includes(scope));
}

/**
 * Deletes this profile's earlier logins from other stores: after a move from file to keychain or back, or from another
 * service, whose login has its own entry in the keychain.
 *
 * @returns the deleted logins.
 */
async function clearOtherStores(
  context: AppContext,
  { config, store, baseUrl }: LoginAttempt,
): Promise<readonly Credentials[]> {
  const saved = savedLogin(config);
  const isElsewhere = saved?.kind === 'keychain' && saved.service !== serviceId(baseUrl);
  const open = (kind: 'keychain' | 'file', url: URL, attended: boolean) =>
    openStore(config, { ...context, attended }, kind, url);
  const others = [
    ...(store.kind === 'keychain' ? [open('file', baseUrl, false)] : []),
    // Do not touch a keychain that never held a login of this profile.
    ...(store.kind === 'file' && config.hasLogin ? [open('keychain', baseUrl, false)] : []),
    ...(isElsewhere ? [open('keychain', saved.baseUrl, context.io.interactive)] : []),
  ];
  const left: Credentials[] = [];
  for (const old of others) {
    const login = await loadIfReadable(old);
    try {
      await old.delete(NEVER);
    } catch (error) {
      if (error instanceof SyncError && error.code === 'KEYCHAIN_MISSING') continue;
      context.warn(`An older login may be left in ${old.describe()}: ${messageOf(error)}`);
    }
    if (login !== undefined) left.push(login);
  }
  return left;
}

/**
 * Revokes a login that a new one replaced, by its refresh token. Deployed services end only the login of a refresh
 * token, but several logins by an access token: that one is not sent. A login that shares a token with the new one is
 * the same login, and is not revoked.
 */
async function revokeReplaced(
  context: AppContext,
  { config, http }: LoginAttempt,
  old: Credentials | undefined,
  { accessToken, refreshToken }: NewTokens,
): Promise<void> {
  const isNew = (token: Secret | undefined) =>
    token !== undefined && (token.equals(accessToken) || refreshToken?.equals(token) === true);
  if (old === undefined || isNew(old.tokens.refreshToken) || isNew(old.tokens.accessToken)) return;
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(REVOKE_LIMIT_MS)]);
  const revoked = await revokeTokenOf({ ...context, signal }, http, config, old, 'refresh');
  if (revoked.outcome === 'revoked') return;
  const { message: why = 'the platform does not revoke tokens' } = revoked;
  context.warn(
    `The login that this one replaces could not be revoked at ${old.service}: ${why.replace(/\.$/, '')}.`,
  );
}

/** Returns the facts about a new login; times in ms since 1970. */
function reportOf(
  { config, store, baseUrl, clientId, scopes: askedScopes }: LoginAttempt,
  tokens: NewTokens,
  account: Account | undefined,
  saved: SavedSettings,
) {
  const before = config.account;
  const other = account !== undefined && before !== undefined && before.id !== account.id;
  return {
    profile: config.profile,
    service: serviceId(baseUrl),
    clientId,
    account,
    /** The athlete of the login that this one replaced, if it was another one. */
    replaced: other ? before : undefined,
    askedScopes,
    grantedScopes: tokens.scopes,
    /** Features that will not work. `asked`: the login asked for the scope, and did not get it. */
    missing: missingFeatures(tokens.scopes, askedScopes).map((feature) => ({
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

function warnIfUnknown(context: AppContext, who: WhoAmI): void {
  if (who.kind === 'rejected') {
    context.warn('The platform issued a token, but rejected it when asked for the account.');
  } else if (who.kind === 'unreachable') {
    context.warn(
      'The platform could not name the account; the next command asks again before it sends anything.',
    );
  }
}
