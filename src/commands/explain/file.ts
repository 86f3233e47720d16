import { lstatSync } from 'node:fs';
import { basename } from 'node:path';
import { athleteOf } from '../../app/ledger-account.ts';
import { fileOf, isTrackName } from '../../inputs/recording-names.ts';
import type { EndpointName } from '../../config/endpoints.ts';
import { type PlatformFacts, onlyAccepts } from '../../config/platforms.ts';
import type { Context } from '../../base/context.ts';
import { attempt } from '../../base/errors.ts';
import type { Activity } from '../../fit/activity.ts';
import { type Text, hinted, joinTexts, phrase, sync } from '../../base/phrase.ts';
import { withIsoTimes } from '../../base/time.ts';
import type { CopyLabel } from '../../ledger/outbox.ts';
import type { LedgerUpload } from '../../ledger/upload-rows.ts';
import { KINDS, type RecordLedger } from '../../ledger/records.ts';
import type { UploadLedger } from '../../ledger/uploads.ts';
import type { WatchMarks } from '../../ledger/watch-marks.ts';
import { lastingPath } from '../../system/mtp-path.ts';
import { sha256 } from '../../system/this-process.ts';
import { ago, plural, sentence } from '../../terminal/words.ts';
import { recordingsIn } from '../../upload/recordings-in.ts';
import type { UploadItem } from '../../upload/report.ts';
import type { Uploader } from '../../upload/uploader.ts';
import { type ActivityView, activityJson, activityText } from '../../app/words/activities.ts';
import { invalidHint } from '../../app/words/invalid-hint.ts';
import { resendText } from '../../app/words/uploads.ts';

export interface ExplainedFile {
  readonly path: string;
  readonly sha256?: string;
  readonly state: keyof typeof STATE_WORDS;
  readonly reason: Text;
  readonly upload?: LedgerUpload;
  /** Of a recording that could be sent. */
  readonly activity?: Activity;
}

type Explanation = Pick<ExplainedFile, 'state' | 'reason'>;

/**
 * `ended`: the ledger is that of the last login; `none`: its account is not known; `copied`: a watcher has a copy;
 * `left-out`: a watcher with `--new-only` found it there.
 */
type Standing = 'good' | 'ended' | 'none' | 'copied' | 'left-out';

interface Tools {
  readonly uploads: UploadLedger;
  readonly records: Pick<RecordLedger, 'datesFrom'>;
  /** Of a dry run. */
  readonly uploader: Uploader;
  readonly marks: Pick<WatchMarks, 'isSeen'>;
  /** What watchers have to send, by the SHA-256 of the recording. */
  readonly copies: ReadonlyMap<string, Pick<CopyLabel, 'account' | 'track'>>;
  /** The ledger's key of the account. */
  readonly account: string;
}

export const NOT_KNOWN = 'Whether anything was sent from here is not known without a login.';

/**
 * Explains the recordings of a file: by the ledger, or by what an upload would do with them.
 *
 * @param path as the user gave it
 */
export async function* explainFile(
  path: string,
  absolute: string,
  { uploads, records, uploader, marks, copies, account }: Tools,
  standing: Standing,
  context: Pick<Context, 'clock' | 'signal'>,
): AsyncGenerator<ExplainedFile, void, undefined> {
  for await (const found of recordingsIn(path, absolute, context)) {
    if ('problem' in found) {
      yield { path: found.path, state: 'not-sent', reason: found.problem };
      continue;
    }
    const hash = sha256(found.contents.bytes);
    const copy = copies.get(hash);
    const { track = copy?.track } = found;
    const upload = uploads.find(hash, track?.digest);
    const about = { path: found.path, sha256: hash };
    if (upload !== undefined) yield { ...about, upload, ...stateOf(upload, uploads.platform) };
    else if (copy !== undefined && copy.account !== account) {
      const whose = athleteOf(copy.account) ?? 'an earlier login';
      const reason = phrase`A watcher copied it for ${whose}. Log in as before and run ${sync('watch')}: it sends the copy there.`;
      yield { ...about, state: 'waiting', reason };
    } else if (!copy && found.track && !isTrackName(fileOf(basename(found.path)))) {
      yield { path: found.path, state: 'not-sent', reason: MISNAMED };
    } else {
      const item = await uploader.uploadContents({ path: found.path, track }, found.contents);
      const origin = lastingPath(absolute + found.path.slice(path.length));
      const sent = sentText(records, origin);
      const stamp = attempt(() => lstatSync(absolute));
      const isSeen = standing === 'good' && stamp !== undefined && marks.isSeen(absolute, stamp);
      const unsent = isSeen ? 'left-out' : standing;
      const state = wouldBe(item, copy === undefined ? unsent : 'copied', sent);
      const activity = 'activity' in item && item.activity;
      yield item.outcome === 'invalid'
        ? unusable(item, sent)
        : { ...about, ...state, ...(activity ? { activity } : {}) };
    }
  }
}

/** As for each such file of an upload, which goes by the name. */
const MISNAMED =
  'This is a GPX or TCX file. Uploads convert it if its name ends in ".gpx" or ".tcx", packed or not.';

function unusable(
  { path, reason, detail }: Extract<UploadItem, { outcome: 'invalid' }>,
  sent: string | undefined,
): ExplainedFile {
  return { path, state: 'not-sent', reason: hinted(detail, sent ?? invalidHint(path, reason)) };
}

