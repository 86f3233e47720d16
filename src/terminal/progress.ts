import type { Clock } from '../base/time.ts';
import { glyphsFor } from './features.ts';
import type { Io } from './io.ts';
import { type ProgressState, progressLine, progressText } from './progress-text.ts';
import { SyncError, isAbort } from '../base/errors.ts';
import { plural } from './words.ts';

/** A progress line on a terminal; otherwise a line at an interval. */
export interface Progress {
  /** Notes the progress, which is drawn at an interval: callers may report each item. */
  update(state: ProgressState): void;
  stop(): void;
}

/** Progress that is not shown. */
export const NO_PROGRESS: Progress = { update: () => undefined, stop: () => undefined };

/** Interval between two frames on a terminal (ms). */
const FRAME_MS = 100;
/** Interval between two lines without a terminal (ms). A run that is shorter prints none. */
const LINE_MS = 10_000;

/** Columns at the end of the line in which a terminal echoes Ctrl-C. A wrapped echo could not be erased. */
const ECHO_COLUMNS = '^C'.length + 1;

export class ProgressDisplay implements Progress {
  readonly #io: Io;
  readonly #clock: Clock;
  #state: ProgressState = { noun: '' };
  /** Start of the count (ms of the monotonic clock). */
  #since = 0;
  #isDrawn = false;
  #running: AbortController | undefined;

  constructor(io: Io, clock: Clock) {
    this.#io = io;
    this.#clock = clock;
  }

  update(state: ProgressState): void {
    // The first item waits for the connection, too.
    const isFirst = this.#state.done === 0 && (state.done ?? 0) > 0;
    if (isFirst || state.noun !== this.#state.noun) this.#since = this.#clock.monotonic();
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
      if (redraws) this.#draw();
      else this.#io.err(progressText(this.#state, this.#elapsedMs()));
    }
  }

  #draw(): void {
    const room = this.#io.stderrColumns - SPINNER_COLUMNS - ECHO_COLUMNS;
    const glyphs = glyphsFor(this.#io.unicode);
    this.#io.drawLine(progressLine(this.#state, this.#elapsedMs(), room, glyphs));
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

/** Columns before the text: the spinner and a space. */
const SPINNER_COLUMNS = 2;

/**
 * Runs a task with a progress line. A command that Ctrl-C ends reports how far it came, because the
 * same command continues from there.
 *
 * @param options `force`: it sends everything again
 * @throws SyncError `INTERRUPTED`, with the number of finished items
 */
export async function withProgress<T>(
  output: { progress(): Progress },
  { force }: { readonly force: boolean },
  task: (progress: Pick<Progress, 'update'>) => Promise<T>,
): Promise<T> {
  const progress = output.progress();
  let last: ProgressState | undefined;
  try {
    return await task({
      update(state) {
        last = state;
        progress.update(state);
      },
    });
  } catch (error) {
    if (!isAbort(error) || last?.done === undefined) throw error;
    throw new SyncError('INTERRUPTED', interrupted(last, force), { cause: error });
  } finally {
    progress.stop();
  }
}

function interrupted({ noun, done = 0, total }: ProgressState, force: boolean): string {
  const all = `${total === undefined ? plural(done, noun) : `${done} of ${plural(total, noun)}`} done`;
  if (!force) return `${all}; run the same command to continue.`;
  return `${all}. The same command begins with the first again; without --force it sends only what was never sent.`;
}
