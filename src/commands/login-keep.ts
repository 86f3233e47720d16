import { randomUUID } from 'node:crypto';
import { PATIENT, type WhoAmI, whoAmI } from '../auth/account.ts';
import { withLoginLock } from '../auth/login-lock.ts';
import { missingFeatures } from '../auth/scopes.ts';
import { revokeToken } from '../auth/token-endpoint.ts';
import { changeProfile } from '../config-write.ts';
import type { Account } from '../config.ts';
import { hasEnvironmentTokens } from '../credentials/environment.ts';
import { openStore } from '../credentials/open-store.ts';
import { type TokenSet, serviceId } from '../credentials/store.ts';
import { SyncError, messageOf } from '../errors.ts';
import type { SettingKey } from '../settings.ts';
import type { Notify } from './login-events.ts';
import type { LoginReport, LoginRun, NewTokens } from './login-run.ts';

/** How long to try to revoke tokens that could not be kept, in ms. */
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
    await storeLogin(run, tokens, account);
    await forgetOtherStore(run);
    if (hasEnvironmentTokens(config)) {
      notify({
        type: 'warning',
        message:
          'SYNC_ACCESS_TOKEN or SYNC_REFRESH_TOKEN is set: as long as it is, this login is not used.',
      });
    }
    return reportOf(run, tokens, account);
  } catch (error) {
    // Tokens that nobody holds should not go on working.
    if (ours === 'ours') await revokeQuietly(run, tokens);
    throw error;
  }
}

async function storeLogin(
  run: LoginRun,
  tokens: NewTokens,
  account: Account | undefined,
): Promise<void> {
  const { config, deps, store, target } = run;
  const { paths, profile } = config;
  const lock = { stateDir: paths.stateDir, profile, clock: deps.clock };
  const loginId = account === undefined ? randomUUID() : undefined;
  await withLoginLock(lock, deps.signal, async () => {
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
      const settings = settingsToKeep(run);
      const whose = { account: account ?? null, loginId: loginId ?? null };
      await changeProfile(paths, profile, { settings, ...whose });
    } catch (error) {
      await store.delete(NEVER);
      throw error;
    }
  });
}

/** The settings that this login was made with, so that the next command has them. */
function settingsToKeep({ config, store, target }: LoginRun) {
  const byFlag = (key: SettingKey) => config.originOf(key) === 'flag';
  return {
    baseUrl: serviceId(target.baseUrl),
    clientId: target.clientId,
    tokenStore: store.kind,
    ...(byFlag('scope') ? { scope: config.get('scope').join(' ') } : {}),
    ...(byFlag('redirectUri')
      ? { redirectUri: config.get('redirectUri') ?? null, redirectPort: null }
      : {}),
    ...(byFlag('redirectPort')
      ? { redirectPort: String(config.get('redirectPort')), redirectUri: null }
      : {}),
  };
}

/** Where somebody moves from one store to the other, the old login does not stay behind. */
async function forgetOtherStore({ config, deps, store, target, notify }: LoginRun): Promise<void> {
  const other = store.kind === 'file' ? 'keychain' : 'file';
  // A keychain that never held this profile's login is left in peace.
  const before = config.account ?? config.loginId;
  if (other === 'keychain' && before === undefined) return;
  const old = openStore(config, { ...deps, attended: false }, other, target.baseUrl);
  try {
    await old.delete(NEVER);
  } catch (error) {
    if (error instanceof SyncError && error.code === 'KEYCHAIN_MISSING') return;
    notify({
      type: 'warning',
      message: `An older login may be left in ${old.describe()}: ${messageOf(error)}`,
    });
  }
}

function reportOf(
  { config, store, target }: LoginRun,
  tokens: TokenSet,
  account: Account | undefined,
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