/** Says which days the platform has from a file that holds records; undefined if none. */
function sentText(records: Tools['records'], origin: string): string | undefined {
  const texts = KINDS.flatMap((kind) => {
    const days = records.datesFrom(kind, origin);
    const which = days.length > 1 ? `${days.length} days, the last ${days.at(-1)}` : days[0];
    return which === undefined ? [] : [`Its ${kind} was sent: ${which}.`];
  });
  return texts.length === 0 ? undefined : texts.join(' ');
}

/**
 * Says what an upload would do with a recording that was never sent.
 *
 * @param sent as {@link sentText} returns it
 */
function wouldBe(item: UploadItem, standing: Standing, sent: string | undefined): Explanation {
  const { path } = item;
  if (item.outcome === 'skipped') {
    const { detail = '', wellness = false } = item;
    const isShorter = item.reason === 'shorter';
    const next = sent ?? invalidHint(path, 'not-an-activity', wellness);
    return { state: 'not-sent', reason: hinted(detail, isShorter ? undefined : next) };
  }
  if (item.outcome === 'covered' || item.outcome === 'held') {
    const anyway = resendText(path, '--same-ride', 'sends it all the same');
    const reason = hinted(`The same ride was sent: ${item.by.join(', ')}.`, anyway);
    return { state: item.outcome, reason };
  }
  const next = phrase`Run ${sync('login')}, then ${sync('upload', fileOf(path))}.`;
  switch (standing) {
    case 'none':
      return { state: 'unknown', reason: phrase`${NOT_KNOWN} ${next}` };
    case 'ended':
      return { state: 'new', reason: phrase`The last login did not send it. ${next}` };
    case 'copied':
      return {
        state: 'waiting',
        reason: phrase`A watcher copied it, and ${sync('watch')} sends the copy.`,
      };
    case 'left-out':
    case 'good': {
      const why = standing === 'good' ? '' : phrase`: ${sync('watch', '--new-only')} left it out`;
      const unless = isTrackName(basename(path))
        ? ', unless another recording or workout covers it'
        : '';
      return {
        state: 'new',
        reason: phrase`It was never sent${why}. ${sync('upload', fileOf(path))} sends it${unless}.`,
      };
    }
  }
}

export function fileJson(explained: ExplainedFile): Record<string, unknown> {
  const { path, sha256, state, reason, upload } = explained;
  const line = { type: 'explain', subject: 'file', path, sha256, state, reason };
  if (upload === undefined) return line;
  const { activity, ...row } = upload;
  const times = withIsoTimes(row, 'changedAt');
  return { ...line, upload: { ...times, activity: activityJson(activity) } };
}

const STATE_WORDS = {
  uploaded: 'uploaded',
  refused: 'refused',
  waiting: 'waiting',
  undoing: 'partly undone',
  undone: 'undone',
  held: 'held',
  covered: 'covered',
  new: 'new',
  unknown: 'not known',
  'not-sent': 'not sent',
} as const;

export function fileText(
  { path, sha256, state, reason, upload }: ExplainedFile,
  view: ActivityView,
): Text {
  const when = upload === undefined ? '' : ` (${ago(view.now - upload.changedAt)})`;
  const answer = Object.entries(upload?.service ?? {})
    .map(([key, value]) => `${key} ${String(value)}`)
    .join(', ');
  const lines = [
    phrase`${path}: ${STATE_WORDS[state]}. ${reason}${when}`,
    ...(upload === undefined ? [] : sentLines(upload, view)),
    ...(sha256 === undefined ? [] : [`  SHA-256 ${sha256}`]),
    ...(answer === '' ? [] : [`  The platform answered: ${answer}`]),
  ];
  return joinTexts(lines);
}

function sentLines(upload: LedgerUpload, view: ActivityView): string[] {
  const { activity, attempts, path, state } = upload;
  return [
    ...(activity.startedAt === undefined
      ? []
      : [`  ${activityText(activity, basename(path), view)}`]),
    ...(state === 'held'
      ? []
      : // 0: the run ended before the first answer.
        [`  Sent as ${path}${attempts === 0 ? '' : `, ${plural(attempts, 'request')} in all`}`]),
  ];
}

/** Says what a success of the platform is worth: some name nothing that they took. */
export function takenText(endpoint: EndpointName, facts: PlatformFacts): string {
  return `The platform ${onlyAccepts(endpoint, facts) ? 'accepted' : 'confirmed'} it.`;
}

export function refusedText(message: string | null | undefined): string {
  return sentence(`The platform refused it: ${message ?? ''}`);
}

export function stateOf({ state, message, path }: LedgerUpload, facts: PlatformFacts): Explanation {
  switch (state) {
    case 'confirmed':
      return { state: 'uploaded', reason: takenText('uploadFit', facts) };
    case 'rejected':
      return { state: 'refused', reason: refusedText(message) };
    case 'undoing':
      return {
        state: 'undoing',
        reason: phrase`${sync('undo', 'upload', path)} was interrupted, and finishes it if it runs again.`,
      };
    case 'undone':
      return {
        state: 'undone',
        reason: phrase`Its workout was removed from here. ${resendText(path, '--force', 'sends it again')}`,
      };
    case 'held':
      return {
        state: 'held',
        reason: phrase`Another recording of the same ride was sent. ${resendText(path, '--same-ride', 'sends it too')}`,
      };
    case 'pending':
      return {
        state: 'waiting',
        reason:
          'An upload began, and the platform has not confirmed it yet. The next run sends it again.',
      };
  }
}
