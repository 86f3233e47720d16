import { readFile } from 'node:fs/promises';
import { systemCode } from '../../base/errors.ts';
import { checkEnvelope } from '../../fit/envelope.ts';
import { readFitWellness } from '../../fit/wellness.ts';
import type { FileStamp } from '../../ledger/known-files.ts';
import type { MeasuredFile } from '../../ledger/wellness.ts';
import { ChildError } from '../../system/child-call.ts';
import { describeFileError } from '../../system/plain-file.ts';
import { isBelow } from '../../system/mounts.ts';
import type { DeviceFolders } from '../find/device-folders.ts';
import type { FolderReader } from '../find/folder-reader.ts';
import type { Folders } from '../find/folders.ts';
import type { WatchParts } from '../parts.ts';
import { LocalFolder } from '../find/local-folder.ts';
import { RemoteFolder } from '../find/remote-folder.ts';
import type { FoundFile } from '../send/intake.ts';
import { foldersIn, wellnessFolders } from './folders.ts';

/** Limits a file with wellness; those of devices are below 1 MB (bytes). */
const MAX_BYTES = 64 * 1024 * 1024;

type WellnessFilesParts = Pick<
  WatchParts,
  'clock' | 'dryRun' | 'filesystemType' | 'ledger' | 'names' | 'readers' | 'report' | 'signal'
>;

/**
 * Reads new and changed files in wellness folders into the ledger, each once. So their days can be sent
 * after the device has left.
 */
export class WellnessFiles {
  readonly #parts: WellnessFilesParts;
  readonly #watched: Folders;
  readonly #devices: DeviceFolders | undefined;
  readonly #remoteFolders = new Map<string, RemoteFolder>();
  readonly #reported = new Set<string>();

  /** @param watched the folders of the watcher */
  constructor(parts: WellnessFilesParts, watched: Folders, devices: DeviceFolders | undefined) {
    this.#parts = parts;
    this.#watched = watched;
    this.#devices = devices;
  }

  /**
   * Reads the files that are new or changed into the ledger.
   *
   * @returns the files that it read, which a dry run does not record
   * @throws the signal's reason when it is aborted; ledger errors
   */
  async read(): Promise<readonly MeasuredFile[]> {
    const { dryRun, ledger } = this.#parts;
    const found: MeasuredFile[] = [];
    for (const folder of await this.#folders()) {
      for (const { path, stamp } of await this.#unread(folder)) {
        const file = await this.#measure(path, stamp);
        if (file === 'silent') break;
        if (file === undefined) continue;
        found.push(file);
        if (!dryRun) ledger.records.wellness.putFile(file, stamp);
      }
    }
    return found;
  }

  /** Reads the sizes of all files on devices over MTP again: a device was plugged in. */
  forget(): void {
    this.#remoteFolders.clear();
  }

  async #folders(): Promise<readonly string[]> {
    const { readers, signal } = this.#parts;
    const plugged = this.#devices?.plugged ?? [];
    const found = new Set(plugged.flatMap(({ wellness }) => wellness));
    for (const folder of this.#watched.there) {
      const isFound = plugged.some(({ recordings }) => recordings.includes(folder));
      if (isFound) continue;
      const list = this.#mayHang(folder)
        ? (path: string) => readers.of(folder).list(path, signal)
        : foldersIn;
      const search = await this.#remote(() => wellnessFolders(folder, list));
      for (const path of search ?? []) found.add(path);
    }
    return [...found];
  }

  async #unread(folder: string): Promise<readonly Pick<FoundFile, 'path' | 'stamp'>[]> {
    const { ledger, signal } = this.#parts;
    const files: Pick<FoundFile, 'path' | 'stamp'>[] = [];
    await this.#remote(async () => {
      for await (const batch of this.#readerOf(folder).list(new Set(), signal)) {
        for (const found of batch) {
          const { path } = found;
          if (found.found === 'problem' && !found.isGone) this.#reportProblem(path, found.problem);
          if (found.found !== 'file' || !/\.fit$/i.test(path)) continue;
          if (!ledger.records.wellness.isRead(path, found.stamp)) files.push(found);
        }
      }
    });
    return files;
  }

  #readerOf(folder: string): FolderReader {
    if (!this.#mayHang(folder)) return new LocalFolder(folder);
    const remote = this.#remoteFolders.get(folder) ?? new RemoteFolder(folder, this.#parts);
    this.#remoteFolders.set(folder, remote);
    return remote;
  }

  /** Asks a device. @returns undefined if it does not answer, or has left */
  async #remote<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      this.#parts.signal.throwIfAborted();
      // The rescan of its recordings reports that.
      if (error instanceof ChildError) return undefined;
      throw error;
    }
  }

  /** Reads a file. @returns undefined if it cannot be read; `silent`: nor can the others in its folder */
  async #measure(path: string, { size }: FileStamp): Promise<MeasuredFile | 'silent' | undefined> {
    const { signal } = this.#parts;
    if (size > MAX_BYTES) {
      this.#reportProblem(path, `It is larger than ${MAX_BYTES / 1024 ** 2} MB: it is not read.`);
      return undefined;
    }
    try {
      const bytes = this.#mayHang(path)
        ? await this.#parts.readers.of(path).read(path, MAX_BYTES, signal)
        : await readFile(path, { signal });
      const envelope = checkEnvelope(bytes);
      if (envelope.state === 'whole') return { path, samples: readFitWellness(bytes) };
      if (envelope.state === 'corrupt') this.#reportDamage(path, envelope.detail);
      // Its last measurement may not be the day's last. It is read again when it changes.
      return { path, samples: [] };
    } catch (error) {
      signal.throwIfAborted();
      const code = systemCode(error);
      if (code === undefined) throw error;
      // Every other file would take as long.
      if (code === 'ETIMEDOUT') return 'silent';
      // The device has left. The next rescan that finds it reads the file.
      if (code !== 'ENOENT') this.#reportProblem(path, describeFileError(error));
      return undefined;
    }
  }

  #mayHang(path: string): boolean {
    const isOnDevice = this.#devices?.plugged.some(({ root }) => isBelow(path, root));
    return isOnDevice === true || this.#parts.filesystemType(path).removable;
  }

  #reportDamage(path: string, detail: string): void {
    // The rescan of a watched folder reports each damaged file in it.
    const isRescanned = this.#watched.there.some((folder) => isBelow(path, folder));
    if (!isRescanned) this.#reportProblem(path, detail);
  }

  #reportProblem(path: string, message: string): void {
    if (this.#reported.has(`${path}: ${message}`)) return;
    this.#reported.add(`${path}: ${message}`);
    this.#parts.report({ event: 'problem', path, message });
  }
}
