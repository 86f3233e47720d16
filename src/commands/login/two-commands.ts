import type { Http } from '../../api/http.ts';
import { deliveryOf } from '../../api/http-failure.ts';
import { configFor } from '../../app/config.ts';
import type { AppContext } from '../../app/context.ts';
import { checkAuthorizePage } from '../../auth/authorize-check.ts';
import { authorizationUrl } from '../../auth/authorize.ts';
import { checkPastedAddress } from '../../auth/callback.ts';
import { type PendingLogin, keepPending, pendingLogin } from '../../auth/pending-login.ts';
import { createAuthorizationSecrets } from '../../auth/pkce.ts';
import { SyncError, isTemporary } from '../../base/errors.ts';
import { type Text, joinTexts, phrase, sync } from '../../base/phrase.ts';
import { type Config, isSecretOf, type SettingOverrides } from '../../config/config.ts';
import { endpointUrl, serviceId } from '../../config/endpoints.ts';
import { registrationOf } from '../../credentials/clients.ts';
import { storedProfiles } from '../../credentials/file.ts';
import { exchange } from './browser.ts';
import { forgetClient, noSecretKept } from './client.ts';
import { type LoginReport, keep } from './keep.ts';
import { prepare } from './store.ts';
import { type LoginTarget, isUnknownClient, readStdin } from './target.ts';

const FINISH = sync('login', '--finish');
const START = sync('login', '--start');

export type StartedLogin = Awaited<ReturnType<typeof startLogin>>;

/**
 * Begins a login that another command finishes: for machines without a browser. Nothing listens for the callback, so the
 * user copies the address that the browser ends at.
 *
 * @throws SyncError as a login does
 */
export async function startLogin(
  context: AppContext,
  config: Config,
  http: Http,
  target: LoginTarget,
  isSameAthlete: boolean,
  overrides: SettingOverrides,
) {
  const { baseUrl, clientId, clientSecret, scopes, redirectUri } = target;
  const { paths, profile } = config;
  if (new URL(redirectUri).port === '0') {
    throw new SyncError('USAGE', '--start needs one port, and port 0 is any free one.', {
      hint: phrase`Run ${sync('login', '--start', '--port', 'PORT')}.`,
    });
  }
  if (clientSecret !== undefined && clientSecret !== config.clientSecret) {
    throw noSecretKept(target.registered?.secret !== undefined);
  }
  const endpoint = endpointUrl(baseUrl, config.endpoints.authorize);
  const request = { endpoint, clientId, scopes };
  const doubt = await checkAuthorizePage(context, http, { ...request, redirectUri });
  if (doubt !== undefined) context.warn(doubt);
  const { store, unnamed } = await prepare(context, config, http, target, isSameAthlete);
  const { state, verifier, challenge } = createAuthorizationSecrets();
  const authorizeUrl = authorizationUrl(request, { redirectUri, state, challenge });
  const secrets = { state, verifier };
  const service = serviceId(baseUrl);
  const facts = { service, clientId, redirectUri, scopes, unnamed, overrides };
  const kept = { ...facts, store: store.kind };
  const expiresAt = keepPending(paths.stateDir, profile, kept, secrets, context.clock.now());
  const next = FINISH.render(profile).replaceAll('`', '');
  return { profile, service, clientId, authorizeUrl, expiresAt, next };
}

export function startedText({ authorizeUrl }: StartedLogin): Text {
  return joinTexts([
    'Open this page in a browser, and approve the login there:',
    '',
    `  ${authorizeUrl}`,
    '',
    phrase`The last page does not load. Copy its address, and run ${FINISH} within 30 minutes: it asks for that address.`,
  ]);
}

/**
 * Finishes a login with the address that the browser ended at: from the terminal, or from stdin. It is never an argument,
 * which every user of this machine could read (RFC 9700 section 4.3: the address holds the code and the state).
 *
 * @throws SyncError `AUTH_REQUIRED` without a login to finish; `AUTH_TIMEOUT` if it is too late; `CONFIG` if the environment
 *   names another platform or client now; `AUTH_REFUSED` for an answer that is not this login's, or a refusal
 */
