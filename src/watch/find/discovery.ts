import type { Context } from '../../base/context.ts';
import type { WatchScope } from '../../daemon/watch-scope.ts';
import type { MtpReaders } from '../../devices/mtp/reader.ts';
import type { KnownFiles } from '../../ledger/known-files.ts';
import type { WatchMarks } from '../../ledger/watch-marks.ts';
import { isOnMtp } from '../../system/mtp-path.ts';
import type { InvalidReason, UploadItem } from '../../upload/report.ts';
import { Classifier, type FoundFile } from './classify.ts';
import { DeviceFolders, type DeviceTarget } from './device-folders.ts';
import { ALL_DEVICES, DeviceNames, knownByName, marksByName } from './device-names.ts';
import { EventHandler } from './event-handler.ts';
import { CHECK_MS, type EventQueue, type WatchEvent } from '../events.ts';
import type { FilesystemType } from './filesystem-type.ts';
import { Folders } from './folders.ts';
import { checkIncomplete } from './incomplete-checks.ts';
import { IncompleteFiles } from './incomplete-files.ts';
import { MtpFolders } from './mtp-folders.ts';
import type { Outbox } from '../send/outbox.ts';
import type { QueueItem } from '../send/queue.ts';
import type { WatchNotice } from '../report.ts';
import { RescanRounds } from './rescan-rounds.ts';
import { type RescanOptions, Rescanner } from './rescan.ts';
import type { Sighting, WatchedFolder } from './watched-folder.ts';

/** The events that {@link Discovery.handle} takes. */
type DiscoveryEvent = Extract<
  WatchEvent,
  {
    readonly type:
      | 'files-changed'
      | 'folder-checked'
      | 'mtp-rescanned'
      | 'devices-found'
      | 'device-claimed'
      | 'rescan-due'
      | 'incomplete-due';
  }
>;

/** The ledger that files are looked up in, and the calls that discovery makes. */
export interface DiscoveryTarget {
  readonly filesystemType: (folder: string) => FilesystemType;
  /** The kernel watches a whole tree with one handle. */
  readonly recursiveEvents: boolean;
  readonly known: KnownFiles;
  readonly marks: WatchMarks;
  readonly outbox: Outbox;
  readonly readers: MtpReaders;
  /** Absent: only the given folders are watched. */
  readonly devices: DeviceTarget | undefined;
  readonly events: EventQueue;
  readonly report: (notice: WatchNotice) => void;
  /** Called for a file that may be a recording to send. */
  readonly onCandidate: (item: QueueItem) => void;
  /** Takes over a file that was read from a device over MTP. @returns false if it cannot be kept now */
  readonly onRead: (item: QueueItem, bytes: Buffer) => Promise<boolean>;
  /** Called for a file that needs no work (the tally of `--once`). */
  readonly onSettled: (item: UploadItem) => void;
  /** Called when a watched folder appeared, or was replaced. */
  readonly onAppeared: () => void;
  /** Removes candidates below a folder that disappeared. @returns how many there were */
  readonly forgetCandidates: (folder: string) => number;
  /** Called after a change that the health report shows. */
  readonly onChange: () => void;
  readonly runBeside: (task: () => Promise<void>) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Finds recordings in watched folders and on devices, which come and go. File events, rescans and looks
 * at folders pass each file to the {@link Classifier}, which knows whether it needs work.
 */
export class Discovery {
  /** The known files, by names that do not depend on the mount point of a device. */
  readonly known: KnownFiles;
  readonly #target: DiscoveryTarget;
  readonly #incomplete: IncompleteFiles;
  readonly #classifier: Classifier;
  readonly #rescanner: Rescanner;
  readonly #mtpFolders: MtpFolders;
  readonly #eventHandler: EventHandler;
  readonly #folders: Folders;
  readonly #devices: DeviceFolders | undefined;
  readonly #rounds: RescanRounds;
  #unlisten: (() => void) | undefined;

