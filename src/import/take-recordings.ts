import { phrase, sync } from '../base/phrase.ts';
import type { KnownFiles } from '../ledger/known-files.ts';
import type { UploadLedger } from '../ledger/uploads.ts';
import { type Activity, describeActivity } from '../fit/activity.ts';
import { readFitWellness } from '../fit/wellness.ts';
import type { CoveringRide } from '../upload/rides.ts';
import { localDay } from '../records/days/zone.ts';
import { unreadableItem } from '../upload/batch-sender.ts';
import { type Whole, identify } from '../upload/identify.ts';
import { alreadyUploaded, settledOutcome } from '../upload/known-outcome.ts';
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

/** What the scans of recordings, and of GPX and TCX files, share. */
export interface RecordingParts {
  readonly table: ImportTable;
  /** Earliest day (`YYYY-MM-DD`). */
  readonly since: string | undefined;
  /** The zone of recordings without a local time. */
  readonly zone: string;
  readonly known: KnownRecordings | undefined;
  /** Called for each recording that cannot be used. */
  readonly report: (item: UploadItem) => void;
}

/** Scans recordings: reads one at a time, and keeps where those to send are. */
export class RecordingScan {
  readonly recordings: Sendable[] = [];
  /** Size of `recordings`. */
  bytes = 0;
  /** What was recorded in them. */
  readonly rides: CoveringRide[] = [];
  readonly #parts: RecordingParts;
  readonly #wellness: Pick<RecordScan, 'addFit'>;
  readonly #seen = new Set<string>();
  /** Paths of whole recordings, without their endings. */
  readonly #whole = new Set<string>();
  readonly #buffers = reusedBuffer();

  /** @param wellness takes the wellness in the files */
  constructor(parts: RecordingParts, wellness: Pick<RecordScan, 'addFit'>) {
    this.#parts = parts;
    this.#wellness = wellness;
  }

  /** @throws the signal's reason if it is aborted */
  async add(inputFile: InputFile): Promise<void> {
    const { path, from } = inputFile;
    const contents = await sendableOf(from).read(this.#buffers);
    if ('problem' in contents) {
      leaveRecording(this.#parts, unreadableItem(path, contents));
      return;
    }
    const before = 'absolute' in from ? this.#knownAs(from) : undefined;
    if (before !== undefined) {
      this.#whole.add(stemOf(path));
      leaveRecording(this.#parts, alreadyUploaded(path, before));
      this.#takeWellness(inputFile, contents.bytes);
      return;
    }
    const identity = identify(contents.bytes);
    if (!('sha256' in identity)) {
      const { verdict: reason, detail } = identity;
      leaveRecording(this.#parts, { path, outcome: 'invalid', reason, detail });
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
    if (samples.length > 0) this.#wellness.addFit(inputFile, samples);
    return samples.length > 0;
  }

  #addActivity(
    { path, from }: Pick<InputFile, 'path' | 'from'>,
    { sha256, summary }: Whole,
    bytes: Buffer,
  ): void {
    const { table, since, zone, known } = this.#parts;
    const days = daysOf(describeActivity(summary), zone);
    if (this.#seen.has(sha256)) {
      const reason = 'the same recording is sent once';
      table.leave('copies', 'Recordings found twice', reason);
      return;
    }
    this.#seen.add(sha256);
    const upload = known?.uploads.find(sha256);
    if (upload?.state === 'confirmed' || upload?.state === 'undone') {
      leaveRecording(this.#parts, settledOutcome(upload, path, sha256));
    } else if (since !== undefined && days.some((day) => day < since)) {
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
}

/** Adds a recording that is not sent to the table. Reports it if it cannot be used. */
export function leaveRecording(
  { table, known, report, zone }: RecordingParts,
  item: UploadItem,
): void {
  if (item.outcome !== 'skipped') {
    table.leave('unusable', 'Invalid recordings', 'see above');
    report(item);
    return;
  }
  const days = daysOf(known?.uploads.find(item.sha256 ?? '')?.activity, zone);
  if (item.reason === 'undone') {
    const reason = phrase`${sync('upload', '--force', 'FILE')} sends them`;
    table.leave('undone', 'Recordings undone before', reason, days);
  } else
    table.leave('uploaded-before', 'Recordings uploaded before', 'the platform has them', days);
}

/** Returns the day of an activity; none if it is unknown. */
function daysOf(activity: Activity | undefined, zone: string): readonly string[] {
  const day = activity && localDay(activity, zone);
  return day === undefined ? [] : [day];
}

function stemOf(path: string): string {
  return path.replace(/\.fit(?:\.gz)?$/i, '');
}
