import { SyncError, endsRun, failureOf } from '../base/errors.ts';
import type { Context } from '../base/context.ts';
import type { Shape } from '../fit/recorded.ts';
import { readSummary } from '../fit/summary.ts';
import type { KnownFile } from '../ledger/known-files.ts';
import type { UploadLedger } from '../ledger/uploads.ts';
import { type BatchSender, type RunTarget, unreadableItem } from './batch-sender.ts';
import { identify } from './identify.ts';
import { type SendOptions, isDone, noTrack, settledOutcome } from './known-outcome.ts';
import { LARGE_BYTES } from './read-recording.ts';
import { type FoundRecording, type NoRecording, recordingsOf } from './recordings-of.ts';
import type { UploadItem } from './report.ts';
import type { Sendable, SendableContents } from './sendable.ts';
import type { UploadTarget } from './uploader.ts';

/** Room for conversions (bytes). */
export interface Room {
  left: number;
}

/** Returns the room of one run: a file of a day, or the usual ones of a month. */
export function newRoom(): Room {
  return { left: LARGE_BYTES };
}

/** An activity of a GPX or TCX file. */
export interface TrackEntry {
  readonly from: Sendable;
  readonly path: string;
  /** The digest of its points; of a file that is no GPX or TCX despite its name, its path. */
  readonly key: string;
  readonly shape: Shape;
  /** As in {@link TrackIdentity}. */
  readonly isPhone: boolean;
  /** As in {@link Sendable}. */
  readonly title?: string;
  /** The conversion; absent: it is converted again when it is sent. */
  readonly kept?: SendableContents;
}

/**
 * Converts the activities of a file. Reports files without an activity, and settled activities.
 *
 * @param tables of the ledger; absent without an account
 * @param options `force`: no activity is settled; nor is one in a named file with `name`, which its workout gets.
 *   `room`: for conversions that are kept in memory until they are sent
 * @throws the signal's reason if it is aborted
 */
export async function tracksIn(
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
  from: Sendable,
  { ledger, known }: { readonly ledger?: UploadLedger | undefined } & Pick<UploadTarget, 'known'>,
  report: (item: UploadItem) => void,
  { force, name, room }: Pick<SendOptions, 'force' | 'name'> & { readonly room: Room },
): Promise<TrackEntry[]> {
  const contents = await from.read();
  if ('problem' in contents) {
    report(unreadableItem(from.path, contents));
    return [];
  }
  const isSentAgain = force === true || (from.named === true && name !== undefined);
  const files: KnownFile[] = [];
  const entries: TrackEntry[] = [];
  for await (const found of recordingsOf(from.path, contents, { now: clock.now(), signal })) {
    if ('problem' in found) {
      report(itemOf(found, from.named));
      const { reason: verdict, problem: detail } = found;
      if (verdict === 'not-an-activity') files.push({ sha256: undefined, verdict, detail });
      continue;
    }
    const identity = found.track === undefined ? identify(found.contents.bytes) : undefined;
    if (identity !== undefined && !('sha256' in identity)) {
      const { verdict: reason, detail } = identity;
      report({ path: found.path, outcome: 'invalid', reason, detail });
      continue;
    }
    const sent = found.track && ledger?.findConverted(found.track.digest);
    if (sent !== undefined) files.push({ sha256: sent.sha256, verdict: 'activity', detail: '' });
    if (sent !== undefined && !isSentAgain && isDone(sent)) {
      report(settledOutcome(sent, found.path, sent.sha256));
    } else entries.push(entryOf(from, found, room));
  }
  const [only] = files;
  const isOnly = files.length + entries.length === 1;
  if (from.file !== undefined && only !== undefined && isOnly) {
    known?.remember(from.file.absolute, from.file.stamp, only);
  }
  return entries;
}

function itemOf({ path, problem, reason }: NoRecording, named = false): UploadItem {
  return reason === 'not-an-activity'
    ? noTrack(path, named, problem)
    : { path, outcome: 'invalid', reason, detail: problem };
}

function entryOf(
  from: Sendable,
  { path, contents, track }: FoundRecording,
  room: Room,
): TrackEntry {
  const isKept = contents.bytes.length <= room.left;
  if (isKept) room.left -= contents.bytes.length;
  const { shape } = readSummary(contents.bytes);
  const { digest: key = path, isPhone = false } = track ?? {};
  const kept = isKept ? { kept: { ...contents, track } } : {};
  return { from, path, key, shape, isPhone, ...kept };
}

/**
 * Sends the activities of GPX and TCX files, after all other recordings of a run: what these hold is not sent again.
 * Of two activities of one ride, the one with more channels, else with more points, comes first.
 *
 * @throws SyncError `STORAGE` if the ledger fails; the signal's reason if it is aborted.
 */
export async function sendTracks(
  context: Context,
  entries: readonly TrackEntry[],
  sender: BatchSender,
  { report }: Pick<RunTarget, 'report'>,
): Promise<void> {
  if (entries.length === 0) return;
  try {
    await sender.readPlatform(entries);
  } catch (error) {
    if (!(error instanceof SyncError) || endsRun(error.code)) throw error;
    for (const { path } of entries) report({ path, outcome: 'failed', ...failureOf(error) });
    return;
  }
  for (const round of roundsOf(inOrder(entries))) {
    await sender.send(round.map((entry) => sendableIn(context, entry)));
  }
}

/** Sorts the activities: of one ride, the one with more channels, else with more points, is the first. */
export function inOrder(entries: readonly TrackEntry[]): TrackEntry[] {
  return entries.toSorted(
    ({ shape: a }, { shape: b }) =>
      b.channels.length - a.channels.length || b.records - a.records || a.startedAt - b.startedAt,
  );
}

/** Divides activities, the best first, so that each is sent after the better ones of its time. */
function roundsOf(ranked: readonly TrackEntry[]): TrackEntry[][] {
  const rounds: TrackEntry[][] = [];
  for (const entry of ranked) {
    const last = rounds.findLastIndex((round) => round.some((other) => overlaps(entry, other)));
    (rounds[last + 1] ??= []).push(entry);
  }
  return rounds;
}

function overlaps({ shape: a }: TrackEntry, { shape: b }: TrackEntry): boolean {
  return a.startedAt <= b.endedAt && b.startedAt <= a.endedAt;
}

function sendableIn(
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
  { from, path, kept, title }: TrackEntry,
): Sendable {
  const read: Sendable['read'] = async () => {
    if (kept !== undefined) return kept;
    const contents = await from.read();
    if ('problem' in contents) return contents;
    for await (const found of recordingsOf(from.path, contents, { now: clock.now(), signal })) {
      if (found.path !== path) continue;
      if (!('problem' in found)) return { ...found.contents, track: found.track };
    }
    return { problem: 'It changed while it was read.', reason: 'incomplete' };
  };
  return { ...from, path, read, ...(title === undefined ? {} : { title }) };
}
