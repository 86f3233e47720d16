import { readFile } from 'node:fs/promises';
import type { Context } from '../base/context.ts';
import { systemCode } from '../base/errors.ts';
import { readFitWellness } from '../fit/wellness.ts';
import type { FileStamp } from '../ledger/known-files.ts';
import type { MeasuredFile, WellnessLedger } from '../ledger/wellness.ts';
import { describeFileError } from '../upload/find-files.ts';
import type { WatchNotice } from './report.ts';
import { inSlices, walk } from './walk.ts';

/** Limits a file with wellness; those of devices are below 1 MB (bytes). */
const MAX_BYTES = 64 * 1024 * 1024;

/** The ledger that keeps what the files hold, and the folders of the files. */
export interface WellnessFilesTarget {
  readonly ledger: WellnessLedger;
  /** Returns the folders that are there now. */
  readonly folders: () => readonly string[];
  readonly report: (notice: WatchNotice) => void;
}

/**
 * Reads new and changed files in wellness folders into the ledger, each once. So their days can be sent
 * after the device has left.
 */
export class WellnessFiles {
  readonly #context: Pick<Context, 'signal'>;
  readonly #target: WellnessFilesTarget;
  readonly #dryRun: boolean;
  /** Problems that were reported. */
  readonly #reported = new Set<string>();

  constructor(
    context: Pick<Context, 'signal'>,
    options: { readonly dryRun: boolean },
    target: WellnessFilesTarget,
  ) {
    this.#context = context;
    this.#target = target;
    this.#dryRun = options.dryRun;
  }

  /**
   * Reads the files that are new or changed.
   *
   * @returns what a dry run read, which it does not record
   * @throws the signal's reason when it is aborted; ledger errors
   */
  async read(): Promise<readonly MeasuredFile[]> {
    const { ledger, folders } = this.#target;
    const found: MeasuredFile[] = [];
    for (const folder of folders()) {
      for (const { path, stamp } of await this.#unread(folder)) {
        const file = await this.#measure(path, stamp);
        if (file === undefined) continue;
        if (this.#dryRun) found.push(file);
        else ledger.putFile(file, stamp);
      }
    }
    return found;
  }

  async #unread(folder: string): Promise<readonly FoundFile[]> {
    const { signal } = this.#context;
    const { ledger } = this.#target;
    const files: FoundFile[] = [];
    await inSlices(
      walk(folder),
      (found) => {
        if (found.found === 'problem') this.#reportProblem(found.path, found.problem);
        if (found.found !== 'file' || !/\.fit$/i.test(found.path)) return;
        if (!ledger.isRead(found.path, found.stamp)) files.push(found);
      },
      (slice) => slice(),
      signal,
    );
    return files;
  }

  async #measure(path: string, { size }: FileStamp): Promise<MeasuredFile | undefined> {
    const { signal } = this.#context;
    if (size > MAX_BYTES) {
      this.#reportProblem(path, `It is larger than ${MAX_BYTES / 1024 ** 2} MB: it is not read.`);
      return undefined;
    }
    try {
      const bytes = await readFile(path, { signal });
      return { path, samples: readFitWellness(bytes) };
    } catch (error) {
      signal.throwIfAborted();
      const code = systemCode(error);
      if (code === undefined) throw error;
      // The device has left. The next rescan that finds it reads the file.
      if (code !== 'ENOENT') this.#reportProblem(path, describeFileError(error));
      return undefined;
    }
  }

  #reportProblem(path: string, message: string): void {
    if (this.#reported.has(`${path}: ${message}`)) return;
    this.#reported.add(`${path}: ${message}`);
    this.#target.report({ event: 'problem', path, message });
  }
}

interface FoundFile {
  readonly path: string;
  readonly stamp: FileStamp;
}