  /** @param context its signal ends rescans and looks */
  constructor(
    context: Pick<Context, 'clock' | 'signal'>,
    options: RescanOptions & WatchScope,
    target: DiscoveryTarget,
  ) {
    const { events, readers, devices, filesystemType, recursiveEvents } = target;
    const names = new DeviceNames();
    const known = knownByName(target.known, names);
    const marks = marksByName(target.marks, names);
    const incomplete = new IncompleteFiles(context.clock);
    const classifier = new Classifier(context, { ...target, known, marks, incomplete });
    const parts = { known, marks, classifier, incomplete };
    const rescanner = new Rescanner(context, options, { ...target, ...parts });
    const mtpFolders = new MtpFolders(context, options, { ...target, ...parts, readers });
    this.known = known;
    this.#target = target;
    this.#incomplete = incomplete;
    this.#classifier = classifier;
    this.#rescanner = rescanner;
    this.#mtpFolders = mtpFolders;
    this.#eventHandler = new EventHandler({
      ...{ classifier, incomplete, rescanner },
      // One write fires several events: they are handled together.
      onQueued: () => setImmediate(() => events.post({ type: 'files-changed' })),
      rescanIn: (folder, ms) => this.#folders.rescanIn(folder, ms),
    });
    this.#folders = new Folders(context, {
      paths: options.folders,
      folder: {
        ...{ filesystemType, recursiveEvents },
        forcePolling: options.pollMs !== undefined,
        lookAtMtp: (path) => mtpFolders.lookAt(path),
        onName: (folder, parent, name) => this.#eventHandler.add(folder, parent, name),
        onRoot: () => events.post({ type: 'root-changed' }),
        onGone: (folder) => this.#forgetBelow(folder.path),
        onStateChange: (folder) => this.#reportState(folder),
      },
      onChecked: (folder, sighting) => events.post({ type: 'folder-checked', folder, sighting }),
      onError: target.onError,
    });
    this.#devices =
      devices &&
      new DeviceFolders(devices, {
        ...{ names, fixed: options.folders },
        addFolder: (path) => this.#folders.addRemovable(path),
        removeFolder: (path) => this.#folders.remove(path),
        forgetBelow: (folder) => this.#forgetBelow(folder),
        report: (notice) => {
          target.report(notice);
          target.onChange();
        },
        onClaimed: (claim) => events.post({ type: 'device-claimed', claim }),
      });
    this.#rounds = new RescanRounds(context, {
      ...target,
      ...{ rescanner, mtpFolders, folders: this.#folders },
    });
  }

  /** The folders, devices and incomplete files, for the health report. */
  get picture() {
    return {
      folders: this.#folders.picture,
      devices: this.#devices?.picture,
      unfinished: this.#incomplete.size,
    };
  }

  get areAllFoldersThere(): boolean {
    return this.#folders.areAllThere;
  }

  /** The watched folders that are there now. */
  get foldersThere(): readonly string[] {
    const there = this.#folders.all.filter(({ state }) => state !== 'waiting');
    return there.map(({ path }) => path);
  }

  /** Posts an event for each change of the devices, until {@link Discovery.stop}. */
  listen(): void {
    const { devices, events } = this.#target;
    this.#unlisten = devices?.source.listen((found) =>
      events.post({ type: 'devices-found', devices: found }),
    );
  }

  /** Plugs in the devices that are there at the start: resolves when their events are posted. */
  async findDevices(): Promise<void> {
    const { devices } = this.#target;
    if (devices === undefined || this.#devices === undefined) return;
    this.#rescanner.expect(ALL_DEVICES);
    this.#devices.update(devices.source.devices);
    await this.#devices.settled();
  }

  /** Looks at the folders for the first time: resolves when their events are posted. */
  async firstCheck(): Promise<void> {
    await this.#folders.firstCheck();
  }

  /** Reports the folders that are missing, and starts the first rescan. */
  start(): void {
    for (const folder of this.#folders.all) {
      if (folder.state !== 'waiting') continue;
      this.#reportState(folder);
      folder.isAnnounced = true;
      // A device over MTP may be there and slow: its first look decides.
      if (!isOnMtp(folder.path)) this.#rescanner.expect(folder.path);
    }
    this.#rounds.start();
  }

  /**
   * Rescans every folder once, and reports the missing ones, for `--once`.
   *
   * @throws the signal's reason when it is aborted; ledger errors
   */
  async rescanOnce(): Promise<void> {
    const { onSettled } = this.#target;
    for (const folder of this.#folders.all) {
      await folder.check();
      folder.close();
      if (folder.state !== 'waiting') await this.#rounds.rescan(folder);
      if (folder.state === 'waiting') {
        const detail = folder.reason ?? 'There is no such folder now.';
        onSettled({ path: folder.path, outcome: 'invalid', reason: 'unreadable', detail });
      }
    }
  }

  /** Reports every incomplete file, for `--once`. */
  settleIncomplete(): void {
    for (const { path, reason, detail } of this.#incomplete.all()) {
      this.#target.onSettled({ path, outcome: 'invalid', reason, detail });
    }
  }

  /** Handles an event of files, folders or devices. It awaits nothing. */
  handle(event: DiscoveryEvent): void {
    const { events, onChange } = this.#target;
    switch (event.type) {
      case 'files-changed':
        this.#eventHandler.handle();
        onChange();
        return;
      case 'folder-checked':
      case 'mtp-rescanned':
        this.#onChecked(event.folder, event.sighting);
        return;
      case 'devices-found':
        this.#devices?.update(event.devices);
        return;
      case 'device-claimed':
        this.#devices?.claimed(event.claim);
        events.setTimer('check-due', 0);
        return;
      case 'rescan-due':
        this.#rounds.start();
        return;
      case 'incomplete-due': {
        const [incomplete, classifier] = [this.#incomplete, this.#classifier];
        checkIncomplete({ ...this.#target, incomplete, classifier });
        onChange();
      }
    }
  }

  /** Sets the timers that follow from the state of folders and files. */
  setTimers(): void {
    const { events } = this.#target;
    events.setTimer('rescan-due', this.#rounds.waitMs);
    events.setTimer('incomplete-due', this.#incomplete.waitMs ?? Infinity);
  }

  /** Looks at every folder. */
  check(): void {
    this.#folders.check();
  }

  /** Ends a round of rescans: call it for the event `rescanned`. */
  rescanned(): void {
    this.#rounds.ended();
  }

  /** Rescans every folder soon: the machine slept, and events may be lost. */
  rescanAll(): void {
    for (const folder of this.#folders.all) this.#folders.rescanIn(folder, 0);
  }

  /** Records a candidate that turned out to be incomplete. */
  noteIncomplete(file: FoundFile, reason: InvalidReason, detail: string): void {
    this.#classifier.noteIncomplete(file, reason, detail);
  }

  /** Ends the events of folders and devices. May be called twice. */
  stop(): void {
    this.#unlisten?.();
    this.#folders.close();
  }

  /** Stops, and releases the devices to other watchers. May be called twice. */
  async close(): Promise<void> {
    this.stop();
    await this.#devices?.close();
  }

  #onChecked(folder: WatchedFolder, sighting: Sighting): void {
    // The folder of a device that left meanwhile.
    if (!this.#folders.has(folder)) return;
    const isGone = 'missing' in sighting && sighting.missing === undefined;
    if (isGone && this.#devices?.folderGone(folder.path) === true) return;
    const appearance = folder.apply(sighting);
    if (appearance === 'same') return;
    this.#rescanner.forgetProblems();
    if (appearance === 'gone') this.#target.events.setTimer('check-due', CHECK_MS);
    else {
      this.#target.onAppeared();
      this.#folders.rescanIn(folder, 0);
    }
  }

  #reportState({ path, state, reason, left, removable }: WatchedFolder): void {
    const why = reason === undefined ? {} : { reason };
    const onDevice = removable && left > 0 ? { left } : {};
    this.#target.report({ event: 'folder', folder: path, state, ...why, ...onDevice });
    this.#target.onChange();
  }

  /** Forgets the files in a folder that disappeared. @returns how many recordings are not sent */
  #forgetBelow(folder: string): number {
    // Reading them failed since the folder disappeared.
    const failed = this.#incomplete
      .forgetBelow(folder)
      .filter(({ reason }) => reason === 'unreadable');
    const queued = this.#target.forgetCandidates(folder);
    return failed.length + queued + this.#mtpFolders.leftOn(folder);
  }
}
