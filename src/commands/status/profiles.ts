import { quietConfigFor } from '../../app/config.ts';
import type { AppContext } from '../../app/context.ts';
import { contextOfEachProfile } from '../../app/profiles.ts';
import {
  type ExitCode,
  SyncError,
  exitCodeOf,
  worstExitCode,
  failureOf,
} from '../../base/errors.ts';
import { type Text, joinTexts, withHint } from '../../base/phrase.ts';
import { DEFAULT_PROFILE } from '../../config/config.ts';
import { ANY_DEVICE } from '../../daemon/registry.ts';
import type { RecordState } from '../../ledger/records.ts';
import { plural } from '../../terminal/words.ts';
import { who } from '../login/words.ts';
import { statusJson } from './json.ts';
import { type StatusReport, exitCodeFor, readStatus } from './read.ts';
import { LABEL } from './strip.ts';
import { loginWord, ledgerLines, rows } from './words.ts';

/**
 * Shows each profile of this machine: a line of `--json`, or a few lines of text. A profile that cannot
 * be read gets an `error` line, and does not stop the others.
 *
 * @returns the worst exit code
 * @throws SyncError `CONFIG` if the configuration file cannot be read
 */
export async function statusOfAllProfiles(context: AppContext, check: boolean): Promise<ExitCode> {
  const codes: ExitCode[] = [];
  for (const own of contextOfEachProfile(context)) {
    codes.push(await showProfile(own, check));
  }
  return worstExitCode(codes);
}

async function showProfile(context: AppContext, check: boolean): Promise<ExitCode> {
  const { clock, flags, output } = context;
  try {
    const report = await readStatus(context, quietConfigFor(context), check);
    output.result(statusJson(report), shortText(report, clock.now()));
    return exitCodeFor(report);
  } catch (error) {
    if (!(error instanceof SyncError) || error.code === 'INTERRUPTED') throw error;
    const failure = failureOf(error);
    const { profile = DEFAULT_PROFILE } = flags;
    output.result({ type: 'error', ...failure, profile }, block(profile, withHint(failure)));
    return exitCodeOf(error.code);
  }
}

function shortText(report: StatusReport, now: number): Text {
  const { profile, service, account, login, checked, disk, watching, ledger, zone } = report;
  const { uploads, waiting } = ledger;
  const days = (wanted: RecordState) => {
    const count = waiting.records.filter(({ state }) => state === wanted).length;
    return count === 0 ? [] : [plural(count, 'day')];
  };
  const open = [
    ...(uploads.pending > 0 ? [`${uploads.pending} waiting`] : []),
    ...days('pending').map((text) => `${text} waiting`),
    ...(uploads.rejected > 0 ? [`${uploads.rejected} refused`] : []),
    ...days('rejected').map((text) => `${text} refused`),
  ];
  const watched = watching.flatMap(({ folders, devices }) => [
    ...(devices === undefined ? [] : [ANY_DEVICE]),
    ...folders.map(({ path }) => path),
  ]);
  return block(profile, [
    account === undefined ? service : `${who(account)}, ${service}`,
    `Login ${loginWord(login)}`,
    ...(login.state === 'logged-in' ? [] : withHint(login)),
    // `login` says that a login has ended, too.
    ...(checked?.outcome === 'failed' ? withHint(checked) : []),
    ...(disk === undefined ? [] : withHint(disk)),
    ...ledgerLines(ledger, now, open),
    watched.length === 0 ? 'Not watching' : `Watching ${watched.join(', ')}`,
    ...(zone.differs && zone.platform !== undefined
      ? [`Days counted in ${zone.days.name}; the platform has ${zone.platform.name}`]
      : []),
  ]);
}

function block(profile: string, lines: readonly Text[]): Text {
  const isShort = profile.length < LABEL;
  return joinTexts(isShort ? rows(profile, ...lines) : [profile, ...rows('', ...lines)]);
}
