import { phrase, sync } from '../base/phrase.ts';
import type { KnownFiles } from '../ledger/known-files.ts';
import type { UploadLedger } from '../ledger/uploads.ts';
import { type Activity, describeActivity } from '../fit/activity.ts';
import { readFitWellness } from '../fit/wellness.ts';
import type { CoveringRide } from '../upload/rides.ts';
import { localDay } from '../records/days/zone.ts';
import { unreadableItem } from '../upload/batch-sender.ts';
import { type Whole, identify } from '../upload/identify.ts';
import type { RecordingFile } from '../inputs/find-files.ts';
import { reusedBuffer } from '../upload/read-recording.ts';
import { type Sendable, sendableOf } from '../upload/sendable.ts';
import { REPAIRED } from '../inputs/recording-names.ts';
import type { UploadItem } from '../upload/report.ts';
import type { ImportTable } from './import-table.ts';
import type { RecordScan } from './take-records.ts';
import type { InputFile } from '../inputs/input-files.ts';

/** The ledger's tables of recordings; absent without an account. */
export interface KnownRecordings {
  readonly uploads: UploadLedger;
  readonly known: KnownFiles;
}

export interface RecordingParts {
  readonly table: ImportTable;
  /** Earliest day (`YYYY-MM-DD`). */
  readonly since: string | undefined;
  /** The zone of recordings without a local time. */
  readonly zone: string;
  readonly known: KnownRecordings | undefined;
  /** Called for each recording that cannot be used. */
  readonly report: (item: UploadItem) => void;
  /** Takes the wellness in the files. */
  readonly wellness: Pick<RecordScan, 'addFit'>;
}

/** Scans recordings: reads one at a time, and keeps where those to send are. */
export class RecordingScan {
  readonly recordings: Sendable[] = [];
  /** Size of `recordings`. */
  bytes = 0;
  /** What was recorded in them. */
  readonly rides: CoveringRide[] = [];
  readonly #parts: RecordingParts;
  readonly #seen = new Set<string>();
  /** Paths of whole recordings, without their endings. */
  readonly #whole = new Set<string>();
  readonly #buffers = reusedBuffer();

  constructor(parts: RecordingParts) {
    this.#parts = parts;
  }

  /** @throws the signal's reason if it is aborted */
  async add(inputFile: InputFile): Promise<void> {
    const { path, from } = inputFile;
    const contents = await sendableOf(from).read(this.#buffers);
    if ('problem' in contents) {
      this.#unusable(unreadableItem(path, contents));
      return;
    }
    const before = 'absolute' in from ? this.#knownAs(from) : undefined;
    if (before !== undefined) {
      this.#whole.add(stemOf(path));
      leaveUploaded(this.#parts, this.#parts.known?.uploads.find(before)?.activity);
      this.#takeWellness(inputFile, contents.bytes);
      return;
    }
    const identity = identify(contents.bytes);
    if (!('sha256' in identity)) {
      const { verdict: reason, detail } = identity;
      this.#unusable({ path, outcome: 'invalid', reason, detail });
      return;
    }
    const hasWellness = this.#takeWellness(inputFile, contents.bytes);
    if (identity.verdict === 'not-an-activity') {
      if (hasWellness) return;
      const reason = 'settings, courses, monitoring and the like';
      this.#parts.table.leave('no-activity', 'FIT files without an activity', reason);
    } else {
      this.#whole.add(stemOf(path));
      this.#addActivity({ path, from }, identity, contents.bytes);
    }
  }

  /**
   * Adds a copy that `sync repair` wrote, unless the original is whole by now: both would be the same
   * activity. All originals must be added before.
   *
   * @throws the signal's reason if it is aborted
   */
  async addRepaired(inputFile: InputFile): Promise<void> {
    if (!this.#whole.has(inputFile.path.slice(0, -REPAIRED.length))) {
      await this.add(inputFile);
      return;
    }
    this.#parts.table.leave('copies', 'Repaired copies', 'the originals are whole');
  }

  #takeWellness(inputFile: InputFile, bytes: Buffer): boolean {
    const samples = readFitWellness(bytes);
    if (samples.length > 0) this.#parts.wellness.addFit(inputFile, samples);
    return samples.length > 0;
  }

  #addActivity(
    { path, from }: Pick<InputFile, 'path' | 'from'>,
    { sha256, summary }: Whole,
    bytes: Buffer,
  ): void {
    const { table, since, zone, known } = this.#parts;
    const activity = describeActivity(summary);
    const day = localDay(activity, zone);
    const days = day === undefined ? [] : [day];
    if (this.#seen.has(sha256)) {
      const reason = 'the same recording is sent once';
      table.leave('copies', 'Recordings found twice', reason);
      return;
    }
    this.#seen.add(sha256);
    const state = known?.uploads.find(sha256)?.state;
    if (state === 'confirmed') leaveUploaded(this.#parts, activity);
    else if (state === 'undone') leaveUndone(table, days);
    else if (since !== undefined && day !== undefined && day < since) {
      const reason = `before ${since} (--since)`;
      table.leave('too-early', 'Earlier recordings', reason, days);
    } else {
      table.add(
        { kind: 'recordings', title: 'Recordings', sends: true },
        { bytes: bytes.length, days },
      );
      this.bytes += bytes.length;
      this.rides.push({ path, isConverted: false, shape: summary.shape });
      this.recordings.push(sendableOf(from));
    }
  }

  /** Returns the hash of an unchanged file that was uploaded. */
  #knownAs({ absolute, stamp }: RecordingFile): string | undefined {
    const found = this.#parts.known?.known.find(absolute, stamp);
    return found?.upload?.state === 'confirmed' ? found.sha256 : undefined;
  }

  #unusable(item: UploadItem): void {
    this.#parts.table.leave('unusable', 'Invalid recordings', 'see above');
    this.#parts.report(item);
  }
}

/** Adds a file whose recording the user took back. */
export function leaveUndone(table: ImportTable, days: readonly string[] = []): void {
  const reason = phrase`${sync('upload', '--force', 'FILE')} sends them`;
  table.leave('undone', 'Recordings undone before', reason, days);
}

/** Adds a file whose recording was uploaded before. */
export function leaveUploaded(
  { table, zone }: Pick<RecordingParts, 'table' | 'zone'>,
  activity: Activity | undefined,
): void {
  const day = activity && localDay(activity, zone);
  const days = day === undefined ? [] : [day];
  table.leave('uploaded-before', 'Recordings uploaded before', 'the platform has them', days);
}

function stemOf(path: string): string {
  return path.replace(/\.fit(?:\.gz)?$/i, '');
}
