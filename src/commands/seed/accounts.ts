import type { Config } from '../../config/config.ts';
import type { Env } from '../../base/env.ts';
import { SyncError, messageOf, systemCode } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { phrase, sync } from '../../base/phrase.ts';
import { Secret } from '../../base/secret.ts';
import { isObject } from '../../api/wire.ts';
import { isLoopback } from '../../config/settings.ts';
import { readPlainFile } from '../../system/plain-file.ts';
import { describeFileError } from '../../system/plain-file.ts';

/** One account to fill: a profile with its stored login, or a name with a token from a variable. */
export interface SeedAccount {
  readonly name: string;
  readonly profile: string | undefined;
  /** The variables that the tokens come from; without one, the profile's stored login is used. */
  readonly variables: { readonly access?: string; readonly refresh?: string };
  /** Overrides `--seed` and `--days` for this account. */
  readonly seed: number | undefined;
  readonly days: number | undefined;
}

export const MAX_DAYS = 3660;

/**
 * Reads a `--accounts` file: a JSON list of profile names, or of objects
 * `{"name", "accessTokenEnv" or "refreshTokenEnv" or "profile", "seed", "days"}`. Tokens are in the
 * environment, never in the file.
 *
 * @throws SyncError `INPUT_INVALID` that names the entry and the field
 */
export function readSeedAccounts(path: string): SeedAccount[] {
  let list: unknown;
  try {
    list = parseJson(readPlainFile(path).toString());
  } catch (cause) {
    const why = systemCode(cause) === undefined ? messageOf(cause) : describeFileError(cause);
    throw new SyncError('INPUT_INVALID', `${path}: ${why}`, { cause, hint: FORM });
  }
  if (!Array.isArray(list) || list.length === 0) {
    throw new SyncError('INPUT_INVALID', `${path}: is not a list of accounts.`, { hint: FORM });
  }
  const accounts = (list as unknown[]).map((entry, index) =>
    readAccount(entry, `${path}#/${index}`),
  );
  const names = accounts.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return accounts;
  throw new SyncError('INPUT_INVALID', `${path}: "${twice}" is there twice.`);
}

const FORM =
  'Write ["profile", ...] or [{"name": "ada", "accessTokenEnv": "ADA_TOKEN", "seed": 1}].';

const KEYS = ['name', 'profile', 'accessTokenEnv', 'refreshTokenEnv', 'seed', 'days'];

function readAccount(entry: unknown, where: string): SeedAccount {
  if (typeof entry === 'string') {
    return { name: entry, profile: entry, variables: {}, seed: undefined, days: undefined };
  }
  const wrong = (problem: string) =>
    new SyncError('INPUT_INVALID', `${where}: ${problem}`, { hint: FORM });
  if (!isObject(entry)) throw wrong('is neither a profile name nor an object.');
  // An ignored typing error would seed the wrong athlete.
  const unknown = Object.keys(entry).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) {
    throw wrong(`unknown field "${unknown}"; an account has ${KEYS.join(', ')}.`);
  }
  const text = (key: string) => {
    const value = entry[key];
    if (value === undefined || (typeof value === 'string' && value !== '')) return value;
    throw wrong(`${key} is not a text.`);
  };
  const number = (key: string, least: number, most: number) => {
    const value = entry[key];
    if (value === undefined) return undefined;
    if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) {
      return value as number;
    }
    throw wrong(`${key} is not a whole number from ${least} to ${most}.`);
  };
  const profile = text('profile');
  const name = text('name') ?? profile;
  if (name === undefined) throw wrong('has no name.');
  const variables = variablesOf(text('accessTokenEnv'), text('refreshTokenEnv'));
  if (profile === undefined && !hasTokens(variables)) {
    throw wrong('has no accessTokenEnv, no refreshTokenEnv and no profile.');
  }
  return {
    name,
    profile,
    variables,
    seed: number('seed', 0, Number.MAX_SAFE_INTEGER),
    days: number('days', 1, MAX_DAYS),
  };
}

function hasTokens({ access, refresh }: SeedAccount['variables']): boolean {
  return access !== undefined || refresh !== undefined;
}

/**
 * Returns the tokens in an account's variables; undefined if it names none, and uses a stored login.
 *
 * @throws SyncError `AUTH_REQUIRED` if a variable is not set
 */
export function tokensOf(
  { variables }: SeedAccount,
  env: Env,
): Config['environmentTokens'] | undefined {
  if (!hasTokens(variables)) return undefined;
  const secret = (variable: string | undefined) => {
    if (variable === undefined) return undefined;
    const value = env[variable];
    if (value !== undefined && value !== '') return new Secret(value);
    throw new SyncError('AUTH_REQUIRED', `The variable ${variable} is not set.`, {
      hint: 'Put the token of this account into it.',
      details: { variable },
    });
  };
  return { access: secret(variables.access), refresh: secret(variables.refresh) };
}

function variablesOf(access: string | undefined, refresh: string | undefined) {
  return {
    ...(access === undefined ? {} : { access }),
    ...(refresh === undefined ? {} : { refresh }),
  };
}

/** Replaces the usual names of token variables in a message by the account's. */
export function withVariablesOf(account: SeedAccount, text: string): string {
  const { access = 'SYNC_ACCESS_TOKEN', refresh = 'SYNC_REFRESH_TOKEN' } = account.variables;
  return text.replaceAll('SYNC_ACCESS_TOKEN', access).replaceAll('SYNC_REFRESH_TOKEN', refresh);
}

/**
 * Keeps synthetic health data out of real accounts.
 *
 * @throws SyncError `CONFIG` unless the service runs on this machine or the profile is marked
 */
export function refuseRealAccount(config: Config, baseUrl: URL): void {
  if (isLoopback(baseUrl) || config.get('testAccount')) return;
  throw new SyncError(
    'CONFIG',
    `Profile "${config.profile}" may be a real account at ${baseUrl.host}: no synthetic data is sent there.`,
    {
      hint: phrase`If it is a test account, mark it: ${sync('config', 'set', 'testAccount', 'true')}. --dry-run and --out need no mark.`,
      details: { profile: config.profile },
    },
  );
}
