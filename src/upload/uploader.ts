import { basename } from 'node:path';
import type { Context } from '../base/context.ts';
import { SyncError, endsRun, failureOf } from '../base/errors.ts';
import { type Activity, describeActivity } from '../fit/activity.ts';
import { deviceId } from '../fit/file-id.ts';
import type { Shape } from '../fit/recorded.ts';
import type { Summary } from '../fit/summary.ts';
import type { KnownFiles } from '../ledger/known-files.ts';
import { type ClaimWait, type OnLongWait, claimWait } from '../ledger/claim-wait.ts';
import type { LedgerUpload } from '../ledger/upload-rows.ts';
import { type ClaimedRecording, type UploadLedger, isShorter } from '../ledger/uploads.ts';
import type { ServiceClient } from '../api/client.ts';
import type { ServiceRecording } from '../api/wire.ts';
import {
  ENOUGH_FAULTS,
  faultMessage,
  isAboutTheItem,
  isServiceFault,
  isUnexplained,
} from '../api/refusal.ts';
import { type Whole, identify, knownFileOf } from './identify.ts';
import { type UploadFields, frameUpload, textParts, wireFileName } from './multipart.ts';
import type { RecordingContents } from './read-recording.ts';
import type { TrackIdentity } from './recordings-of.ts';
import type { UploadItem } from './report.ts';
import { Rides } from './rides.ts';
import type { Sendable } from './sendable.ts';
import { isPerhapsPart, replacedNote, workoutFacts, workoutLabel } from './same-workout.ts';
import {
  type SendOptions,
  alreadyUploaded,
  isDone,
  notAnActivity,
  settledOutcome,
} from './known-outcome.ts';
import type { LedgerRide } from '../ledger/rides.ts';
import { VERSION } from '../base/version.ts';

export interface UploadTarget {
  readonly ledger: UploadLedger;
  /** Absent: files are not remembered. */
  readonly known?: KnownFiles | undefined;
  /** Called before a recording is sent; never called if there is none. */
  readonly client: () => Promise<ServiceClient>;
  /** The upload endpoint, for `--dry-run`. */
  readonly url: (endpoint: 'uploadFit') => URL;
  /** Name of the file part of a request. */
  readonly filePart: string;
  /** Start of this run (ms since the epoch); absent if the run has no end, as in a watcher. */
  readonly runStartedAt?: number;
  readonly onLongWait?: OnLongWait | undefined;
}

/** Where a recording comes from. A name in the options counts before its `title`. */
interface RecordingOrigin extends Omit<Sendable, 'read'> {
  /** It was GPX or TCX. */
  readonly track?: TrackIdentity | undefined;
}

interface Recording {
  /** Describes it in each outcome; `size` in bytes. */
  readonly about: {
    readonly path: string;
    readonly activity: Activity;
    readonly sha256: string;
    readonly size: number;
  };
  /** Whether `--name` also renames its workout, if there is one. */
  readonly renames: boolean;
  readonly contents: RecordingContents;
  readonly fields: UploadFields;
  readonly summary: Summary;
  readonly track: TrackIdentity | undefined;
}

/** A recording with what the ledger knows of it. */
interface Plan {
  readonly recording: Recording;
  readonly known: LedgerUpload | undefined;
  /** Send it also if the ledger or the platform has it. */
  readonly force: boolean;
  /** What a claim records. */
  readonly row: ClaimedRecording & { readonly shape: Shape };
}

/** A recording to send, or the outcome of one whose content cannot be sent. */
type Examined = { readonly recording: Recording } | { readonly item: UploadItem };

