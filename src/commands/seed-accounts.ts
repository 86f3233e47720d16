import { readFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import type { Env } from '../deps.ts';
import { SyncError, messageOf } from '../errors.ts';
import { Secret } from '../secret.ts';
import { isObject } from '../service/wire.ts';
import { isLoopback } from '../settings.ts';

/** One account to fill: a profile with its stored login, or a name with a token from a variable. */
export interface SeedAccount {
  readonly name: string;
  readonly profile: string | undefined;
  readonly tokens: Config['environmentTokens'] | undefined;
  /** The variables that the tokens come from. */
  readonly variables: { readonly access?: string; readonly refresh?: string };
  /** What this account wants otherwise than the rest. */
  readonly seed: number | undefined;
  readonly days: number | undefined;
}

/**
 * The accounts of a `--accounts` file: a JSON list of profile names, or of objects
 * `{"name", "accessTokenEnv" or "refreshTokenEnv" or "profile", "seed", "days"}`. Tokens stand in the
 * environment, never in the file.
 *
 * @throws SyncError `INPUT_INVALID` that names the entry and the field
 */
export function readSeedAccounts(path: string, env: Env): SeedAccount[] {
  let list: unknown;
  try {
    list = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new SyncError('INPUT_INVALID', `${path}: ${messageOf(cause)}`, { cause, hint: FORM });
  }
  if (!Array.isArray(list) || list.length === 0) {
    throw new SyncError('INPUT_INVALID', `${path}: is not a list of accounts.`, { hint: FORM });
  }
  const accounts = (list as unknown[]).map((entry, index) =>
    readAccount(entry, `${path}#/${index}`, env),
  );
  const names = accounts.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return accounts;
  throw new SyncError('INPUT_INVALID', `${path}: "${twice}" is there twice.`);
}

const FORM =
  'Write ["profile", ...] or [{"name": "ada", "accessTokenEnv": "ADA_TOKEN", "seed": 1}].';

function readAccount(entry: unknown, where: string, env: Env): SeedAccount {
  if (typeof entry === 'string') {
    const own = { tokens: undefined, variables: {}, seed: undefined, days: undefined };
    return { name: entry, profile: entry, ...own };
  }
  const wrong = (problem: string) =>
    new SyncError('INPUT_INVALID', `${where}: ${problem}`, { hint: FORM });
  if (!isObject(entry)) throw wrong('is neither a profile name nor an object.');
  const text = (key: string) => {
    const value = entry[key];
    if (value === undefined || (typeof value === 'string' && value !== '')) return value;
    throw wrong(`${key} is not a text.`);
  };
  const number = (key: string) => {
    const value = entry[key];
    if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= 0)) {
      return value as number | undefined;
    }
    throw wrong(`${key} is not a whole number.`);
  };
  const profile = text('profile');
  const name = text('name') ?? profile;
  if (name === undefined) throw wrong('has no name.');
  const secret = (variable: string | undefined) => {
    if (variable === undefined) return undefined;
    const value = env[variable];
    if (value === undefined || value === '') throw wrong(`the variable ${variable} is not set.`);
    return new Secret(value);
  };
  const variables = variablesOf(text('accessTokenEnv'), text('refreshTokenEnv'));
  const access = secret(variables.access);
  const refresh = secret(variables.refresh);
  if (profile === undefined && access === undefined && refresh === undefined) {
    throw wrong('has no accessTokenEnv, no refreshTokenEnv and no profile.');
  }
  const tokens = access === undefined && refresh === undefined ? undefined : { access, refresh };
  return { name, profile, tokens, variables, seed: number('seed'), days: number('days') };
}

function variablesOf(access: string | undefined, refresh: string | undefined) {
  return {
    ...(access === undefined ? {} : { access }),
    ...(refresh === undefined ? {} : { refresh }),
  };
}

/**
 * What is said about a login names the variables that tokens usually come from; here the account's
 * own stand in their place.
 */
export function inWordsOf(account: SeedAccount, text: string): string {
  const { access = 'SYNC_ACCESS_TOKEN', refresh = 'SYNC_REFRESH_TOKEN' } = account.variables;
  return text.replaceAll('SYNC_ACCESS_TOKEN', access).replaceAll('SYNC_REFRESH_TOKEN', refresh);
}

/**
 * Invented health data must not get into a real life.
 *
 * @throws SyncError `CONFIG` unless the service runs on this machine or the profile is marked
 */
export function refuseRealAccount(config: Config, baseUrl: URL): void {
  if (isLoopback(baseUrl) || config.get('testAccount')) return;
  throw new SyncError(
    'CONFIG',
    `Profile "${config.profile}" may be somebody's real account at ${baseUrl.host}: nothing invented goes there.`,
    {
      hint:
        'If it is a test account, mark it: `sync config set testAccount true`. ' +
        '--dry-run and --out need no mark.',
      details: { profile: config.profile },
    },
  );
}
