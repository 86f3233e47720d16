import type { Config } from '../config/config.ts';
import { openStore } from '../credentials/open-store.ts';
import { type CredentialStore, serviceId } from '../credentials/store.ts';
import { SyncError } from '../base/errors.ts';
import { type LoginTarget, type QuestionNeeds, confirm } from './login-questions.ts';
import type { LoginNeeds, LoginRun } from './login-run.ts';

/**
 * Asks before a login replaces this profile's login at another service.
 *
 * @returns the store, which forgets that other login once the new one is saved.
 * @throws SyncError `CONFIG` if the answer is no, or nobody can be asked.
 */
export async function askToReplace(
  store: LoginRun['store'],
  target: LoginTarget,
  { config, deps }: LoginNeeds,
  questions: QuestionNeeds,
): Promise<LoginRun['store']> {
  const wanted = serviceId(target.baseUrl);
  const saved = savedLogin(config);
  const inFile = store.kind === 'file' ? await serviceIn(store, deps.signal) : undefined;
  const other = [saved?.service, inFile].find((one) => one !== undefined && one !== wanted);
  if (other === undefined) return store;
  const question = `Profile "${config.profile}" is logged in at ${other}. Replace that login? [y/N] `;
  if (!deps.io.interactive || !(await confirm(question, questions))) {
    throw new SyncError(
      'CONFIG',
      `Profile "${config.profile}" is logged in at ${other}: a login at ${wanted} would replace that one.`,
      {
        hint: 'Keep both: `sync login --profile NAME`. To replace it, run `sync logout` first.',
        details: { service: other },
      },
    );
  }
  if (saved?.service !== other || saved.kind !== 'keychain') return store;
  const attended = deps.io.interactive;
  const before = openStore(config, { ...deps, attended }, 'keychain', saved.baseUrl);
  return {
    ...store,
    load: async (signal) => (await store.load(signal)) ?? (await before.load(signal)),
    async save(credentials, signal) {
      await store.save(credentials, signal);
      await before.delete(signal);
    },
  };
}

/** Where the configuration says that this profile is logged in. */
function savedLogin({ account, loginId, saved }: Config) {
  const address = saved.baseUrl;
  if (address === undefined || !URL.canParse(address) || (account ?? loginId) === undefined)
    return undefined;
  const baseUrl = new URL(address);
  return { baseUrl, service: serviceId(baseUrl), kind: saved.tokenStore ?? 'keychain' };
}

async function serviceIn(store: CredentialStore, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await store.load(signal))?.service;
  } catch (error) {
    // A damaged login is no use to anybody.
    if (error instanceof SyncError && error.details['damaged'] === true) return undefined;
    throw error;
  }
}
