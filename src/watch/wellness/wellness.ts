import { type ErrorCode, type Failure, SyncError } from '../../base/errors.ts';
import { phrase, sync } from '../../base/phrase.ts';
import type { MeasuredFile } from '../../ledger/wellness.ts';
import { type RecordItem, deliverRecords } from '../../records/deliver.ts';
import { rankBy } from '../../records/prefer.ts';
import { credibleSamples } from '../../records/wellness/fit-choice.ts';
import type { PreparedRecord, Rank, Zone } from '../../records/types.ts';
import { isLoginFailure } from '../send/circuit-breaker.ts';
import { FAILED_PAUSE_MS, patientClient } from '../send/refusal-backoff.ts';
import { CHECK_MS } from '../events.ts';
import type { DeviceFolders } from '../find/device-folders.ts';
import type { Folders } from '../find/folders.ts';
import type { WatchParts } from '../parts.ts';
import { planDays } from './days.ts';
import { WellnessFiles } from './files.ts';

/** Interval of reading the folders (ms). */
const READ_MS = 5 * 60_000;
/** Interval of checks for days that are due (ms). */
const WELLNESS_MS = 60_000;
/** In-flight days at once. */
const AT_ONCE = 2;

const SHARED_SCALE = {
  message:
    'The weights on the device are of several users, and it does not tell which of them is you: no weight is sent.',
  hint: phrase`${sync('push', 'wellness', '--user', 'NUMBER')} with the same folder sends those of one.`,
};

type WellnessParts = ConstructorParameters<typeof WellnessFiles>[0] &
  Pick<
    WatchParts,
    'breaker' | 'changed' | 'client' | 'clock' | 'delivers' | 'events' | 'prefer' | 'url' | 'zone'
  >;

/**
 * Reads the wellness files of devices, and sends completed days, each once, after the recordings. A failure
 * delays no recording, only the days.
 */
export class Wellness {
  readonly #parts: WellnessParts;
  readonly #files: WellnessFiles;
  readonly #rank: Rank;
  /** Why days could not be sent, and when they are tried again (monotonic clock, ms). */
  #hindrance: { readonly code: ErrorCode; readonly retryAt: number } | undefined;
  #readAt = -Infinity;
  #saidScale = false;
  readonly #saidLeftOut = new Set<string>();
  #isChecking = false;
  #sent = 0;
  /** Days that wait since the last attempt. */
  #waiting = 0;

  constructor(parts: WellnessParts, folders: Folders, devices: DeviceFolders | undefined) {
    this.#parts = parts;
    this.#files = new WellnessFiles(parts, folders, devices);
    this.#rank = rankBy(parts.prefer);
  }

  /** Days that were sent, and that wait. */
  get snapshot(): { readonly sent: number; readonly waiting: number } {
    return { sent: this.#sent, waiting: this.#waiting };
  }

  get isHindered(): boolean {
    return this.#hindrance !== undefined;
  }

  get #isReadDue(): boolean {
    return this.#parts.clock.monotonic() - this.#readAt >= READ_MS;
  }

  checkSoon(): void {
    this.#parts.events.setTimer('days-due', 0);
  }

  /** Reads the folders soon: one of them appeared. */
  readSoon(): void {
    this.#readAt = -Infinity;
    this.#files.forget();
    this.checkSoon();
  }

