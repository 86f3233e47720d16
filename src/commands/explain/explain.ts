import type { CommandModule } from '../../app/command.ts';
import { configFor } from '../../app/config.ts';
import type { AppContext } from '../../app/context.ts';
import { DATE_FORMS } from '../../app/flags/date.ts';
import { findSubject } from '../../app/flags/subject.ts';
import { withLedger } from '../../app/ledger.ts';
import { zoneShown } from '../../app/zone.ts';
import { ExitCode, SyncError } from '../../base/errors.ts';
import { type Text, phrase } from '../../base/phrase.ts';
import type { Credentials } from '../../credentials/store.ts';
import { openLoginStore } from '../../auth/open-session.ts';
import { type Config, hasEnvironmentTokens, isLoggedIn } from '../../config/config.ts';
import { askedScopes } from '../../config/platforms.ts';
import { missingFeatures, missingScopeHint } from '../../config/scopes.ts';
import { KINDS, type RecordKind } from '../../ledger/records.ts';
import { dayJson, dayText, explainDay } from './day.ts';
import { NOT_KNOWN, explainFile, fileJson, fileText } from './file.ts';

export const explain: CommandModule = {
  declare: (command) => command.argument('<file|date>', `a recording, or a day: ${DATE_FORMS}`),
  examples: ['sync explain ride.fit', 'sync explain yesterday', 'sync explain 2026-02-15'],

  async run(context, given: string) {
    const { clock, output } = context;
    const config = configFor(context);
    const zone = await zoneShown(config, context);
    const subject = await findSubject(given, () => zone, context);
    const isLogged = isLoggedIn(config);
    const isKnown = isLogged || config.hadLogin;
    return await withLedger(
      context,
      config,
      { offline: !isLogged },
      async (_connection, ledger) => {
        const view = { zone, now: clock.now(), aligned: false };
        if ('file' in subject) {
          const login = isLogged ? 'good' : isKnown ? 'ended' : 'none';
          const file = explainFile(given, subject.file, ledger.uploads, login);
          output.result(fileJson(file), fileText(file, view));
        } else {
          const obstacles = await missingScopes(context, config);
          const unseen = isKnown ? 'Nothing was sent from here.' : NOT_KNOWN;
          const day = explainDay(subject.date, zone, ledger, { obstacles, unseen });
          output.result(dayJson(day), dayText(day, view));
        }
        return ExitCode.ok;
      },
    );
  },
};

/** Returns the stored login; undefined if there is none, or it cannot be read. */
async function storedLogin(context: AppContext, config: Config): Promise<Credentials | undefined> {
  const store = openLoginStore(config, { ...context, attended: false });
  return await store.load(context.signal).catch((error: unknown) => {
    context.signal.throwIfAborted();
    if (!(error instanceof SyncError)) throw error;
    return undefined;
  });
}

/** Returns, for each kind of record that the stored login cannot send, why. Empty if that is unknown. */
async function missingScopes(
  context: AppContext,
  config: Config,
): Promise<ReadonlyMap<RecordKind, Text>> {
  const reasons = new Map<RecordKind, Text>();
  if (hasEnvironmentTokens(config)) return reasons;
  const found = await storedLogin(context, config);
  const asked = askedScopes(config);
  for (const { scope, command } of missingFeatures(found?.tokens.scopes)) {
    const kind = KINDS.find((each) => command.endsWith(each));
    if (kind === undefined) continue;
    const hint = missingScopeHint(scope, { asked, fromEnvironment: false });
    reasons.set(kind, phrase`This login cannot send it: it lacks ${scope}. ${hint}`);
  }
  return reasons;
}
