import type { NewOnly } from '../../ledger/watch-marks.ts';
import { ChildError } from '../../system/child-call.ts';
import { unpacked } from '../../upload/read-recording.ts';
import type { WatchParts } from '../parts.ts';
import type { FoundFile, Intake } from '../send/intake.ts';
import { recordingTime } from './classify.ts';
import type { RemoteFolder } from './remote-folder.ts';

/** Files that fail one after another before the device counts as failing. */
const ENOUGH_FAILURES = 3;
const NOT_COPIED = 'It could not be copied for sending.';

/** A folder whose open files are read. */
interface OpenFolder {
  readonly path: string;
  readonly remote: RemoteFolder;
  /** Which files `--new-only` leaves out, as the rescan found it before it began. */
  readonly newOnly: NewOnly | undefined;
}

type OpenFilesParts = Pick<
  WatchParts,
  'clock' | 'dryRun' | 'filesystemType' | 'incomplete' | 'known' | 'signal'
>;

/** Reads files that the ledger leaves open through the child process, one after another, each once. */
export class OpenFiles {
  readonly #parts: OpenFilesParts;
  readonly #intake: Intake;
  /** The files that the last rescan of a folder left, by its path. */
  readonly #left = new Map<string, OpenFolder & { readonly files: Set<FoundFile> }>();

  constructor(parts: OpenFilesParts, intake: Intake) {
    this.#parts = parts;
    this.#intake = intake;
  }

  /** Returns how many files the last rescan left on the device. */
  leftOn(path: string): number {
    return this.#left.get(path)?.files.size ?? 0;
  }

  /**
   * Reads files, and passes their recordings to the intake. Some are left while there is no room for their copies.
   *
   * @throws ChildError if the device failed; ledger errors
   */
  async read(folder: OpenFolder, files: readonly FoundFile[]): Promise<void> {
    const { dryRun, filesystemType, known } = this.#parts;
    const left = new Set(files);
    this.#left.set(folder.path, { ...folder, files: left });
    const isOnDevice = filesystemType(folder.path).isShared !== true;
    let failures = 0;
    for (const file of files) {
      if (!this.#intake.hasRoomFor(file, isOnDevice)) continue;
      const failure = await this.#read(folder, file);
      // Flush after each file: reading one again over MTP takes longer.
      if (!dryRun) known.flush();
      if (failure === 'not-copied') return;
      failures = failure === undefined ? 0 : failures + 1;
      if (failure !== undefined && failures >= ENOUGH_FAILURES) throw failure;
      left.delete(file);
    }
  }

  /**
   * Reads the files that waited for others to be sent, for `--once`.
   *
   * @returns whether it read any. The others cannot be copied
   */
  async readLeft(): Promise<boolean> {
    let isRead = false;
    for (const { files, ...folder } of [...this.#left.values()]) {
      try {
        await this.read(folder, [...files]);
      } catch (error) {
        this.#parts.signal.throwIfAborted();
        if (!(error instanceof ChildError)) throw error;
      }
      isRead ||= this.leftOn(folder.path) < files.size;
    }
    return isRead;
  }

  /** Notes the files that {@link OpenFiles.readLeft} could not read. */
  noteLeft(): void {
    for (const { files } of this.#left.values()) {
      for (const file of files) this.#parts.incomplete.note(file, 'unreadable', NOT_COPIED);
    }
  }

  /** @returns why it cannot be read, if other files may be; undefined if it was read */
  async #read(
    { remote, newOnly }: OpenFolder,
    file: FoundFile,
  ): Promise<ChildError | 'not-copied' | undefined> {
    const { clock, incomplete } = this.#parts;
    const { path, stamp } = file;
    const read = await remote.read(file);
    if (read === undefined) return undefined;
    if ('reason' in read) {
      incomplete.note(file, read.reason, read.detail);
      return read.failure;
    }
    incomplete.forget(path);
    const now = clock.now();
    const recordedAt = recordingTime(read, now) ?? now;
    if (remote.isOnMtp && newOnly?.isOld({ ...stamp, mtimeMs: recordedAt }) === true) {
      this.#intake.leaveOut([file]);
      return undefined;
    }
    if (stamp.size === 0) remote.tried.add(path);
    const contents = { stamp, ...unpacked(read) };
    const isTaken = await this.#intake.take({ ...file, recordedAt }, contents);
    return isTaken ? undefined : 'not-copied';
  }
}
