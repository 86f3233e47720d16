import type { Context } from '../../base/context.ts';
import type { Device } from '../../devices/types.ts';
import type { DeviceListener } from '../find/device-folders.ts';
import { CHECK_MS, type EventQueue } from '../events.ts';
import { WellnessSender, type WellnessWatch } from './wellness.ts';

/** Interval of checks for days that are due (ms). */
const WELLNESS_MS = 60_000;

export interface WellnessScheduleTarget extends Omit<WellnessWatch, 'devices'> {
  readonly events: EventQueue;
  /** Returns whether recordings are queued or in flight. */
  readonly recordingsWait: () => boolean;
  /** Runs a check beside the event loop; it ends with the event `days-checked`. */
  readonly runCheck: (check: () => Promise<void>) => void;
}

/** Decides when wellness is read and sent: after the recordings, one check at a time. */
export class WellnessSchedule implements DeviceListener {
  readonly #target: WellnessScheduleTarget;
  readonly #sender: WellnessSender;
  readonly #plugged = new Set<Device>();
  #isChecking = false;

  constructor(
    context: Pick<Context, 'clock' | 'random' | 'signal'>,
    options: { readonly dryRun: boolean },
    target: WellnessScheduleTarget,
  ) {
    this.#target = target;
    this.#sender = new WellnessSender(context, options, {
      ...target,
      devices: () => [...this.#plugged],
    });
  }

  /** Days that were sent, and that wait. */
  get picture(): { readonly sent: number; readonly waiting: number } {
    const { sent, waiting } = this.#sender;
    return { sent, waiting };
  }

  /** Nothing was delivered at the last attempt. */
  get isHindered(): boolean {
    return this.#sender.isHindered;
  }

  plugged(device: Device): void {
    this.#plugged.add(device);
    this.#sender.readSoon();
    this.checkSoon();
  }

  unplugged(device: Device): void {
    this.#plugged.delete(device);
  }

  /** The next check reads the files again: a folder appeared. */
  readSoon(): void {
    this.#sender.readSoon();
  }

  checkSoon(): void {
    this.#target.events.setTimer('days-due', 0);
  }

  /** Retries with the next check: the network is back, or the machine woke up. */
  tryNow(): void {
    this.#sender.tryNow();
  }

  /** Starts a check, unless recordings are sent first: call it for the event `days-due`. */
  start(): void {
    if (this.#isChecking) return;
    const { events, breaker, delivers, recordingsWait, runCheck } = this.#target;
    // While nothing can be sent, the files are read before their device leaves.
    const canSend = delivers && breaker.state.state === 'closed';
    if (canSend && recordingsWait()) {
      events.setTimer('days-due', CHECK_MS);
      return;
    }
    this.#isChecking = true;
    runCheck(() => this.#sender.check());
  }

  /** Ends a check: call it for the event `days-checked`. */
  checked(): void {
    this.#isChecking = false;
    this.#target.events.setTimer('days-due', this.#sender.isReadDue ? 0 : WELLNESS_MS);
  }

  /** Checks once, for `--once`. @throws as {@link WellnessSender.check} */
  async once(): Promise<void> {
    await this.#sender.check();
  }
}
