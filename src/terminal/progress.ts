import type { Clock } from '../base/time.ts';
import { glyphsFor } from './features.ts';
import type { Io } from './io.ts';
import { type ProgressState, progressLine, progressText } from './progress-text.ts';
import { SyncError, isAbort } from '../base/errors.ts';
import { plural } from './words.ts';

/** A progress line on a terminal; otherwise a line at an interval. */
export interface Progress {
  /** Notes the progress, which is shown at an interval: callers may report each item. */
  update(state: ProgressState): void;
  stop(): void;
}

/** Progress that is not shown. */
export const NO_PROGRESS: Progress = { update: () => undefined, stop: () => undefined };

/** Time before a terminal shows progress (ms). A run that is shorter shows none. */
const START_MS = 100;
/** Interval between two lines without a terminal (ms). A run that is shorter prints none. */
const LINE_MS = 10_000;

/** Columns before the text: the spinner and two spaces. */
const SPINNER_COLUMNS = 3;
/** Columns at the end of the line in which a terminal echoes Ctrl-C. A wrapped echo could not be erased. */
const ECHO_COLUMNS = '^C'.length + 1;

export class ProgressDisplay implements Progress {
  readonly #io: Io;
  readonly #clock: Clock;
  #state: ProgressState = { noun: '' };
  /** Start of the count (ms of the monotonic clock). */
  #since = 0;
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
    void this.#show(this.#running.signal);
  }

  stop(): void {
    this.#running?.abort();
    this.#running = undefined;
  }

  async #show(stopped: AbortSignal): Promise<void> {
    const { redraws } = this.#io;
    try {
      for (;;) {
        await this.#clock.sleep(redraws ? START_MS : LINE_MS, stopped);
        if (redraws) break;
        this.#io.err(progressText(this.#state, this.#elapsedMs()));
      }
    } catch (error) {
      if (stopped.aborted) return;
      throw error;
    }
    stopped.addEventListener(
      'abort',
      this.#io.spin(() => this.#line()),
    );
  }

  #line(): string {
    const room = this.#io.stderrColumns - SPINNER_COLUMNS - ECHO_COLUMNS;
    return progressLine(this.#state, this.#elapsedMs(), room, glyphsFor(this.#io.unicode));
  }

  #elapsedMs(): number {
    return this.#clock.monotonic() - this.#since;
  }
}

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
