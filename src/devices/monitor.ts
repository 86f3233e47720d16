import type { Context } from '../base/context.ts';
import { messageOf } from '../base/errors.ts';
import { within } from '../base/tasks.ts';
import { ChildCaller } from '../system/child-call.ts';
import { isBelow } from '../system/mounts.ts';
import { plugsOf } from './places.ts';
import type { MonitorLine, MonitorRequest } from './protocol.ts';
import type { Device, FoundDevices, Places } from './types.ts';

/** The built file of the child process that notices changes. */
export const MONITOR_CHILD = 'device-monitor.cjs';

/**
 * Pauses before the probes after a change (ms): a folder is made first, mounted over a moment later, and a device over MTP
 * answers seconds after that.
 */
const SETTLE_MS = [0, 500, 1_000, 2_000, 4_000, 8_000];
/** Interval of probes without a change: some mounts announce nothing (ms). */
const QUIET_MS = 60_000;
/** Interval of the polls, which find mounts that the system does not announce (ms). */
const POLL_MS = 30_000;
/** Pause before the child is replaced, and the longest (ms). */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export interface MonitorOptions {
  readonly places: Places;
  readonly childPath: string;
  /** By default the {@link plugsOf} this system. */
  readonly plugs?: readonly string[];
  /** Interval of the child's polls, by default {@link POLL_MS}. A child that is silent for two hangs, and is replaced. */
  readonly pollMs?: number;
  /** Finds the devices that are plugged in now. */
  readonly find: (places: Places, signal: AbortSignal) => Promise<FoundDevices>;
}

export async function devicesAt(
  { find, places }: MonitorOptions,
  signal: AbortSignal,
): Promise<readonly Device[]> {
  return (await find(places, signal)).devices.filter(isDevice);
}

/**
 * Notices devices that are plugged in and unplugged. A child process waits for changes at the places
 * where devices are mounted, since a probe may hang; after each, the devices are read again.
 */
export class DeviceMonitor {
  readonly #context: Pick<Context, 'clock' | 'trace'>;
  readonly #options: MonitorOptions;
  readonly #ended = new AbortController();
  readonly #listeners = new Set<(devices: readonly Device[]) => void>();
  readonly #child: ChildCaller<MonitorRequest, MonitorLine>;
  #devices: readonly Device[] = [];
  /** Pauses before the probes that follow the last change (ms). */
  #probes: number[] = [];
  #wake: (() => void) | undefined;
  /** Counts devices that were seen to be unplugged. */
  #losses = 0;

  private constructor(context: Pick<Context, 'clock' | 'trace'>, options: MonitorOptions) {
    this.#context = context;
    this.#options = options;
    this.#child = new ChildCaller({ childPath: options.childPath, env: options.places.env });
  }

  /** Probes once, and then after each change until {@link DeviceMonitor.close}. */
  static async start(
    context: Pick<Context, 'clock' | 'trace' | 'signal'>,
    options: MonitorOptions,
  ): Promise<DeviceMonitor> {
    const monitor = new DeviceMonitor(context, options);
    const close = () => monitor.close();
    context.signal.addEventListener('abort', close, { once: true });
    monitor.#ended.signal.addEventListener('abort', () =>
      context.signal.removeEventListener('abort', close),
    );
    context.signal.throwIfAborted();
    // Start the child before the probe, so that no change in between is missed.
    void monitor.#keepChild();
    await monitor.#probe();
    void monitor.#keepProbing();
    return monitor;
  }

  get devices(): readonly Device[] {
    return this.#devices;
  }

  /** Calls back after every change of the devices. @returns a function that ends that */
  listen(onDevices: (devices: readonly Device[]) => void): () => void {
    this.#listeners.add(onDevices);
    return () => this.#listeners.delete(onDevices);
  }

  /**
   * Takes a device for unplugged, without a call of the listeners, and probes again soon. If the device is
   * back before that, the listeners learn that.
   */
  lost({ key }: Device): void {
    this.#losses += 1;
    this.#devices = this.#devices.filter((device) => device.key !== key);
    this.#probeSoon();
  }

  /** Probes again soon, several times: something changed. */
  #probeSoon(): void {
    this.#probes = [...SETTLE_MS];
    this.#wake?.();
  }

  /** Probes again: a change before this moment may not have been noticed. */
  #probeOnce(): void {
    if (this.#probes.length === 0) this.#probes = [0];
    this.#wake?.();
  }

  /** Ends the child. */
  close(): void {
    this.#ended.abort();
    this.#wake?.();
  }

  async #keepProbing(): Promise<void> {
    for (;;) {
      await this.#pause(this.#probes.shift() ?? QUIET_MS);
      if (this.#ended.signal.aborted) return;
      await this.#probe();
    }
  }

  /** Resolves after a time, when something changed, or at the end. */
  async #pause(ms: number): Promise<void> {
    if (this.#ended.signal.aborted) return;
    await within(this.#context.clock, ms, new Promise<void>((resolve) => (this.#wake = resolve)));
    this.#wake = undefined;
  }

  async #probe(): Promise<void> {
    const { find, places } = this.#options;
    const losses = this.#losses;
    try {
      // A watcher may be reading them, and they have one reader at a time.
      const known = this.#devices.filter(({ access }) => access === 'mtp');
      const { devices, silent } = await find({ ...places, known }, this.#ended.signal);
      // The search may have seen a device that left meanwhile: another one follows.
      if (losses !== this.#losses) return;
      const here = devices.filter(isDevice);
      // Keep a device if its mount does not answer.
      const quiet = this.#devices.filter(
        ({ key, root }) =>
          silent.some((at) => at === root || isBelow(at, root) || isBelow(root, at)) &&
          !here.some((found) => found.key === key),
      );
      this.#take([...here, ...quiet]);
    } catch (error) {
      if (this.#ended.signal.aborted) return;
      this.#context.trace(`The search for devices failed: ${messageOf(error)}`);
    }
  }

  #take(devices: readonly Device[]): void {
    const before = JSON.stringify(this.#devices);
    if (JSON.stringify(devices) === before) return;
    this.#devices = devices;
    for (const listener of this.#listeners) listener(devices);
  }

  /** Keeps a child running. A child that hangs is left behind, and replaced. */
  async #keepChild(): Promise<void> {
    const { clock, trace } = this.#context;
    const { places, plugs = plugsOf(places.platform), pollMs = POLL_MS } = this.#options;
    const { signal } = this.#ended;
    const take = (line: MonitorLine) => {
      if (line === 'ready') this.#probeOnce();
      else if (line === 'changed') this.#probeSoon();
      return false;
    };
    const request = { mounts: places.mounts, plugs, pollMs };
    let pauseMs = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      const startedAt = clock.monotonic();
      try {
        await this.#child.ask({ request, take, silenceMs: () => 2 * pollMs }, signal);
      } catch (error) {
        if (this.#ended.signal.aborted) return;
        trace(`The search for changes of devices starts again: ${messageOf(error)}.`);
      }
      if (clock.monotonic() - startedAt > LONGEST_PAUSE_MS) pauseMs = FIRST_PAUSE_MS;
      await clock.sleep(pauseMs, signal).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }
}

/** The folder of an app is always there: the user names it. */
function isDevice({ kind }: Device): boolean {
  return kind === 'device';
}