/** Takes recordings that were read to the service: check, hash, claim, send, record. */
export class Uploader {
  readonly rides: Rides;
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #options: SendOptions;
  readonly #target: UploadTarget;
  /** Recordings that this run delivered, or would have. With `force`, too, each is sent once. */
  readonly #delivered = new Set<string>();
  /** File names on the wire. Recordings of one workout share theirs. */
  readonly #sending = new Set<string>();
  /** The recordings that other processes were sending. */
  readonly sentElsewhere = new Set<string>();
  readonly #wait: ClaimWait;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    context: Pick<Context, 'clock' | 'signal'>,
    options: SendOptions,
    target: UploadTarget,
  ) {
    this.#context = context;
    this.#options = options;
    this.#target = target;
    this.rides = new Rides(target.ledger, target.runStartedAt);
    this.#wait = claimWait(context, target.onLongWait);
  }

  /**
   * Checks and delivers a recording; waits while another task or process is sending the same recording. A delivery
   * that fails for now is an outcome; its recording stays pending.
   *
   * @throws SyncError `STORAGE` if the ledger fails; the signal's reason if it is aborted.
   */
  async uploadContents(origin: RecordingOrigin, contents: RecordingContents): Promise<UploadItem> {
    const examined = this.#examine(origin, contents);
    if ('item' in examined) return examined.item;
    const { recording } = examined;
    return await this.#wait(
      () => this.#deliverInTurn(recording),
      () => this.#target.ledger.senderOf(recording.about.sha256),
    );
  }

  /** Does the same as `uploadContents`, but returns undefined if the recording is being sent already. */
  async uploadUnlessBusy(
    origin: RecordingOrigin,
    contents: RecordingContents,
  ): Promise<UploadItem | undefined> {
    const examined = this.#examine(origin, contents);
    return 'item' in examined ? examined.item : await this.#deliverInTurn(examined.recording);
  }

  async #deliverInTurn(recording: Recording): Promise<UploadItem | undefined> {
    if (this.#options.sameRide !== 'first') return await this.#deliver(recording);
    // The first recording of a ride is sent before the second one is looked at.
    const delivered = this.#turn.then(() => this.#deliver(recording));
    this.#turn = delivered.catch(() => undefined);
    return await delivered;
  }

  /** Returns the recording to send, or its outcome if its content rules it out. Remembers its file. */
  #examine(origin: RecordingOrigin, contents: RecordingContents): Examined {
    const { path, named = false, file, track } = origin;
    const { anyType, dryRun, isTooEarly } = this.#options;
    const identity = identify(contents.bytes);
    if (file !== undefined && contents.stamp !== undefined && !dryRun) {
      this.#target.known?.remember(file.absolute, contents.stamp, knownFileOf(identity));
    }
    if (!('sha256' in identity)) {
      return {
        item: { path, outcome: 'invalid', reason: identity.verdict, detail: identity.detail },
      };
    }
    if (identity.verdict === 'not-an-activity' && !anyType) {
      return { item: notAnActivity(path, named, identity) };
    }
    const { sha256, summary } = identity;
    const described = describeActivity(summary);
    const name = this.#options.name ?? origin.title ?? track?.name ?? described.name;
    const activity = { ...described, name };
    const fields = this.#fieldsOf(path, activity, identity, track);
    const renames = named && this.#options.name !== undefined;
    if (isTooEarly?.(activity) === true) {
      return { item: { path, outcome: 'skipped', reason: 'before-since', sha256 } };
    }
    const about = { path, activity, sha256, size: contents.bytes.length };
    return { recording: { about, renames, contents, fields, summary, track } };
  }

  /** Sends a recording unless the ledger or the service rules it out. @returns undefined if it is being sent already */
  async #deliver(recording: Recording): Promise<UploadItem | undefined> {
    const { path, sha256 } = recording.about;
    // A dry run leaves no row in the ledger.
    const isPlanned = this.#options.dryRun && this.#delivered.has(sha256);
    if (isPlanned) return alreadyUploaded(path, sha256);
    const plan = this.#planOf(recording);
    const known = this.#ruledOutByLedger(plan);
    if (known !== undefined) return known;
    if (this.#options.dryRun) return this.#wouldUpload(recording);
    return (await this.#ruledOutByService(plan)) ?? (await this.#claimAndSend(plan));
  }

  #planOf(recording: Recording): Plan {
    const { about, renames, fields, summary, track } = recording;
    const { ledger } = this.#target;
    const known = ledger.find(about.sha256, track?.digest);
    // The answer to a second upload names the workout.
    const force = this.#options.force === true || (renames && known?.state === 'confirmed');
    const workout = workoutFacts(summary, fields.fileName);
    return { recording, known, force, row: { ...about, workout, shape: summary.shape, track } };
  }

  /** Returns the outcome if the ledger has the recording, or a better one of its ride. */
  #ruledOutByLedger({ known, force, row }: Plan): UploadItem | undefined {
    if (force) return undefined;
    const { path, sha256, activity, workout, shape, track } = row;
    const { dryRun, sameRide } = this.#options;
    const { ledger } = this.#target;
    if (known !== undefined && isDone(known)) return settledOutcome(known, path, sha256);
    if (track !== undefined && sameRide !== 'each') {
      const label = workoutLabel(activity.startedAt, workout.sentAs);
      const isUnsure = (known?.attempts ?? 0) > 0;
      const by = this.rides.coverOf(shape, label, isUnsure);
      if (by !== undefined) {
        if (!dryRun) ledger.dismiss(known?.sha256 ?? sha256);
        return { path, outcome: 'covered', by, sha256 };
      }
    }
    if (sameRide === 'first') {
      const before = this.rides.sameAs(shape, sha256).filter(({ state }) => state === 'confirmed');
      if (before.length > 0) {
        if (!dryRun) ledger.hold(row);
        return { path, outcome: 'held', by: before.map((ride) => ride.path), sha256 };
      }
    }
    const namesake = ledger.namesake(row);
    if (namesake === undefined || !isShorter(workout, namesake)) return undefined;
    return shorterThan(row, `the recording that was sent (${namesake.path})`);
  }

  /** Returns the outcome if the platform has a longer workout of it, or cannot be asked. */
  async #ruledOutByService({
    recording,
    known,
    force,
    row,
  }: Plan): Promise<UploadItem | undefined> {
    try {
      // Before the claim: a failed login leaves no pending row.
      const client = await this.#target.client();
      if (known?.state === 'undoing') await this.#settleUndo(row.sha256, client);
      if (force || !isPerhapsPart(row.workout, recording.summary)) return undefined;
      if (!(await this.#isListed(row, client))) return undefined;
      return shorterThan(row, 'the workout that the platform has of it');
    } catch (error) {
      if (!(error instanceof SyncError) || endsRun(error.code)) throw error;
      return { ...recording.about, outcome: 'failed', attempts: 0, ...failureOf(error) };
    }
  }

  /** @returns undefined if another task or process has the claim */
  async #claimAndSend({ recording, force, row }: Plan): Promise<UploadItem | undefined> {
    const { path, sha256, workout, shape } = row;
    const { fileName } = recording.fields;
    const { ledger } = this.#target;
    const replaced = replacedNote(workout, ledger.namesake(row));
    const claim = ledger.claim(row, force && !this.#delivered.has(sha256));
    switch (claim) {
      case 'busy':
        if (!this.#sending.has(fileName)) this.sentElsewhere.add(sha256);
        return undefined;
      case 'yours':
        this.#sending.add(fileName);
        try {
          // Once it is claimed, one of two that are sent at the same moment sees the other; and its row has this hash,
          // also if an earlier version converted it.
          const rides = this.rides.sameAs(shape, sha256);
          return withSameRides(await this.#send(recording, replaced), rides);
        } finally {
          this.#sending.delete(fileName);
        }
      case 'confirmed':
      case 'undoing':
      case 'undone':
        return settledOutcome({ state: claim }, path, sha256);
    }
  }

  /** Finds out whether the workout of an open undo is still there. */
  async #settleUndo(sha256: string, client: ServiceClient): Promise<void> {
    const { ledger } = this.#target;
    const upload = ledger.confirmed({ undoing: true }).find((each) => each.sha256 === sha256);
    const { settleUndo } = await import('./undo.ts');
    if (upload?.isUndoing) await settleUndo(upload, ledger, client, this.#context.signal);
  }

  /** Returns whether the platform lists a longer workout, which this recording would replace. */
  async #isListed(
    { activity: { startedAt }, workout }: ClaimedRecording,
    client: ServiceClient,
  ): Promise<boolean> {
    if (startedAt === undefined) return false;
    const { hasLongerWorkout } = await import('./workout-length.ts');
    return await hasLongerWorkout(startedAt, workout, client, this.#context.signal);
  }

  /** @param replaced says whose workout the recording replaces */
  async #send(
    { about, renames, contents, fields, track }: Recording,
    replaced: string | undefined,
  ): Promise<UploadItem> {
    const { ledger, client } = this.#target;
    const { sha256 } = about;
    let isRecorded = false;
    let attempts = 0;
    try {
      const framed = frameUpload(contents.bytes, fields);
      const answer = await (
        await client()
      ).uploadRecording(framed, ledger.platform, this.#context.signal);
      attempts = answer.attempts;
      if (answer.outcome === 'rejected') {
        ledger.reject(sha256, attempts, answer.message);
        isRecorded = true;
        return { ...about, outcome: 'rejected', attempts, message: answer.message };
      }
      const { outcome, service } = answer;
      ledger.confirm(sha256, attempts, { ...service });
      isRecorded = true;
      if (this.#options.force || renames) this.#delivered.add(sha256);
      const named = await this.#nameNote(outcome, service, renames);
      const notes = [
        ...(outcome === 'uploaded' ? [replaced, ...(track?.notes ?? [])] : []),
        named,
      ].filter((note) => note !== undefined);
      const note = notes.length === 0 ? {} : { note: notes.join(' ') };
      return { ...about, outcome, attempts, service, ...note };
    } catch (error) {
      if (!(error instanceof SyncError) || endsRun(error.code)) throw error;
      if (typeof error.details['attempts'] === 'number') attempts = error.details['attempts'];
      const isRefusal = isAboutTheItem(error);
      const isFinal = isRefusal && !isUnexplained(error);
      const final = isFinal ? error.message : this.#faultOf(sha256, error);
      // A watcher, whose run has no end, tries again as after an outage.
      if (final === undefined && !(isRefusal && this.#target.runStartedAt !== undefined)) {
        return { ...about, outcome: 'failed', attempts, ...failureOf(error) };
      }
      if (final !== undefined) {
        ledger.reject(sha256, attempts, final);
        isRecorded = true;
      }
      const { status } = error.details;
      const known = typeof status === 'number' ? { status } : {};
      const message = final ?? error.message;
      return { ...about, outcome: 'rejected', attempts, message, ...known };
    } finally {
      if (!isRecorded) ledger.release(sha256, attempts);
    }
  }

  /**
   * Says whether the workout got the name of `--name`; undefined if the service took it with the recording. It
   * ignores the name of a recording that is a workout already: `renames` changes the workout.
   */
  async #nameNote(
    outcome: 'uploaded' | 'duplicate',
    { state, workoutId }: ServiceRecording,
    renames: boolean,
  ): Promise<string | undefined> {
    const { name } = this.#options;
    if (name === undefined || state === 'queued') return undefined;
    if (outcome === 'uploaded') return state === undefined ? UNSURE_NAME : undefined;
    if (!renames || workoutId === undefined) return KEEPS_NAME;
    try {
      const client = await this.#target.client();
      const isRenamed = await client.renameWorkout(workoutId, name, this.#context.signal);
      return isRenamed ? RENAMED : KEEPS_NAME;
    } catch (error) {
      if (!(error instanceof SyncError) || endsRun(error.code)) throw error;
      return `The workout keeps its name: ${error.message}`;
    }
  }

  /** Counts a fault of the service, or a refusal without a reason. @returns the reason to give the recording up, after enough faults */
  #faultOf(sha256: string, error: SyncError): string | undefined {
    if (!isServiceFault(error) && !isUnexplained(error)) return undefined;
    const { ledger, runStartedAt } = this.#target;
    const count = ledger.countFault(sha256, runStartedAt);
    return count < ENOUGH_FAULTS ? undefined : faultMessage('this recording', count, error);
  }

  #wouldUpload({ about, fields, summary, track }: Recording): UploadItem {
    const { path, size, sha256 } = about;
    this.#delivered.add(sha256);
    const { shape } = summary;
    const { startedAt, endedAt } = shape;
    const times = { changedAt: this.#context.clock.now(), startedAt, endedAt };
    const isConverted = track !== undefined;
    this.rides.plan({ sha256, path, state: 'confirmed', ...times, isConverted, shape });
    const parts = [
      ...textParts(fields),
      { name: fields.filePart, filename: fields.fileName, size, sha256 },
    ];
    const request = { method: 'POST', url: this.#target.url('uploadFit').href, parts } as const;
    return { ...about, outcome: 'would-upload', request };
  }

  #fieldsOf(
    path: string,
    { name, startedAt }: Activity,
    whole: Whole,
    track: TrackIdentity | undefined,
  ): UploadFields {
    const fileName = basename(path).toWellFormed();
    const stem = fileName.replace(/(?:\.(?:fit|gpx|tcx))?(?:\.gz)?(?:#\d+)?$/i, '');
    return {
      filePart: this.#target.filePart,
      fileName: wireFileName(startedAt, whole, track?.digest),
      // Without a name, the platform would show the name on the wire.
      name: name ?? (stem || undefined),
      metadata: {
        app_version: VERSION,
        device_id: track === undefined ? deviceId(whole.summary.fileId) : undefined,
        file_name: fileName,
        ...this.#options.metadata,
      },
    };
  }
}

/** Adds the recordings of the same ride that were sent before it. */
function withSameRides(item: UploadItem, same: readonly LedgerRide[]): UploadItem {
  if (same.length === 0 || item.outcome !== 'uploaded') return item;
  return { ...item, sameRideAs: same.map(({ path, changedAt }) => ({ path, sentAt: changedAt })) };
}

/** @param longer the recording or the workout that it would replace */
function shorterThan({ path, sha256 }: ClaimedRecording, longer: string): UploadItem {
  const detail = `It is shorter than ${longer}. --force replaces its workout.`;
  return { path, outcome: 'skipped', reason: 'shorter', sha256, detail };
}

const RENAMED = 'The workout has the new name.';
const KEEPS_NAME =
  'The platform ignores --name for a recording that it has: rename the workout there.';
const UNSURE_NAME =
  'The platform does not say whether it took --name: look at the workout, and rename it there.';
