import type { DayMerger } from './merge.ts';
import type { RecurringNote } from './types.ts';

/** So many different things are told of one input; the last note says how many there were beyond. */
const MAX_TOLD = 100;

interface Told {
  readonly date: string;
  readonly source: string;
  readonly note: RecurringNote;
  times: number;
}

/**
 * What is to be said of many records of one input: told once, with the first of them, and how often
 * it is so. A misspelt field is misspelt in a thousand records.
 */
export class Recurring {
  readonly #told = new Map<string, Told>();
  #beyond: Told | undefined;

  /** @param date the day that tells it, if it is the first. */
  add(date: string, source: string, note: RecurringNote): void {
    const told = this.#told.get(note.key);
    if (told !== undefined) told.times++;
    else if (this.#told.size < MAX_TOLD) {
      this.#told.set(note.key, { date, source, note, times: 1 });
    } else if (this.#beyond === undefined) this.#beyond = { date, source, note, times: 1 };
    else this.#beyond.times++;
  }

  /** Hands the warnings to the days of the input, when it was read to its end. */
  tell(merger: DayMerger): void {
    for (const { date, source, note, times } of this.#told.values()) {
      const often = times === 1 ? '' : ` (${times.toLocaleString('en-US')} times in this input)`;
      merger.warn(date, { source, field: note.field, message: `${note.say()}${often}` });
    }
    if (this.#beyond === undefined) return;
    const { date, source, times } = this.#beyond;
    const message = `there are ${times} more such notes about fields and dates of this input`;
    merger.warn(date, { source, message });
  }
}