export async function finishLogin(context: AppContext, http: Http): Promise<LoginReport> {
  const plain = configFor(context);
  const { paths, profile } = plain;
  const pending = pendingLogin(paths.stateDir, profile);
  if (pending === undefined) throw nothingToFinish(paths.stateDir, profile);
  if (pending.expiresAt <= context.clock.now()) {
    pending.claim();
    throw new SyncError('AUTH_TIMEOUT', 'The login was started more than 30 minutes ago.', {
      hint: phrase`Run ${START} again.`,
    });
  }
  refuseOtherTarget(plain, pending);
  const { clientId, redirectUri, scopes, state } = pending;
  const baseUrl = new URL(pending.service);
  const config = configFor(context, { ...pending.overrides, tokenStore: pending.store });
  const pasted = context.io.interactive
    ? await context.io.ask('Address of the last page: ', { signal: context.signal })
    : await readStdin(context);
  const expected = { state, origin: endpointUrl(baseUrl, config.endpoints.authorize).origin };
  const callback = checkPastedAddress(pasted, redirectUri, expected);
  if (callback.kind === 'refused') {
    throw new SyncError('AUTH_REFUSED', callback.message, {
      hint: phrase`Run ${FINISH} again with the address that the browser ended at, or ${START} for a new login.`,
    });
  }
  const known = registrationOf(config, pending.service, clientId);
  const registered = known && { ...known, isNew: false };
  const hasSecret = registered?.isPublic !== true && isSecretOf(config, baseUrl, clientId);
  const target: LoginTarget = {
    ...{ baseUrl, clientId, scopes, redirectUri, registered },
    clientSecret: hasSecret ? config.clientSecret : undefined,
  };
  const prepared = await prepare(context, config, http, target, true);
  const attempt = { ...prepared, unnamed: pending.unnamed };
  // From here on, no other command can use the address.
  const claimed = pending.claim();
  if (claimed === undefined) throw nothingToFinish(paths.stateDir, profile);
  try {
    const { verifier } = claimed;
    const tokens = await exchange(context, attempt, callback, { redirectUri, verifier });
    return await keep(context, attempt, tokens, 'code');
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    if (deliveryOf(error) === 'not-sent' && claimed.giveBack()) {
      throw error.with({
        hint: phrase`The login still waits: run ${FINISH} again with the same address.`,
      });
    }
    if (isUnknownClient(error, registered)) {
      await forgetClient(config, baseUrl);
      throw error.with({
        hint: phrase`The platform no longer knows the client that sync registered. Run ${START} again: it can register another one.`,
      });
    }
    const isRefused = ['access_denied', 'invalid_grant'].includes(String(error.details['error']));
    if (!isTemporary(error.code) && !isRefused) throw error;
    throw error.with({ hint: phrase`This login is over. Run ${START} for a new one.` });
  }
}

function nothingToFinish(stateDir: string, profile: string): SyncError {
  const [other] = storedProfiles(stateDir, 'pending').filter((name) => name !== profile);
  return new SyncError(
    'AUTH_REQUIRED',
    `No login of profile "${profile}" waits to be finished: none was started, or an earlier --finish ended it.`,
    {
      hint:
        other === undefined
          ? phrase`Run ${START}.`
          : phrase`Run ${START}, or finish that of another profile: ${sync('login', '--finish', '--profile', other)}.`,
    },
  );
}

/** The login was started for one platform and client. */
function refuseOtherTarget(config: Config, { service, clientId }: PendingLogin): void {
  const named = (key: 'baseUrl' | 'clientId') =>
    config.originOf(key) === 'environment' ? config.get(key) : undefined;
  const [address, client] = [named('baseUrl'), named('clientId')];
  const isOther =
    (address instanceof URL && serviceId(address) !== service) ||
    (client !== undefined && client !== clientId);
  if (!isOther) return;
  throw new SyncError(
    'CONFIG',
    `The login was started at ${service} for the client "${clientId}"; the environment names another platform or client now.`,
    { hint: phrase`Unset SYNC_BASE_URL and SYNC_CLIENT_ID, or run ${START} again.` },
  );
}
