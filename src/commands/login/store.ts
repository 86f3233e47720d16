import { randomUUID } from 'node:crypto';
import { agrees } from '../../app/confirm.ts';
import type { AppContext } from '../../app/context.ts';
import type { Http } from '../../api/http.ts';
import { SyncError } from '../../base/errors.ts';
import { phrase, sync } from '../../base/phrase.ts';
import type { Secret } from '../../base/secret.ts';
import type { Config } from '../../config/config.ts';
import { openStore } from '../../credentials/open-store.ts';
import { serviceId } from '../../config/endpoints.ts';
import type { CredentialStore, Credentials } from '../../credentials/store.ts';
import type { LoginTarget } from './target.ts';

export interface LoginAttempt extends LoginTarget {
  readonly config: Config;
  readonly http: Http;
  readonly store: CredentialStore;
  /** The ledger of this login, if the platform does not name the athlete. */
  readonly unnamed: string;
}

/**
 * Chooses the store and the ledger, which may ask, and reads the client secret: before the browser opens.
 *
 * @throws SyncError `KEYCHAIN_MISSING`, `KEYCHAIN_LOCKED`, `STORAGE`; `CONFIG` if another login is not to be replaced
 */
export async function prepare(
  context: AppContext,
  config: Config,
  http: Http,
  target: LoginTarget,
  isSameAthlete: boolean,
): Promise<LoginAttempt> {
  const store = await openWorkingStore(context, config, target.baseUrl);
  await askToReplace(context, config, store, target.baseUrl);
  const clientSecret = await clientSecretFor(store, target, context.signal);
  const unnamed = await ledgerOfLogin(context, config, target, isSameAthlete);
  return { ...target, clientSecret, config, http, store, unnamed };
}

/** Opens the configured store, and probes it. If there is no keychain, offers the file to a person. */
async function openWorkingStore(
  context: AppContext,
  config: Config,
  baseUrl: URL,
): Promise<CredentialStore> {
  const { io, signal } = context;
  const open = (kind: CredentialStore['kind']) =>
    openStore(config, { ...context, attended: io.interactive }, kind, baseUrl);
  const store = open(config.get('tokenStore'));
  try {
    await store.probe(signal);
    return store;
  } catch (error) {
    const missing = error instanceof SyncError && error.code === 'KEYCHAIN_MISSING';
    const byFlag = config.originOf('tokenStore') === 'flag';
    if (!missing || byFlag || !io.interactive) throw error;
    context.warn(error.message);
    const file = open('file');
    const question = 'Keep the login in a file that only you can read?';
    if (!(await agrees(context, question))) throw error;
    await file.probe(signal);
    return file;
  }
}

/**
 * Asks before a login replaces this profile's login at another service.
 *
 * @throws SyncError `CONFIG` if that is not to be replaced
 */
async function askToReplace(
  context: AppContext,
  config: Config,
  store: CredentialStore,
  baseUrl: URL,
): Promise<void> {
  const { io, signal } = context;
  const service = serviceId(baseUrl);
  const inFile = store.kind === 'file' ? await loadUndamaged(store, signal) : undefined;
  const saved = [savedLogin(config)?.service, inFile?.service];
  const other = saved.find((one) => one !== undefined && one !== service);
  if (other === undefined) return;
  const question = `Profile "${config.profile}" is logged in at ${other}. Replace that login?`;
  if (io.interactive && (await agrees(context, question))) return;
  throw new SyncError(
    'CONFIG',
    `Profile "${config.profile}" is logged in at ${other}: a login at ${service} would replace that login.`,
    {
      hint: phrase`Keep both: ${sync('login', '--profile', 'NAME')}. To replace it, run ${sync('logout')} first.`,
      details: { service: other },
    },
  );
}

/**
 * Returns the ledger of a login, if the platform does not name the athlete. Asks if the login before it was such a
 * one: nothing else tells two athletes apart.
 *
 * @throws SyncError `CONFIG` after a logout, if there is no terminal
 */
async function ledgerOfLogin(
  context: AppContext,
  config: Config,
  { baseUrl }: LoginTarget,
  isSame: boolean,
): Promise<string> {
  const { unnamedLedger, profile, hadLogin, saved } = config;
  const isOver = config.isUnnamed && (saved.baseUrl ?? serviceId(baseUrl)) === serviceId(baseUrl);
  if (!isOver || isSame) return unnamedLedger;
  const fact = `The platform does not say who logs in to profile "${profile}"`;
  if (context.io.interactive) {
    context.warn(`${fact}. What one athlete sent does not count for another.`);
    const question = 'Is this the same athlete as before?';
    if (await agrees(context, question, { onEnter: true })) return unnamedLedger;
    return `profile:${profile} ${randomUUID().slice(0, 8)}`;
  }
  const other = sync('login', '--profile', 'NAME');
  if (!hadLogin) {
    context.warn(
      phrase`${fact}: it counts as the same athlete as before. For another one, run ${other}.`,
    );
    return unnamedLedger;
  }
  throw new SyncError('CONFIG', `${fact}, after a logout.`, {
    hint: phrase`If this is the same athlete as before, add --same-athlete. For another one, run ${other}.`,
  });
}

/** Returns where this profile is logged in, by the configuration file. */
export function savedLogin({ hasLogin, saved }: Config) {
  const address = saved.baseUrl;
  if (address === undefined || !URL.canParse(address) || !hasLogin) return undefined;
  const baseUrl = new URL(address);
  return { baseUrl, service: serviceId(baseUrl), kind: saved.tokenStore ?? 'keychain' };
}

/** Returns the client secret for a login: the given one, else the one stored for this client. */
async function clientSecretFor(
  store: CredentialStore,
  { baseUrl, clientId, clientSecret }: LoginTarget,
  signal: AbortSignal,
): Promise<Secret | undefined> {
  if (clientSecret !== undefined) return clientSecret;
  const stored = await loadUndamaged(store, signal);
  const same = stored?.service === serviceId(baseUrl) && stored.clientId === clientId;
  return same ? stored.clientSecret : undefined;
}

/**
 * Loads the stored login, which is about to be replaced or deleted. A damaged one counts as none.
 *
 * @throws SyncError `CONFIG` if other users can read the file: it is not replaced silently.
 */
export async function loadUndamaged(
  store: CredentialStore,
  signal: AbortSignal,
): Promise<Credentials | undefined> {
  try {
    return await store.load(signal);
  } catch (error) {
    if (error instanceof SyncError && error.details['damaged'] === true) return undefined;
    throw error;
  }
}
