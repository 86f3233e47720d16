import type { Conversion } from '../base/units.ts';
import type { RecordAnswer } from '../api/client.ts';
import { plain } from './names.ts';
import { sentence } from '../terminal/words.ts';
import type { Fault, Note, PreparedRecord, Units, Warning } from './types.ts';
import type { TakenValue } from './values.ts';

/** The note about a part of a day that the user took back, and what the user can do about it. */
export const UNDONE_NOTE = [
  'taken back by an undo, so not sent',
  ' (--force sends it again)',
] as const;

/** Collects problems and warnings about one record while it is read. */
export class Notes {
  /** The place of the record, or of the item that is being read: as in {@link RawRecord}. */
  source: string;
  readonly isStrict: boolean;
  readonly problems: Fault[] = [];
  readonly warnings: Note[] = [];
  readonly #units: Units | undefined;

  /** @param units that the user named, if the values are not converted yet */
  constructor(source: string, isStrict: boolean, units?: Units) {
    this.source = source;
    this.isStrict = isStrict;
    this.#units = units;
  }

  /** Returns notes about a part of the record. */
  ofPart(): Notes {
    return new Notes(this.source, this.isStrict, this.#units);
  }

  /** Returns the unit that the user named. Other names of a weight state it. */
  unitOf(field: string, spelling: string): Conversion | undefined {
    const isStated = field === 'weight' && plain(spelling) !== field;
    return isStated ? undefined : this.#units?.get(field);
  }

  problem(field: string | undefined, problem: string): void {
    this.problems.push(field === undefined ? { problem } : { field, problem });
  }

  warn(field: string | undefined, message: string): void {
    const place = field === undefined ? {} : { field };
    this.warnings.push({ source: this.source, ...place, message });
  }

  /** Notes a value that was adapted: a warning, or a problem if strict. */
  adapt(field: string | undefined, found: string, done?: string): void {
    if (this.isStrict) this.problem(field, found);
    else this.warn(field, done === undefined ? found : `${found}: ${done}`);
  }

  /** Notes a doubt that may apply to every record of an input: a warning, or a problem if strict. */
  doubt(key: string, field: string, found: string, done?: string): void {
    if (this.isStrict) this.problem(field, found);
    else this.recur(key, field, done === undefined ? found : `${sentence(found)} ${done}`);
  }

  /** Notes what may apply to every record of an input. */
  recur(key: string, field: string, message: string): void {
    this.warnings.push({ key, source: this.source, field, message });
  }

  /** Notes what became of a value. */
  take(field: string, { problem, within, notes = [] }: TakenValue): void {
    if (problem !== undefined) this.problem(placeIn(field, within), problem);
    for (const { key, found, done, within: inner } of notes) {
      if (key === undefined) this.adapt(placeIn(field, inner), found, done);
      // The paths of items differ, their members do not.
      else this.doubt(`${key} ${field.replace(/^.*\//, '')}`, field, found, done);
    }
  }
}

function placeIn(field: string, within: string | undefined): string {
  return within === undefined ? field : `${field}/${within}`;
}

/** Notes the fields that a platform refuses, and that stayed behind. */
export function leftNotes(
  { sources }: Pick<PreparedRecord, 'sources'>,
  { left, reason }: Pick<RecordAnswer, 'left' | 'reason'>,
): Warning[] {
  if (left.length === 0) return [];
  const why = reason === undefined ? '' : ` (${reason})`;
  const message = `the platform refuses fields that its interface does not name${why}: the day was sent without them`;
  return [{ source: sources[0] ?? '', field: left.join(', '), message }];
}
