import { basename } from 'node:path';
import type { Context } from '../../base/context.ts';
import { type Text, hinted, joinTexts, phrase, sync } from '../../base/phrase.ts';
import { withIsoTimes } from '../../base/time.ts';
import { describeActivity } from '../../fit/activity.ts';
import { readShape } from '../../fit/shape.ts';
import type { LedgerUpload } from '../../ledger/upload-rows.ts';
import { type UploadLedger, isShorter } from '../../ledger/uploads.ts';
import { duration, plural } from '../../terminal/words.ts';
import { identify } from '../../upload/identify.ts';
import { readFile } from '../../upload/read-recording.ts';
import { type FoundRecording, recordingsOf } from '../../upload/recordings-of.ts';
import { coverOf } from '../../upload/rides.ts';
import { shorterText, workoutFacts } from '../../upload/same-workout.ts';
import { type ActivityView, activityJson, activityText } from '../../app/words/activities.ts';
import { invalidHint } from '../../app/words/invalid-hint.ts';

export interface ExplainedFile {
  readonly path: string;
  readonly sha256?: string;
  readonly state: keyof typeof STATE_WORDS;
  readonly reason: Text;
  readonly upload?: LedgerUpload;
}

export const NOT_KNOWN = 'Whether anything was sent from here is not known without a login.';

/**
 * @param path as the user gave it
 * @param login `ended`: the ledger is that of the last one; `none`: its account is not known
 */
export async function* explainFile(
  path: string,
  absolute: string,
  uploads: UploadLedger,
  login: 'good' | 'ended' | 'none',
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
): AsyncGenerator<ExplainedFile, void, undefined> {
  const contents = readFile(absolute);
  if ('problem' in contents) {
    yield { path, state: 'not-sent', reason: contents.problem };
    return;
  }
  for await (const found of recordingsOf(path, contents, { now: clock.now(), signal })) {
    yield 'problem' in found
      ? { path: found.path, state: 'not-sent', reason: found.problem }
      : explained(found, uploads, login);
  }
}

function explained(
  { path, contents, track }: FoundRecording,
  uploads: UploadLedger,
  login: 'good' | 'ended' | 'none',
): ExplainedFile {
  const identity = identify(contents.bytes);
  if (!('sha256' in identity)) {
    const reason = hinted(identity.detail, invalidHint(path, identity.verdict));
    return { path, state: 'not-sent', reason };
  }
  const { sha256 } = identity;
  const upload = (track && uploads.findConverted(track.digest)) ?? uploads.find(sha256);
  if (upload !== undefined) return { path, sha256, upload, ...stateOf(upload) };
  if (identity.verdict === 'not-an-activity') {
    const { verdict, detail, wellness } = identity;
    const reason = hinted(detail, invalidHint(path, verdict, wellness));
    return { path, sha256, state: 'not-sent', reason };
  }
  const taken = uploads
    .rides(readShape(contents.bytes, identity.summary))
    .filter(({ state }) => state === 'confirmed');
  const by = track && coverOf(readShape(contents.bytes, identity.summary), taken);
  if (by !== undefined) {
    const anyway = phrase`${sync('upload', '--same-ride', path)} sends it all the same.`;
    const reason = hinted(`The same ride was sent: ${by.join(', ')}.`, anyway);
    return { path, sha256, state: 'covered', reason };
  }
  const activity = describeActivity(contents.bytes, identity.summary);
  const workout = workoutFacts(contents.bytes, identity);
  const sent = uploads.namesake({ sha256, activity, workout });
  if (sent !== undefined && isShorter(workout, sent)) {
    const anyway = phrase`${sync('upload', '--force', path)} replaces its workout.`;
    return { path, sha256, state: 'not-sent', reason: hinted(shorterText(sent), anyway) };
  }
  const next = phrase`Run ${sync('login')}, then ${sync('upload', path)}.`;
  if (login === 'none')
    return { path, sha256, state: 'unknown', reason: phrase`${NOT_KNOWN} ${next}` };
  const reason =
    login === 'good'
      ? phrase`It was never sent. ${sync('upload', path)} sends it.`
      : phrase`The last login did not send it. ${next}`;
  return { path, sha256, state: 'new', reason };
}

export function fileJson({ upload, ...file }: ExplainedFile): Record<string, unknown> {
  const line = { type: 'explain', subject: 'file', ...file };
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
  const when = upload === undefined ? '' : ` (${duration(view.now - upload.changedAt)} ago)`;
  const answer = Object.entries(upload?.service ?? {})
    .map(([key, value]) => `${key} ${String(value)}`)
    .join(', ');
  const lines = [
    phrase`${path}: ${STATE_WORDS[state]}. ${reason}${when}`,
    ...(upload === undefined ? [] : sentLines(upload, view)),
    ...(sha256 === undefined ? [] : [`  SHA-256 ${sha256}`]),
    ...(answer === '' ? [] : [`  The platform answered: ${answer}`]),
  ];
  return joinTexts(lines, '\n');
}

function sentLines(upload: LedgerUpload, view: ActivityView): string[] {
  const { activity, path, attempts } = upload;
  return [
    ...(activity.startedAt === undefined
      ? []
      : [`  ${activityText(activity, basename(path), view)}`]),
    `  Sent as ${path}, ${plural(attempts, 'request')} in all`,
  ];
}

export function stateOf({
  state,
  message,
  path,
}: LedgerUpload): Pick<ExplainedFile, 'state' | 'reason'> {
  switch (state) {
    case 'confirmed':
      return { state: 'uploaded', reason: 'The platform confirmed it.' };
    case 'rejected':
      return { state: 'refused', reason: `The platform refused it: ${message ?? ''}` };
    case 'undoing':
      return {
        state: 'undoing',
        reason: phrase`${sync('undo', 'upload', path)} was interrupted, and finishes it if it runs again.`,
      };
    case 'undone':
      return {
        state: 'undone',
        reason: phrase`Its workout was removed from here. ${sync('upload', '--force', path)} sends it again.`,
      };
    case 'held':
      return {
        state: 'held',
        reason: phrase`Another recording of the same ride was sent. ${sync('upload', '--same-ride', path)} sends it too.`,
      };
    case 'pending':
      return {
        state: 'waiting',
        reason:
          'An upload began, and the platform has not confirmed it yet. The next run sends it again.',
      };
  }
}
