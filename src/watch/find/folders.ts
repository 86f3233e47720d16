import { within } from '../../base/tasks.ts';
import type { WatcherHealth } from '../../daemon/health.ts';
import type { WatchParts } from '../parts.ts';
import { RemoteFolder, type RemoteFolderParts } from './remote-folder.ts';
import { type FolderCalls, WatchedFolder } from './watched-folder.ts';

/** Longest wait for the first probe of the folders (ms). */
const FIRST_PROBE_MS = 1_000;

type FoldersParts = ConstructorParameters<typeof WatchedFolder>[1] &
  RemoteFolderParts &
  Pick<WatchParts, 'folders' | 'signal' | 'tasks'>;

/** The folders of a watcher. Those of devices come and go. */
export class Folders {
  readonly #parts: FoldersParts;
  readonly #calls: FolderCalls;
  readonly #folders = new Map<string, WatchedFolder>();
  /** The readers of removable folders, also of those whose device left: a call on it may still hang. */
  readonly #remote = new Map<string, RemoteFolder>();

  constructor(parts: FoldersParts, calls: Omit<FolderCalls, 'remote'>) {
    this.#parts = parts;
    this.#calls = { ...calls, remote: (path) => this.#remoteAt(path) };
    for (const path of parts.folders) {
      this.#folders.set(path, new WatchedFolder(path, parts, this.#calls));
    }
  }

  #remoteAt(path: string): RemoteFolder {
    const remote = this.#remote.get(path) ?? new RemoteFolder(path, this.#parts);
    this.#remote.set(path, remote);
    return remote;
  }

  get all(): readonly WatchedFolder[] {
    return [...this.#folders.values()];
  }

  /** The paths of those that are there now. */
  get there(): readonly string[] {
    return this.all.filter(({ isThere }) => isThere).map(({ path }) => path);
  }

  /** The folders' states, for the health report. */
  get snapshot(): WatcherHealth['folders'] {
    return this.all.map(({ path, state, reason }) => ({
      path,
      state,
      ...(reason === undefined ? {} : { reason }),
    }));
  }

  get areAllThere(): boolean {
    return this.all.every(({ isThere }) => isThere);
  }

  addRemovable(path: string): void {
    this.#folders.get(path)?.close();
    this.#folders.set(path, new WatchedFolder(path, this.#parts, this.#calls, true));
  }

  /** Removes a folder, and forgets the files in it. @returns how many recordings are not sent */
  remove(path: string): number {
    this.#folders.get(path)?.close();
    this.#folders.delete(path);
    this.#remote.get(path)?.probeSoon();
    return this.#calls.forgetBelow(path);
  }

  close(): void {
    for (const folder of this.all) folder.close();
  }

  /** Probes every folder; a hanging file system delays no other folder. */
  probe(): void {
    for (const folder of this.all) void this.#probe(folder);
  }

  async #probe(folder: WatchedFolder): Promise<void> {
    const { events, signal, tasks } = this.#parts;
    try {
      const observation = await folder.probe();
      if (observation === undefined || signal.aborted) return;
      events.post({ type: 'folder-probed', folder, observation });
    } catch (error) {
      tasks.failed(error);
    }
  }

  /** Probes the folders before the first rescan. A hanging file system is probed later. */
  async firstProbe(): Promise<void> {
    const { clock, signal } = this.#parts;
    const probes = Promise.all(this.all.map((folder) => this.#probe(folder)));
    await within(clock, FIRST_PROBE_MS, probes, signal);
  }
}
