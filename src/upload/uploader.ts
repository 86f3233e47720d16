import { basename } from 'node:path';
import { SyncError, endsRun } from '../base/errors.ts';
import { activityName } from '../fit/activity-name.ts';
import { type ActivityTimes, readActivityTimes, readFirstSession } from '../fit/summary.ts';
import type { FileStamp, KnownFiles } from '../ledger/known-files.ts';
import type { UploadLedger } from '../ledger/uploads.ts';
import type { FramedUpload, ServiceClient } from '../api/client.ts';
import { failureOf } from '../api/batch-breaker.ts';
import { ENOUGH_FAULTS, faultMessage, isAboutTheItem, isServiceFault } from '../api/refusal.ts';
import type { Clock } from '../base/time.ts';
import { type Identity, identify } from './identify.ts';
import { FILE_PART, type UploadFields, frameUpload, textParts } from './multipart.ts';
import {
  type BufferSource,
  type RecordingContents,
  contentsOf,
  readFile,
} from './read-recording.ts';
import type { UploadItem } from './report.ts';
import {
  type RecordingFile,
  type UploadOptions,
  alreadyUploaded,
  notAnActivity,
  refusedBefore,
} from './known-outcome.ts';

export interface UploaderNeeds {
  readonly appVersion: string;
  readonly ledger: UploadLedger;
  readonly known: KnownFiles;
  /** Asked for when the first recording has to be sent, and not at all if none has. */
  readonly client: () => Promise<ServiceClient>;
  /** Where uploads go, for `--dry-run`. */
  readonly uploadUrl: () => URL;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** When this run began, in ms since the epoch; none: it lasts, as a watcher does. */
  readonly runStartedAt?: number;
}

/** One file at a time through the whole of it: read, check, hash, look up, send, write down. */
export interface Uploader {
  /**
   * Deals with one file. A delivery that fails for now is an outcome; its recording stays pending.
   *
   * @param buffers gives the buffer that the file is read into and sent from.
   * @throws SyncError `STORAGE` when the ledger fails; the signal's reason when it is aborted.
   */
  upload(file: RecordingFile, buffers: BufferSource): Promise<UploadItem>;
  /** The same, but undefined when somebody else is sending that very recording just now. */
  uploadUnlessBusy(file: RecordingFile, buffers: BufferSource): Promise<UploadItem | undefined>;
  /** The same for a recording that is in memory, not in a file. */
  uploadBytes(recording: RecordingBytes): Promise<UploadItem>;
  /** How many recordings were found to be on their way from another process. */
  readonly sentElsewhere: number;
}

/** A recording that was made, or kept, by the program itself. */
export interface RecordingBytes {
  /** As people are told of it; its last part is the file name on the wire. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Display name, if none was given for all. */
  readonly name?: string;
}

/** What of a recording's origin shows in a report or a request. */
interface Origin {
  readonly path: string;
  readonly named: boolean;
  readonly name?: string;
}

/** Between two looks at a recording that somebody else is sending, in ms. */
const BUSY_POLL_MS = 200;

