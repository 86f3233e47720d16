import * as v from 'valibot';
import type { AppContext } from '../../app/context.ts';
import type { Env } from '../../base/env.ts';
import {
  ExitCode,
  SyncError,
  exitCodeOf,
  messageOf,
  systemCode,
  worstExitCode,
} from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { inParallel } from '../../base/parallel.ts';
import { type Text, linesOf, phrase, renderText } from '../../base/phrase.ts';
import { describeFileError, readPlainFile } from '../../system/plain-file.ts';
import { MOST_DAYS } from '../../seed/synthesize.ts';
import { errorReport, errorText } from '../../terminal/output.ts';
import { plural } from '../../terminal/words.ts';

/** Accounts that are worked on at once, each with `--jobs` requests. */
const ACCOUNTS_AT_ONCE = 2;

const Name = v.optional(v.pipe(v.string('is not a text'), v.nonEmpty('is not a text')));

function numberForm(least: number, most: number) {
  const wrong = `is not a whole number from ${least} to ${most}`;
  const inRange = v.pipe(v.number(wrong), v.minValue(least, wrong), v.maxValue(most, wrong));
  return v.optional(v.pipe(inRange, v.integer(wrong)));
}

const FIELDS = {
  /** Default: the profile. */
  name: Name,
  /** The profile whose stored login is used, if no variable with a token is named. */
  profile: Name,
  accessTokenEnv: Name,
  refreshTokenEnv: Name,
  /** Overrides `--seed` and `--days` for this account. */
  seed: numberForm(0, Number.MAX_SAFE_INTEGER),
  days: numberForm(1, MOST_DAYS),
};

const AccountForm = v.pipe(
  // An ignored typing error would seed the wrong athlete.
  v.strictObject(FIELDS, ({ expected, received }) =>
    expected === 'never'
      ? `unknown field ${received}; an account has ${Object.keys(FIELDS).join(', ')}`
      : 'is neither a profile name nor an object',
  ),
  v.transform(({ name, ...account }) => ({ ...account, name: name ?? account.profile ?? '' })),
  v.check(({ name }) => name !== '', 'has no name'),
  v.check(
    (account) =>
      (account.accessTokenEnv ?? account.refreshTokenEnv ?? account.profile) !== undefined,
    'has no accessTokenEnv, no refreshTokenEnv and no profile',
  ),
);
const AccountsForm = v.pipe(
  v.array(AccountForm, 'is not a list of accounts'),
  v.nonEmpty('is not a list of accounts'),
);

type SeedAccount = v.InferOutput<typeof AccountForm>;

/**
 * Reads a `--accounts` file: a JSON list of profile names, or of objects. Tokens are in the environment, never
 * in the file.
 *
 * @throws SyncError `INPUT_INVALID` that names the entry and the field
 */
function readAccounts(file: string): readonly SeedAccount[] {
  const wrong = (where: string, why: string, cause?: unknown) =>
    new SyncError('INPUT_INVALID', `${where}: ${why}`, {
      cause,
      hint: 'Write ["profile", ...] or [{"name": "ada", "accessTokenEnv": "ADA_TOKEN", "seed": 1}].',
    });
  let list: unknown;
  try {
    list = parseJson(readPlainFile(file).toString());
  } catch (cause) {
    throw wrong(file, systemCode(cause) ? describeFileError(cause) : messageOf(cause), cause);
  }
  const named = Array.isArray(list)
    ? list.map((each: unknown) => (typeof each === 'string' ? { name: each, profile: each } : each))
    : list;
  const { success, output, issues } = v.safeParse(AccountsForm, named);
  if (!success) {
    const [{ message, path = [], expected }] = issues;
    const [entry, field] = path.map(({ key }) => String(key));
    const where = entry === undefined ? file : `${file}#/${entry}`;
    const what = field === undefined || expected === 'never' ? message : `${field} ${message}`;
    throw wrong(where, `${what}.`);
  }
  const names = output.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw wrong(file, `"${twice}" is there twice.`);
  return output;
}

/**
 * Runs a task for each account of an `--accounts` file. One account's error does not stop the others.
 *
 * @param task gets a context with the account's tokens and profile, which prints its name before every message
 */
export async function forEachAccount(
  context: AppContext,
  file: string,
  task: (context: AppContext, account: SeedAccount) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { output, flags } = context;
  const codes: ExitCode[] = [];
  await inParallel(readAccounts(file), ACCOUNTS_AT_ONCE, async (account) => {
    const textOf = textIn(account, flags.profile);
    try {
      codes.push(await task(contextOf(account, context, textOf), account));
    } catch (error) {
      if (!(error instanceof SyncError) || error.code === 'INTERRUPTED') throw error;
      codes.push(exitCodeOf(error.code));
      const { message, hint } = error;
      const own = error.with({
        message: String(textOf(message)),
        hint: hint === undefined ? hint : textOf(hint),
      });
      output.error(
        { ...errorReport(own), account: account.name },
        phrase`${account.name}: ${errorText(own, flags)}`,
      );
    }
  });
  const complete = codes.filter((code) => code === ExitCode.ok).length;
  output.result(
    { type: 'summary', accounts: codes.length, complete, incomplete: codes.length - complete },
    `${complete} of ${plural(codes.length, 'account')} complete.`,
  );
  return worstExitCode(codes);
}

/** Returns how to write a text with the account's profile, and the names of its variables. */
function textIn(account: SeedAccount, profile: string | undefined) {
  const { accessTokenEnv = 'SYNC_ACCESS_TOKEN', refreshTokenEnv = 'SYNC_REFRESH_TOKEN' } = account;
  return (text: Text): Text =>
    linesOf(
      renderText(text, account.profile ?? profile)
        .replaceAll('SYNC_ACCESS_TOKEN', accessTokenEnv)
        .replaceAll('SYNC_REFRESH_TOKEN', refreshTokenEnv),
    );
}

/** @throws SyncError `AUTH_REQUIRED` if a variable is not set */
function contextOf(
  account: SeedAccount,
  context: AppContext,
  textOf: (text: Text) => Text,
): AppContext {
  const { name, profile = context.flags.profile, accessTokenEnv, refreshTokenEnv } = account;
  const { output } = context;
  const env = {
    ...context.env,
    SYNC_ACCESS_TOKEN: tokenIn(context.env, accessTokenEnv),
    SYNC_REFRESH_TOKEN: tokenIn(context.env, refreshTokenEnv),
  };
  const line = (text: Text) => phrase`${name}: ${textOf(text)}`;
  const warn = (text: Text) => output.warn(line(text));
  return {
    ...context,
    env,
    flags: { ...context.flags, profile },
    warn,
    output: {
      ...output,
      warn,
      say: (text) => output.say(line(text)),
      text: (text) => output.text(text && line(text)),
      result: (object, text) =>
        output.result({ type: object['type'], account: name, ...object }, text && line(text)),
    },
  };
}

function tokenIn(env: Env, variable: string | undefined): string | undefined {
  if (variable === undefined) return undefined;
  const token = env[variable];
  if (token !== undefined && token !== '') return token;
  throw new SyncError('AUTH_REQUIRED', `The variable ${variable} is not set.`, {
    hint: 'Put the token of this account into it.',
    details: { variable },
  });
}
