import { listNames } from './listed.ts';
import type { DayMerger } from './merge.ts';
import type { RecurringNote } from './types.ts';

/** Limits the different notes about one input; one more gives the number of the others. */
const MAX_TOLD = 100;

interface Told {
  readonly date: string;
  readonly source: string;
  readonly note: Extract<RecurringNote, { key: string }>;
  times: number;
}

/**
 * Deduplicates the notes about one input: reports the first of each kind, and a count. A misspelt field
 * is misspelt in a thousand records.
 */
export class Recurring {
  readonly #told = new Map<string, Told>();
  #beyond: Told | undefined;
  readonly #unsent = new Set<string>();
  #firstUnsent: { readonly date: string; readonly source: string } | undefined;

  /** @param date the day that reports it, if it is the first */
  add(date: string, source: string, note: RecurringNote): void {
    if ('unsent' in note) {
      this.#firstUnsent ??= { date, source };
      this.#unsent.add(note.unsent);
      return;
    }
    const told = this.#told.get(note.key);
    if (told !== undefined) told.times++;
    else if (this.#told.size < MAX_TOLD) {
      this.#told.set(note.key, { date, source, note, times: 1 });
    } else if (this.#beyond === undefined) this.#beyond = { date, source, note, times: 1 };
    else this.#beyond.times++;
  }

  /** Adds the warnings to the days of the input, after it was read to its end. */
  tell(merger: DayMerger): void {
    for (const { date, source, note, times } of this.#told.values()) {
      const often = times === 1 ? '' : ` (${times.toLocaleString('en-US')} times in this input)`;
      merger.warn(date, { source, field: note.field, message: `${note.say()}${often}` });
    }
    if (this.#firstUnsent !== undefined) {
      const { date, source } = this.#firstUnsent;
      merger.warn(date, { source, message: this.#unsentMessage() });
    }
    if (this.#beyond === undefined) return;
    const { date, source, times } = this.#beyond;
    const message = `there are ${times.toLocaleString('en-US')} more such notes about fields and dates of this input`;
    merger.warn(date, { source, message });
  }

  #unsentMessage(): string {
    const listed = listNames([...this.#unsent]);
    return `not sent, since the platform does not know it: ${listed} (--unknown-fields sends it)`;
  }
}
