import type { Clock } from '../base/time.ts';
import { glyphsFor } from './glyphs.ts';
import type { Io } from './io.ts';
import { type ProgressState, progressLine, progressText } from './progress-text.ts';

/** A progress line on a terminal; otherwise a line at an interval. */
export interface Progress {
  /** Notes the progress, which is drawn at an interval: callers may report each item. */
  update(state: ProgressState): void;
  /** Removes the line. May be called twice. */
  stop(): void;
}

/** Progress that is not shown. */
export const NO_PROGRESS: Progress = { update: () => undefined, stop: () => undefined };

/** Interval between two frames on a terminal (ms). */
const FRAME_MS = 100;
/** Interval between two lines without a terminal (ms). A run that is shorter prints none. */
const LINE_MS = 10_000;

/** The progress that a command shows on stderr. */
export class ProgressDisplay implements Progress {
  readonly #io: Io;
  readonly #clock: Clock;
  #state: ProgressState = { noun: '' };
  /** Start of the count (ms of the monotonic clock). */
  #since = 0;
  #frame = 0;
  #isDrawn = false;
  #running: AbortController | undefined;

  constructor(io: Io, clock: Clock) {
    this.#io = io;
    this.#clock = clock;
  }

  update(state: ProgressState): void {
    if (state.noun !== this.#state.noun) this.#since = this.#clock.monotonic();
    this.#state = state;
    if (this.#running !== undefined) return;
    this.#running = new AbortController();
    void this.#showAtIntervals(this.#running.signal);
  }

  stop(): void {
    this.#running?.abort();
    this.#running = undefined;
    this.#erase();
  }

  /** Writes a line of the command's output above the progress line. */
  above(write: () => void): void {
    const wasDrawn = this.#isDrawn;
    this.#erase();
    write();
    if (wasDrawn) this.#draw();
  }

  async #showAtIntervals(stopped: AbortSignal): Promise<void> {
    const { redraws } = this.#io;
    for (;;) {
      try {
        await this.#clock.sleep(redraws ? FRAME_MS : LINE_MS, stopped);
      } catch (error) {
        if (stopped.aborted) return;
        throw error;
      }
      if (redraws) this.#drawNextFrame();
      else this.#io.err(progressText(this.#state, this.#elapsedMs()));
    }
  }

  #drawNextFrame(): void {
    this.#frame++;
    this.#draw();
  }

  #draw(): void {
    const glyphs = glyphsFor(this.#io.unicode);
    const spinner = glyphs.spinner[this.#frame % glyphs.spinner.length] ?? '';
    // Some terminals wrap after a character in the last column.
    const room = this.#io.stderrColumns - 1 - `${spinner} `.length;
    const line = progressLine(this.#state, this.#elapsedMs(), room, glyphs);
    this.#io.drawLine(`${spinner} ${line}`);
    this.#isDrawn = true;
  }

  #erase(): void {
    if (this.#isDrawn) this.#io.drawLine('');
    this.#isDrawn = false;
  }

  #elapsedMs(): number {
    return this.#clock.monotonic() - this.#since;
  }
}
