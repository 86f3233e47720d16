import type { Context } from '../../base/context.ts';
import { SyncError } from '../../base/errors.ts';
import { phrase, sync } from '../../base/phrase.ts';
import type { ServiceClient } from '../../api/client.ts';
import type { MtpReaders } from '../../devices/mtp/reader.ts';
import type { Device } from '../../devices/types.ts';
import type { RecordLedger } from '../../ledger/records.ts';
import type { MeasuredFile } from '../../ledger/wellness.ts';
import { type RecordItem, deliverRecords } from '../../records/deliver.ts';
import { credibleSamples } from '../../records/wellness/fit-choice.ts';
import type { PreparedRecord, Zone } from '../../records/types.ts';
import { CircuitBreaker, type Failure, isLoginFailure } from '../send/circuit-breaker.ts';
import { patientClient } from '../send/refusal-backoff.ts';
import type { WatchNotice } from '../report.ts';
import { planDays } from './days.ts';
import { WellnessFiles } from './files.ts';

/** Interval of reading the folders (ms). */
const READ_MS = 5 * 60_000;
/** Shortest pause after the service failed (ms): an outage must not look like a refusal of a day. */
const SERVICE_PAUSE_MS = 60_000;
/** In-flight days at once. */
const AT_ONCE = 2;

const SHARED_SCALE = {
  message:
    'The weights on the device are of several users, and it does not tell which of them is you: no weight is sent.',
  hint: phrase`${sync('push', 'wellness', '--user', 'NUMBER')} with the same folder sends those of one.`,
};

/** The account that days are sent to, and the settings that decide about days. */
export interface WellnessTarget {
  readonly records: RecordLedger;
  /** Returns the athlete's zone. */
  readonly zone: () => Promise<Zone>;
  /** Where days are sent. */
  readonly url: () => URL;
}

/** The parts of a watcher that its wellness needs. */
export interface WellnessWatch extends WellnessTarget {
  /** Returns the watched folders that are there now, and the devices that are plugged in. */
  readonly watched: () => readonly string[];
  readonly devices: () => readonly Device[];
  readonly mtp: MtpReaders;
  readonly client: () => Promise<ServiceClient>;
  /** Of the recordings: while it is not closed, the service is not called. */
  readonly breaker: CircuitBreaker;
  readonly delivers: boolean;
  readonly report: (notice: WatchNotice) => void;
}

/**
 * Reads the wellness files of devices, and sends completed days, each once. A failure delays no recording:
 * days have their own back-off.
 */
export class WellnessSender {
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #target: WellnessWatch;
  readonly #dryRun: boolean;
  readonly #files: WellnessFiles;
  readonly #backOff: CircuitBreaker;
  #readAt = -Infinity;
  #saidScale = false;
  readonly #saidLeftOut = new Set<string>();
  /** Days that were sent. */
  sent = 0;
  /** Days that wait since the last attempt. */
  waiting = 0;