export function createUploader(options: UploadOptions, needs: UploaderNeeds): Uploader {
  const { ledger, known, clock, signal } = needs;
  /** What this run delivered: by force, too, each recording is sent once. */
  const delivered = new Set<string>();
  /** What is on its way from here, and from other processes. */
  const sending = new Set<string>();
  const elsewhere = new Set<string>();

  async function upload(file: RecordingFile, buffers: BufferSource): Promise<UploadItem> {
    for (;;) {
      const item = await uploadUnlessBusy(file, buffers);
      if (item !== undefined) return item;
      await clock.sleep(BUSY_POLL_MS, signal);
    }
  }

  async function uploadUnlessBusy(
    file: RecordingFile,
    buffers: BufferSource,
  ): Promise<UploadItem | undefined> {
    const { path } = file;
    const contents = readFile(file.absolute, buffers);
    if ('problem' in contents) {
      return { path, outcome: 'invalid', reason: contents.reason, detail: contents.problem };
    }
    const identity = identify(contents.bytes);
    if (!options.dryRun) remember(file, contents.stamp, identity);
    return await deal(file, contents, identity);
  }

  async function uploadBytes({ path, bytes, name }: RecordingBytes): Promise<UploadItem> {
    const contents = contentsOf(bytes);
    const origin = { path, named: true, ...(name === undefined ? {} : { name }) };
    const identity = identify(contents.bytes);
    for (;;) {
      const item = await deal(origin, contents, identity);
      if (item !== undefined) return item;
      await clock.sleep(BUSY_POLL_MS, signal);
    }
  }

  /** Undefined: somebody else is sending it. */
  async function deal(
    origin: Origin,
    contents: RecordingContents,
    identity: Identity,
  ): Promise<UploadItem | undefined> {
    const { path, named } = origin;
    if (!('sha256' in identity)) {
      return { path, outcome: 'invalid', reason: identity.verdict, detail: identity.detail };
    }
    if (identity.verdict === 'not-an-activity' && !options.anyType) {
      return notAnActivity(path, named, identity.detail);
    }
    const { sha256 } = identity;
    if (options.dryRun) {
      return !options.force && ledger.find(sha256)?.state === 'confirmed'
        ? alreadyUploaded(path, sha256)
        : wouldUpload(origin, contents, identity);
    }
    const force = options.force && !delivered.has(sha256);
    const { claim } = ledger.claim({ sha256, path, size: contents.bytes.length }, force);
    switch (claim) {
      case 'busy':
        if (!sending.has(sha256)) elsewhere.add(sha256);
        return undefined;
      case 'yours':
        sending.add(sha256);
        try {
          return await send(origin, contents, identity);
        } finally {
          sending.delete(sha256);
        }
      case 'confirmed':
        return alreadyUploaded(path, sha256);
      case 'refused':
        return refusedBefore(path, sha256);
    }
  }

  function remember(file: RecordingFile, stamp: FileStamp, identity: Identity): void {
    known.remember(file.absolute, stamp, {
      sha256: 'sha256' in identity ? identity.sha256 : undefined,
      verdict: identity.verdict,
      detail: 'detail' in identity ? identity.detail : '',
    });
  }

  async function send(
    origin: Origin,
    contents: RecordingContents,
    identity: Recording,
  ): Promise<UploadItem> {
    const { sha256 } = identity;
    const { path } = origin;
    const sent = { path, sha256, size: contents.bytes.length };
    let settledInLedger = false;
    let attempts = 0;
    try {
      const times = readActivityTimes(contents.bytes);
      const fields = fieldsOf(origin, times, identity);
      const first = readFirstSession(contents.bytes, times);
      const framed: FramedUpload = frameUpload(contents, fields);
      const client = await needs.client();
      const answer = await client.uploadRecording(framed, signal);
      attempts = answer.attempts;
      if (answer.outcome === 'rejected') ledger.reject(sha256, attempts, answer.message);
      else {
        const startedAt = first.startTime?.getTime();
        const durationSecs = first.timerSecs;
        const recording = { startedAt, durationSecs, sentAs: fields.fileName };
        ledger.confirm(sha256, attempts, { ...answer.service }, recording);
      }
      settledInLedger = true;
      if (options.force && answer.outcome !== 'rejected') delivered.add(sha256);
      if (answer.outcome === 'rejected') {
        return { ...sent, outcome: 'rejected', attempts, message: answer.message };
      }
      const { outcome, service } = answer;
      const keepsName = outcome === 'duplicate' && options.name !== undefined;
      return { ...sent, outcome, attempts, service, ...(keepsName ? { note: KEEPS_NAME } : {}) };
    } catch (error) {
      if (!(error instanceof SyncError) || endsRun(error.code)) throw error;
      if (typeof error.details['attempts'] === 'number') attempts = error.details['attempts'];
      const message = isAboutTheItem(error) ? error.message : faultOf(sha256, error);
      if (message === undefined) {
        return { ...sent, outcome: 'failed', attempts, ...failureOf(error) };
      }
      ledger.reject(sha256, attempts, message);
      settledInLedger = true;
      const { status } = error.details;
      const said = typeof status === 'number' ? { status } : {};
      return { ...sent, outcome: 'rejected', attempts, message, ...said };
    } finally {
      if (!settledInLedger) ledger.release(sha256, attempts);
    }
  }

  /** Why a recording is given up on which the service fails again and again, if that is so. */
  function faultOf(sha256: string, error: SyncError): string | undefined {
    if (!isServiceFault(error)) return undefined;
    const count = ledger.countFault(sha256, needs.runStartedAt);
    return count < ENOUGH_FAULTS ? undefined : faultMessage('this recording', count);
  }

  function wouldUpload(
    origin: Origin,
    contents: RecordingContents,
    identity: Recording,
  ): UploadItem {
    const { path } = origin;
    const { sha256 } = identity;
    const size = contents.bytes.length;
    const fields = fieldsOf(origin, readActivityTimes(contents.bytes), identity);
    const parts = [
      ...textParts(fields),
      { name: FILE_PART, filename: fields.fileName, size, sha256 },
    ];
    const request = { method: 'POST', url: needs.uploadUrl().href, parts } as const;
    return { path, outcome: 'would-upload', sha256, size, request };
  }

  function fieldsOf(
    { path, name }: Origin,
    times: ActivityTimes,
    { device }: Recording,
  ): UploadFields {
    return {
      fileName: wireFileName(path),
      name: options.name ?? name ?? activityName(times),
      metadata: {
        app_version: needs.appVersion,
        ...(device === undefined ? {} : { device_id: device }),
        ...options.metadata,
      },
    };
  }

  return {
    upload,
    uploadUnlessBusy,
    uploadBytes,
    get sentElsewhere() {
      return elsewhere.size;
    },
  };
}

type Recording = Extract<Identity, { sha256: string }>;

/** What is told of `--name` for a recording that the service had. */
const KEEPS_NAME =
  'The service ignores --name for a recording that it has: rename the workout there.';

/** Some services take nothing whose name does not end in exactly `.fit`, and cut a name at a `;`. */
function wireFileName(path: string): string {
  return `${basename(path)
    .replace(/\.gz$/i, '')
    .replace(/\.fit$/i, '')
    .replaceAll(';', '_')}.fit`;
}
