import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type CommandModule, recordingOptions, zoneFlag } from '../../app/command.ts';
import { configFor } from '../../app/config.ts';
import type { AppContext } from '../../app/context.ts';
import { DATE_FORMS } from '../../app/flags/date.ts';
import { findSubject } from '../../app/flags/subject.ts';
import { targetsOf, withLedger } from '../../app/ledger.ts';
import { knownAccount } from '../../app/ledger-account.ts';
import { readLogin } from '../../app/login-state.ts';
import { readWatchers, silentFolders } from '../../app/watchers.ts';
import { REPLUG, silentText } from '../../app/words/watchers.ts';
import { zoneShown } from '../../app/zone.ts';
import { missingScopeHint } from '../../auth/login-errors.ts';
import { ExitCode } from '../../base/errors.ts';
import { type Text, phrase } from '../../base/phrase.ts';
import { type Config, hasEnvironmentTokens, isLoggedIn } from '../../config/config.ts';
import { type CopyLabel, LABEL, copiesIn, namesIn } from '../../ledger/outbox.ts';
import { scopeOf } from '../../config/endpoints.ts';
import { KINDS, type RecordKind } from '../../ledger/records.ts';
import { watchMarks } from '../../ledger/watch-marks.ts';
import { isBelow } from '../../system/mounts.ts';
import { Uploader } from '../../upload/uploader.ts';
import { dayJson, dayText, explainDay } from './day.ts';
import { type ExplainedFile, NOT_KNOWN, explainFile, fileJson, fileText } from './file.ts';

export const explain: CommandModule = {
  declare: (command) =>
    command.argument('<file|date>', `a recording, or a day: ${DATE_FORMS}`).addOption(zoneFlag()),
  examples: ['sync explain ride.fit', 'sync explain yesterday', 'sync explain 2026-02-15'],

  async run(context, given: string, { tz }: { readonly tz?: string }) {
    const { clock, cwd, output } = context;
    const config = configFor(context, { timezone: tz });
    const silent = silentFolders(readWatchers(config, clock.now()));
    const zone = await zoneShown(config, context);
    const view = { zone, now: clock.now(), aligned: false };
    const absolute = resolve(cwd, given);
    const hangs = silent.find((folder) => isBelow(absolute, folder));
    // Looking at the file would hang.
    if (hangs !== undefined) {
      const reason = phrase`${silentText(hangs)} ${REPLUG}`;
      const file: ExplainedFile = { path: given, state: 'unknown', reason };
      output.result(fileJson(file), fileText(file, view));
      return ExitCode.ok;
    }
    const { key: account } = await knownAccount(config);
    const copies = copiesFor(account, config);
    const isGone = !existsSync(absolute);
    const copy = [...copies.values()].find(({ path }) => isGone && path === absolute)?.file;
    const subject = copy === undefined ? findSubject(given, zone, context) : { file: copy };
    const isLogged = isLoggedIn(config);
    const isKnown = isLogged || config.hadLogin;
    return await withLedger(context, config, { offline: !isLogged }, async (connection, ledger) => {
      const standing = isLogged ? 'good' : isKnown ? 'ended' : 'none';
      const options = recordingOptions(config, { dryRun: true });
      const { uploads, records } = ledger;
      const marks = watchMarks(ledger.database, account, () => clock.now());
      const uploader = new Uploader(context, options, targetsOf(connection, ledger).upload);
      const tools = { uploads, records, uploader, marks, copies, account };
      const explained = (path: string, file: string) =>
        explainFile(path, file, tools, standing, context);
      if ('file' in subject) {
        for await (const file of explained(given, subject.file)) {
          output.result(fileJson(file), fileText(file, view));
        }
      } else {
        const obstacles = await obstaclesFor(context, config);
        const unseen = isKnown ? 'Nothing was sent from here.' : NOT_KNOWN;
        const copied: ExplainedFile[] = [];
        for (const { path, file, account: whose } of copies.values()) {
          if (whose !== account) continue;
          for await (const each of explained(path, file)) copied.push(each);
        }
        const about = { obstacles, unseen, silent, copied };
        const day = explainDay(subject.date, zone, ledger, about);
        output.result(dayJson(day), dayText(day, view));
      }
      return ExitCode.ok;
    });
  },
};

/**
 * Returns the copies that wait for a watcher, by the SHA-256 of the recording; of several, that for this account.
 * `file`: the copy itself.
 */
function copiesFor(account: string, config: Config) {
  const copies = new Map<string, CopyLabel & { readonly file: string }>();
  for (const { sha256, folder, label } of copiesIn(config.paths.stateDir)) {
    const name = namesIn(folder).find((each) => each !== LABEL && !each.startsWith('.'));
    if (label === undefined || name === undefined) continue;
    if (label.account === account || !copies.has(sha256)) {
      copies.set(sha256, { ...label, file: join(folder, name) });
    }
  }
  return copies;
}

/** Returns why the login cannot send a kind of record, by kind. Empty if that is unknown. */
async function obstaclesFor(
  context: AppContext,
  config: Config,
): Promise<ReadonlyMap<RecordKind, Text>> {
  if (hasEnvironmentTokens(config)) return new Map();
  const { login } = await readLogin(context, config, false);
  const missing = login.state === 'logged-in' ? login.missing : [];
  return new Map(
    KINDS.flatMap((kind) => {
      const scope = scopeOf(kind, 'POST');
      if (scope === undefined || !missing.some((one) => one.scope === scope)) return [];
      const hint = missingScopeHint(scope, config);
      const why = phrase`This login cannot send it: it lacks ${scope}. ${hint}`;
      return [[kind, why] as const];
    }),
  );
}
