import type { AppContext } from '../../app/context.ts';
import { quietConfigFor } from '../../app/config.ts';
import { ExitCode, SyncError, exitCodeOf, worstExitCode } from '../../base/errors.ts';
import { inParallel } from '../../base/parallel.ts';
import { linesOf, type Text, phrase, renderText } from '../../base/phrase.ts';
import type { Config, SettingOverrides } from '../../config/config.ts';
import { errorReport, errorText } from '../../terminal/output.ts';
import { plural } from '../../terminal/words.ts';
import { type SeedAccount, readSeedAccounts, tokensOf, withVariablesOf } from './accounts.ts';

/** Accounts that are worked on at once, each with `--jobs` requests. */
const ACCOUNTS_AT_ONCE = 2;

/** An account of an `--accounts` file, with what its task needs. */
export interface OwnAccount {
  /** Its profile, and its name before every message. */
  readonly context: AppContext;
  readonly config: Config;
  readonly account: SeedAccount;
}

/** Runs a task for each account of an `--accounts` file. One account's error does not stop the others. */
export async function forEachAccount(
  context: AppContext,
  file: string,
  overrides: SettingOverrides,
  task: (own: OwnAccount) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { output } = context;
  const codes: ExitCode[] = [];
  await inParallel(readSeedAccounts(file), ACCOUNTS_AT_ONCE, async (account) => {
    try {
      const own = contextOf(account, context);
      codes.push(await task({ context: own, config: configOf(account, own, overrides), account }));
    } catch (error) {
      if (!(error instanceof SyncError) || error.code === 'INTERRUPTED') throw error;
      codes.push(exitCodeOf(error.code));
      const own = errorOf(account, error, context.flags);
      const { verbose } = context.flags;
      output.error(
        { ...errorReport(own), account: account.name },
        phrase`${account.name}: ${errorText(own, { verbose })}`,
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

function contextOf(account: SeedAccount, context: AppContext): AppContext {
  const { name, profile } = account;
  const { flags, output } = context;
  const own = profile === undefined ? flags : { ...flags, profile };
  const render = (text: Text) => `${name}: ${renderText(text, own.profile)}`;
  const warn = (text: Text) => output.warn(linesOf(withVariablesOf(account, render(text))));
  return {
    ...context,
    flags: own,
    output: {
      ...output,
      warn,
      say: (text) => output.say(linesOf(render(text))),
      result: (object, text) =>
        output.result(
          { type: object['type'], account: name, ...object },
          text === undefined ? undefined : linesOf(render(text)),
        ),
      progress() {
        const progress = output.progress();
        return {
          stop: () => progress.stop(),
          update: (state) =>
            progress.update({ ...state, current: `${name}: ${state.current ?? ''}` }),
        };
      },
    },
    warn,
  };
}

/** Returns an account's configuration: with its own tokens, or else with its stored login. */
function configOf(account: SeedAccount, context: AppContext, overrides: SettingOverrides): Config {
  const tokens = tokensOf(account, context.env);
  const config = quietConfigFor(context, overrides);
  return {
    ...config,
    environmentTokens: tokens ?? { access: undefined, refresh: undefined },
    ...(tokens === undefined ? {} : { account: undefined }),
  };
}

/** Returns an error with the account's variables and profile in its words. */
function errorOf(account: SeedAccount, error: SyncError, flags: AppContext['flags']): SyncError {
  const { code, message, hint, cause, details } = error;
  return new SyncError(code, withVariablesOf(account, message), {
    ...(hint === undefined
      ? {}
      : {
          hint: linesOf(
            withVariablesOf(account, renderText(hint, account.profile ?? flags.profile)),
          ),
        }),
    cause,
    details,
  });
}