  constructor(
    context: Pick<Context, 'clock' | 'random' | 'signal'>,
    options: { readonly dryRun: boolean },
    target: WellnessWatch,
  ) {
    const { clock, random } = context;
    this.#context = context;
    this.#target = target;
    this.#dryRun = options.dryRun;
    this.#files = new WellnessFiles(context, options, {
      ...target,
      ledger: target.records.wellness,
    });
    this.#backOff = new CircuitBreaker(() => clock.monotonic(), random);
  }

  /** Nothing was delivered at the last attempt. */
  get isHindered(): boolean {
    return this.#backOff.state.state !== 'closed';
  }

  /** The next check reads the folders. */
  get isReadDue(): boolean {
    return this.#context.clock.monotonic() - this.#readAt >= READ_MS;
  }

  /** Reads the folders with the next check: one of them appeared. */
  readSoon(): void {
    this.#readAt = -Infinity;
    this.#files.forget();
  }

  /** Retries with the next check: the network is back, or the machine woke up. */
  tryNow(): void {
    this.#backOff.tryNow();
  }

  /**
   * Reads new files, if that is due, and sends the days that are due, if the service may be called now.
   * One call at a time.
   *
   * @throws SyncError if the login has ended; ledger errors
   */
  async check(): Promise<void> {
    try {
      await this.#check();
    } catch (error) {
      if (!this.#context.signal.aborted) throw error;
    }
  }

  async #check(): Promise<void> {
    const { clock } = this.#context;
    const { records, zone, breaker, delivers } = this.#target;
    let read: Awaited<ReturnType<WellnessFiles['read']>> = [];
    if (this.isReadDue) {
      // A folder that appears meanwhile is read with the next check.
      this.#readAt = clock.monotonic();
      read = await this.#files.read();
    }
    if (read.length === 0 && records.wellness.openFiles().length === 0) return;
    const when = { zone: await zone(), now: clock.now() };
    this.#reportLeftOut(read, when);
    const unrecorded = this.#dryRun ? read : [];
    const { due, isScaleShared, settle } = await planDays(records, unrecorded, when);
    if (isScaleShared) this.#reportScale();
    this.waiting = due.length;
    const maySend = delivers && breaker.state.state === 'closed' && this.#backOff.mayStart(0, 1);
    if (!maySend) return;
    const left = due.length === 0 ? new Set<string>() : await this.#send(due);
    if (!this.#dryRun) settle(left);
  }

  /** Sends days. @returns those that the service did not answer */
  async #send(due: readonly PreparedRecord[]): Promise<ReadonlySet<string>> {
    const { records, url } = this.#target;
    const left = new Map(due.map((record) => [record.date, record]));
    let failure: Failure | undefined;
    let retryAfterMs = 0;
    const client = async () =>
      patientClient(await this.#target.client(), (ms) => {
        retryAfterMs = Math.max(retryAfterMs, ms);
      });
    const onItem = (item: RecordItem) => {
      const record = left.get(item.date);
      if (item.outcome === 'failed') failure ??= item;
      else if (record !== undefined) {
        left.delete(item.date);
        this.waiting = left.size;
        this.#settleDay(item, record);
      }
    };
    const options = {
      force: false,
      dryRun: this.#dryRun,
      jobs: AT_ONCE,
      nutrition: 'auto',
    } as const;
    const target = { ledger: records, client, url, report: onItem };
    await deliverRecords(this.#context, due, options, target);
    if (failure === undefined) this.#backOff.succeeded();
    else this.#hinder(failure, retryAfterMs);
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
      this.#target.report({ event: 'values-left', message });
    }
  }

  #reportScale(): void {
    if (this.#saidScale) return;
    this.#saidScale = true;
    const { report } = this.#target;
    report({ event: 'weights-left', ...SHARED_SCALE });
  }

  #settleDay(item: RecordItem, { digest, body }: PreparedRecord): void {
    const { report, records } = this.#target;
    const { wellness } = records;
    const notice = { event: 'day', item, fields: body } as const;
    switch (item.outcome) {
      case 'pushed':
        this.sent++;
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

  /** Records a failure, and reports it if it is news. */
  #hinder(failure: Failure, retryAfterMs: number): void {
    const { report } = this.#target;
    const { code, message } = failure;
    // Other failures pass: the watcher does what their hints ask for.
    const hint = code === 'SCOPE_MISSING' ? failure.hint : undefined;
    if (isLoginFailure(code) && code !== 'SCOPE_MISSING') {
      throw new SyncError(code, message, { hint: failure.hint });
    }
    const pauseMs = code === 'NETWORK' ? 0 : SERVICE_PAUSE_MS;
    // Without the scope it stays closed.
    if (!this.#backOff.failed(failure, Math.max(retryAfterMs, pauseMs))) return;
    const said = { code, message, ...(hint === undefined ? {} : { hint }) };
    report({ event: 'days-waiting', ...said, days: this.waiting });
  }
}
