import { CHECK_MS } from '../events.ts';
import type { WatchParts } from '../parts.ts';
import type { Intake } from '../send/intake.ts';
import { Classifier } from './classify.ts';
import { DeviceFolders } from './device-folders.ts';
import { ALL_DEVICES } from './device-names.ts';
import { EventHandler } from './event-handler.ts';
import { Folders } from './folders.ts';
import { RemoteFolders } from './remote-folders.ts';
import { Rescanner } from './rescan.ts';
import type { Observation, WatchedFolder } from './watched-folder.ts';

/**
 * Finds recordings in watched folders and on devices, which come and go. File events and rescans
 * pass each file to the {@link Classifier}, which knows whether it needs work.
 */
export class Discovery {
  readonly classifier: Classifier;
  readonly rescanner: Rescanner;
  readonly eventHandler: EventHandler;
  readonly folders: Folders;
  readonly devices: DeviceFolders | undefined;
  readonly remoteFolders: RemoteFolders;
  readonly #parts: WatchParts;
  readonly #intake: Intake;
  #unlisten: (() => void) | undefined;

  constructor(parts: WatchParts, intake: Intake) {
    this.#parts = parts;
    this.#intake = intake;
    this.classifier = new Classifier(parts, intake);
    this.remoteFolders = new RemoteFolders(parts, this.classifier, intake);
    this.folders = new Folders(parts, {
      probeRemovable: (path) => this.remoteFolders.probe(path),
      onName: (...changed) => this.eventHandler.add(...changed),
      forgetBelow: (path) => this.#forgetBelow(path),
    });
    this.rescanner = new Rescanner(parts, this.classifier, this.folders, this.remoteFolders);
    this.eventHandler = new EventHandler(parts, this.classifier, this.rescanner);
    this.devices = parts.deviceAccess && new DeviceFolders(parts, parts.deviceAccess, this.folders);
  }

  /** The folders, devices and incomplete files, for the health report. */
  get snapshot() {
    return {
      folders: this.folders.snapshot,
      devices: this.devices?.snapshot,
      unfinished: this.#parts.incomplete.size,
    };
  }

  /** The watched folders that are there now. */
  get foldersThere(): readonly string[] {
    const there = this.folders.all.filter(({ isThere }) => isThere);
    return there.map(({ path }) => path);
  }

  /** Posts an event for each change of the devices, until {@link Discovery.close}. */
  listen(): void {
    const { deviceAccess, events } = this.#parts;
    this.#unlisten = deviceAccess?.source.listen(() => events.post({ type: 'devices-found' }));
  }

  /** Plugs in the devices that are there at the start: resolves when their events are posted. */
  async findDevices(): Promise<void> {
    if (this.devices === undefined) return;
    this.rescanner.expect(ALL_DEVICES);
    this.devices.update();
    await this.devices.settled();
  }

  /** Reports the folders that are missing, and starts the first rescan. */
  start(): void {
    for (const folder of this.folders.all) {
      if (folder.isThere) continue;
      folder.announce();
      // A device may be there and slow: its first probe decides.
      if (!folder.removable) this.rescanner.expect(folder.path);
    }
    this.rescanner.start();
  }

  /**
   * Rescans every folder once, and reports the missing ones, for `--once`.
   *
   * @throws the signal's reason when it is aborted; ledger errors
   */
  async rescanOnce(): Promise<void> {
    const { onSettled } = this.#parts;
    for (const folder of this.folders.all) {
      await folder.check();
      folder.close();
      if (folder.isThere) await this.rescanner.rescanOnce(folder);
      if (!folder.isThere) {
        const detail = folder.reason ?? 'There is no such folder now.';
        onSettled?.({ path: folder.path, outcome: 'invalid', reason: 'unreadable', detail });
      }
    }
  }

  settleIncomplete(): void {
    const { incomplete, onSettled } = this.#parts;
    this.remoteFolders.noteLeft();
    for (const { path, reason, detail } of incomplete.all()) {
      onSettled?.({ path, outcome: 'invalid', reason, detail });
    }
  }

  setTimers(): void {
    const { events, incomplete } = this.#parts;
    events.setTimer('rescan-due', this.rescanner.waitMs);
    events.setTimer('incomplete-due', incomplete.waitMs ?? Infinity);
  }

  /** Rescans every folder soon: the machine slept, and events may be lost. */
  rescanAll(): void {
    for (const folder of this.folders.all) folder.rescanIn(0);
  }

  /** Ends the events of folders and devices, and releases the devices to other watchers. */
  async close(): Promise<void> {
    this.#unlisten?.();
    this.folders.close();
    await this.devices?.close();
  }

  /** Takes over the observations of the folders that were probed. */
  foldersProbed(): void {
    for (const folder of this.folders.all) {
      const { observation } = folder;
      folder.observation = undefined;
      if (observation !== undefined) this.#probed(folder, observation);
    }
  }

  #probed(folder: WatchedFolder, observation: Observation): void {
    const { events } = this.#parts;
    const isGone = 'missing' in observation && observation.missing === undefined;
    if (isGone && this.devices?.folderGone(folder.path) === true) return;
    const appearance = folder.apply(observation);
    if (appearance === 'same') return;
    this.rescanner.forgetProblems();
    if (appearance === 'gone') events.setTimer('check-due', CHECK_MS);
    else {
      events.post({ type: 'folder-appeared' });
      folder.rescanIn(0);
    }
  }

  /** Forgets the files in a folder that disappeared. @returns how many recordings are not sent */
  #forgetBelow(folder: string): number {
    // Reading them failed since the folder disappeared.
    const failed = this.#parts.incomplete
      .forgetBelow(folder)
      .filter(({ reason }) => reason === 'unreadable');
    const unread = this.#intake.forgetBelow(folder);
    const left = failed.length + unread + this.remoteFolders.leftOn(folder);
    this.remoteFolders.forget(folder);
    return left;
  }
}
