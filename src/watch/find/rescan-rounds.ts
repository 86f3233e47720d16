import type { Context } from '../../base/context.ts';
import { isOnMtp } from '../../system/mtp-path.ts';
import type { EventQueue } from '../events.ts';
import type { Folders } from './folders.ts';
import type { MtpFolders } from './mtp-folders.ts';
import { RESCAN_MS, type Rescanner } from './rescan.ts';
import type { WatchedFolder } from './watched-folder.ts';

/** Pause before a folder on an MTP mount that was not rescanned is tried again (ms). */
const MTP_RETRY_MS = 5_000;

export interface RescanRoundsTarget {
  readonly folders: Folders;
  readonly rescanner: Rescanner;
  readonly mtpFolders: MtpFolders;
  readonly events: EventQueue;
  /** Runs a task beside the event loop. */
  readonly runBeside: (task: () => Promise<void>) => void;
  readonly onError: (error: unknown) => void;
}

/** Rescans the folders that are due, in rounds. */
export class RescanRounds {
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #target: RescanRoundsTarget;
  #isRunning = false;
  /** The next round without a folder: all devices are away (ms of the monotonic clock). */
  #emptyRoundAt = -Infinity;

  /** @param context its signal ends a round */
  constructor(context: Pick<Context, 'clock' | 'signal'>, target: RescanRoundsTarget) {
    this.#context = context;
    this.#target = target;
  }

  /** Time until the next round (ms); Infinity while one runs. */
  get waitMs(): number {
    return this.#isRunning ? Infinity : this.#dueAt - this.#context.clock.monotonic();
  }

  /** Starts a round of the folders that are due, one after another. It ends with the event `rescanned`. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { rescanner, events, runBeside, onError } = this.#target;
    const now = this.#context.clock.monotonic();
    const isDue = this.#dueAt <= now;
    const due = this.#target.folders.all.filter(({ rescanAt }) => rescanAt <= now);
    this.#emptyRoundAt = now + RESCAN_MS;
    // A device over MTP may take minutes, or not answer.
    for (const folder of due.filter(({ path }) => isOnMtp(path))) {
      runBeside(() => this.#rescanMtp(folder));
    }
    runBeside(async () => {
      let files = 0;
      let complete = isDue;
      for (const folder of due.filter(({ path }) => !isOnMtp(path))) {
        if (this.#context.signal.aborted) return;
        try {
          files += await rescanner.rescan(folder);
        } catch (error) {
          onError(error);
          complete = false;
        }
      }
      events.post({ type: 'rescanned', files, complete });
    });
  }

  /** Ends a round: call it for the event `rescanned`. */
  ended(): void {
    this.#isRunning = false;
  }

  /** Rescans one folder, for `--once`. */
  async rescan(folder: WatchedFolder): Promise<void> {
    if (!isOnMtp(folder.path)) {
      await this.#target.rescanner.rescan(folder);
      return;
    }
    const rescan = await this.#target.mtpFolders.rescan(folder.path);
    if (rescan !== undefined) folder.apply(rescan.sighting);
  }

  /** The next round. Without a folder, a round still shows that the watcher is alive. */
  get #dueAt(): number {
    const { all, rescanAt } = this.#target.folders;
    return all.length === 0 ? this.#emptyRoundAt : rescanAt;
  }

  async #rescanMtp(folder: WatchedFolder): Promise<void> {
    const { clock } = this.#context;
    const { mtpFolders, events, onError } = this.#target;
    // Until it ends, or the device is back.
    folder.rescanAt = Infinity;
    if (folder.state === 'waiting') return;
    try {
      const rescan = await mtpFolders.rescan(folder.path);
      if (rescan !== undefined) {
        folder.rescanAt = clock.monotonic() + rescan.pauseMs;
        events.post({ type: 'mtp-rescanned', folder, sighting: rescan.sighting });
        return;
      }
    } catch (error) {
      onError(error);
    }
    // An earlier rescan still runs, or the ledger failed.
    folder.rescanAt = clock.monotonic() + MTP_RETRY_MS;
    events.post({ type: 'rescan-due' });
  }
}
