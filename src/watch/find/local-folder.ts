import { opendirSync, statSync } from 'node:fs';
import { systemCode } from '../../base/errors.ts';
import { type WalkResult, walk } from '../../inputs/find-files.ts';
import { isActivityName } from '../../inputs/recording-names.ts';
import { describeFileError } from '../../system/plain-file.ts';
import type { Observation } from '../events.ts';
import { BATCH, type FolderReader } from './folder-reader.ts';
import { FolderEvents, type FolderListener } from './fs-events.ts';

/** Longest slice before other events and requests are handled (ms). */
const SLICE_MS = 20;

/** A folder whose calls return at once. Its changes fire events. */
export class LocalFolder implements FolderReader {
  readonly reported = new Set<string>();
  readonly #path: string;
  #events: FolderEvents | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  get events(): FolderEvents | undefined {
    return this.#events;
  }

  /** Makes the calls on the main thread: a thread of Node's pool would wake up for each. */
  probe(): Promise<Observation> {
    return Promise.resolve(observe(this.#path));
  }

  async *list(_again: ReadonlySet<string>, signal: AbortSignal): AsyncGenerator<WalkResult[]> {
    let batch: WalkResult[] = [];
    let end = performance.now() + SLICE_MS;
    for (const found of this.walk()) {
      batch.push(found);
      const isOver = performance.now() >= end;
      if (batch.length < BATCH && !isOver) continue;
      yield batch;
      batch = [];
      if (!isOver) continue;
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
      end = performance.now() + SLICE_MS;
    }
    yield batch;
  }

  /** Walks the folder or one below it, and watches each folder before it is read: events may have missed its creation. */
  *walk(path = this.#path): Generator<WalkResult, undefined> {
    for (const found of walk(path, isActivityName)) {
      if (found.found === 'folder') this.#events?.coverOne(found.path);
      yield found;
    }
  }

  /**
   * Starts the events, in place of earlier ones. The next walk adds those of the folders below.
   *
   * @param recursive one handle for the whole tree
   * @returns why they are unreliable from the start; later, the listener hears it
   */
  watch(recursive: boolean, listener: FolderListener): string | undefined {
    this.close();
    const events = new FolderEvents(this.#path, recursive, listener);
    const failure = events.start();
    this.#events = events;
    return failure;
  }

  /** Ends the events: the folder left, or another one came. Its problems are reported again. May be called twice. */
  close(): void {
    this.reported.clear();
    this.#events?.close();
    this.#events = undefined;
  }
}

function observe(path: string): Observation {
  try {
    const found = statSync(path);
    if (!found.isDirectory()) return { missing: 'It is a file.' };
    // Only opening it shows whether it is readable: the mode is not the only rule.
    opendirSync(path).closeSync();
    return { identity: `${found.dev}:${found.ino}:${found.birthtimeMs}` };
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    // Other reasons pass.
    const lasting = ['EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'];
    return { missing: lasting.includes(code) ? describeFileError(error) : undefined };
  }
}