  /** Retries with the next check: the network is back, or the machine woke up. */
  tryNow(): void {
    if (this.#hindrance?.code === 'NETWORK')
      this.#hindrance = { code: 'NETWORK', retryAt: -Infinity };
  }

  /**
   * Reads new files, if that is due, and sends the days that are due, if the service may be called now.
   *
   * @param recordingsWait they are sent first
   * @throws SyncError if the login has ended; ledger errors
   */
  async check(recordingsWait: boolean): Promise<void> {
    if (this.#isChecking) return;
    const { breaker, changed, delivers, events, signal } = this.#parts;
    // While nothing can be sent, the files are read before their device leaves.
    if (recordingsWait && delivers && breaker.state.state === 'closed') {
      events.setTimer('days-due', CHECK_MS);
      return;
    }
    this.#isChecking = true;
    try {
      await this.#check();
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#isChecking = false;
      events.setTimer('days-due', this.#isReadDue ? 0 : WELLNESS_MS);
      changed();
    }
  }

  async #check(): Promise<void> {
    const { breaker, clock, delivers, dryRun, zone } = this.#parts;
    const { records } = this.#parts.ledger;
    let read: Awaited<ReturnType<WellnessFiles['read']>> = [];
    if (this.#isReadDue) {
      // A folder that appears meanwhile is read with the next check.
      this.#readAt = clock.monotonic();
      read = await this.#files.read();
    }
    if (read.length === 0 && records.wellness.openFiles().length === 0) return;
    const when = { zone: await zone(), now: clock.now(), rank: this.#rank };
    this.#reportLeftOut(read, when);
    const unrecorded = dryRun ? read : [];
    const { due, isScaleShared, settle } = await planDays(records, unrecorded, when);
    if (isScaleShared) this.#reportScale();
    this.#waiting = due.length;
    const isPaused = clock.monotonic() < (this.#hindrance?.retryAt ?? -Infinity);
    if (!delivers || isPaused || breaker.waitMs > 0) return;
    const left = due.length === 0 ? new Set<string>() : await this.#send(due);
    if (!dryRun) settle(left);
  }

  /** Sends days. @returns those that the service did not answer */
  async #send(due: readonly PreparedRecord[]): Promise<ReadonlySet<string>> {
    const { dryRun, ledger, url } = this.#parts;
    const left = new Map(due.map((record) => [record.date, record]));
    let failure: Failure | undefined;
    let retryAfterMs = 0;
    const client = async () =>
      patientClient(await this.#parts.client(), (ms) => {
        retryAfterMs = Math.max(retryAfterMs, ms);
      });
    const onItem = (item: RecordItem) => {
      const record = left.get(item.date);
      if (item.outcome === 'failed') failure ??= item;
      else if (record !== undefined) {
        left.delete(item.date);
        this.#waiting = left.size;
        this.#settleDay(item, record);
      }
    };
    const options = { force: false, dryRun, jobs: AT_ONCE, rank: this.#rank } as const;
    const target = { ledger: ledger.records, client, url, report: onItem };
    await deliverRecords(this.#parts, due, options, target);
    if (failure === undefined) {
      this.#hindrance = undefined;
      this.#parts.breaker.succeeded();
    } else this.#hinder(failure, retryAfterMs);
    return new Set(left.keys());
  }

  /** Reports the measurements that never count, once: a file is read once, unless it just changed. */
  #reportLeftOut(
    read: readonly MeasuredFile[],
    when: { readonly zone: Zone; readonly now: number },
  ): void {
    const files = read.map(({ path, samples }) => ({ name: path, origin: path, samples }));
    for (const message of credibleSamples(files, when).warnings) {
      if (this.#saidLeftOut.has(message)) continue;
      this.#saidLeftOut.add(message);
      this.#parts.report({ event: 'values-left', message });
    }
  }

  #reportScale(): void {
    if (this.#saidScale) return;
    this.#saidScale = true;
    this.#parts.report({ event: 'weights-left', ...SHARED_SCALE });
  }

  #settleDay(item: RecordItem, { digest, fields }: PreparedRecord): void {
    const { report } = this.#parts;
    const { wellness } = this.#parts.ledger.records;
    const notice = { event: 'day', item, fields: { date: item.date, ...fields } } as const;
    switch (item.outcome) {
      case 'pushed':
        this.#sent++;
        wellness.noteWatched(item.date, digest);
        report(notice);
        return;
      case 'rejected':
        wellness.noteRefusal(item.date, digest);
        // It is repeated after a pause, and reported once.
        if (wellness.day(item.date).refusal?.refusals === 1) report(notice);
        return;
      case 'would-push':
        report(notice);
        return;
      default:
        return;
    }
  }

  /** Pauses the days, and reports that once for a cause. @throws SyncError if the login has ended */
  #hinder(failure: Failure, retryAfterMs: number): void {
    const { clock, report } = this.#parts;
    const { code, message } = failure;
    const isScope = code === 'SCOPE_MISSING';
    if (isLoginFailure(code) && !isScope) {
      throw new SyncError(code, message, { hint: failure.hint });
    }
    const isNews = this.#hindrance?.code !== code;
    // The scope comes with the next login, and its watcher.
    const pauseMs = isScope ? Infinity : Math.max(retryAfterMs, FAILED_PAUSE_MS);
    this.#hindrance = { code, retryAt: clock.monotonic() + pauseMs };
    // Other failures pass: the watcher does what their hints ask for.
    const hint = isScope ? failure.hint : undefined;
    if (isNews) report({ event: 'days-waiting', code, message, hint, days: this.#waiting });
  }
}
