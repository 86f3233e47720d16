import type { Http } from '../../api/http.ts';
import type { AppContext } from '../../app/context.ts';
import { type Config, hasEnvironmentTokens } from '../../config/config.ts';
import { openStore } from '../../credentials/open-store.ts';
import { askAboutLogin, loginState } from '../status/login.ts';
import { type CheckResult, failed } from './finding.ts';

/** Checks that a login can be kept. Before the first login, `sync login` offers a file instead. */
export async function checkKeychain(context: AppContext, config: Config): Promise<CheckResult> {
  const check = 'keychain';
  if (hasEnvironmentTokens(config)) {
    return { check, state: 'good', message: 'Tokens come from the environment.' };
  }
  const store = openStore(config, { ...context, attended: context.io.interactive });
  try {
    await store.probe(context.signal);
    return { check, state: 'good', message: `Logins can be kept in ${store.describe()}.` };
  } catch (error) {
    const hasLogin = (config.account ?? config.loginId) !== undefined;
    const state = store.kind === 'keychain' && !hasLogin ? 'odd' : 'bad';
    return failed(check, error, { state });
  }
}

/** Checks the login, also with the service if that is reachable. */
export async function checkLogin(
  context: AppContext,
  config: Config,
  http: Http,
  reachable: boolean,
): Promise<CheckResult[]> {
  const check = 'login';
  const stored = await loginState(context, config, http);
  const uncertain = stored.state === 'unknown' && stored.code === 'FATE_UNKNOWN';
  if (stored.state !== 'logged-in' && !uncertain) {
    const { state, code, message, hint } = stored;
    // A machine before its first login is not broken.
    const level = state === 'logged-out' && code === 'AUTH_REQUIRED' ? 'odd' : 'bad';
    return [{ check, state: level, message, ...(hint === undefined ? {} : { hint }) }];
  }
  if (!reachable) {
    return [{ check, state: 'odd', message: 'There is a login; it cannot be checked now.' }];
  }
  const checked = await askAboutLogin(context, config, http);
  if (checked.outcome !== 'accepted') {
    const { message, hint } = checked;
    const state = checked.code.startsWith('AUTH_') ? 'bad' : 'odd';
    return [{ check, state, message, ...(hint === undefined ? {} : { hint }) }];
  }
  const { account } = checked;
  const message =
    account === undefined
      ? 'The platform does not reject the login, and does not name the athlete.'
      : `Logged in as ${account.name ?? account.email ?? account.id}.`;
  return [{ check, state: 'good', message }];
}
