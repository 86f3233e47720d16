import type { AppContext } from '../../app/context.ts';
import { type Config, hasEnvironmentTokens } from '../../config/config.ts';
import { registeredOn } from '../../credentials/clients.ts';
import { openStore } from '../../credentials/open-store.ts';
import { readLogin } from '../../app/login-state.ts';
import { type CheckResult, bad, failed, good, odd } from './finding.ts';

/** Checks that a login can be kept. Before the first login, `sync login` offers a file instead. */
export async function checkKeychain(context: AppContext, config: Config): Promise<CheckResult> {
  if (hasEnvironmentTokens(config)) return good('Tokens come from the environment.');
  const store = openStore(config, { ...context, attended: context.io.interactive });
  try {
    await store.probe(context.signal);
    return good(`Logins can be kept in ${store.describe()}.`);
  } catch (error) {
    return failed(error, store.kind === 'keychain' && !config.hasLogin ? odd : bad);
  }
}

/** Checks the login, also with the service if that is reachable. */
export async function checkLogin(
  context: AppContext,
  config: Config,
  reachable: boolean,
): Promise<CheckResult> {
  const { login, checked } = await readLogin(context, config, reachable);
  if (checked === undefined) {
    if (login.state === 'logged-in' || login.code === 'FATE_UNKNOWN') {
      return odd('There is a login; it cannot be checked now.');
    }
    const { state, code, message, hint } = login;
    // A machine before its first login is not broken.
    return (state === 'logged-out' && code === 'AUTH_REQUIRED' ? odd : bad)(message, hint);
  }
  if (checked.outcome !== 'accepted') {
    return (checked.code.startsWith('AUTH_') ? bad : odd)(checked.message, checked.hint);
  }
  const { account } = checked;
  const date = registeredOn(config);
  const client = date === undefined ? '' : ` The client was registered by sync on ${date}.`;
  return good(
    account === undefined
      ? `The platform accepts the login, and does not name the athlete.${client}`
      : `Logged in as ${account.name ?? account.email ?? account.id}.${client}`,
  );
}
