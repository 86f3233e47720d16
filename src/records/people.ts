import { listNames } from './listed.ts';
import { plain } from './names.ts';
import { refusedInput } from './refused-input.ts';
import type { JsonValue, RecordKind } from './types.ts';
import { isObject, scalarText } from './values.ts';

/** Members of a team's or a family's records. */
export const PEOPLE = ['user', 'athlete', 'player', 'member', 'person', 'participant'].flatMap(
  (word) => [`${word}Id`, word],
);

const BY_KIND: Readonly<Record<RecordKind, ReadonlySet<string>>> = {
  wellness: new Set([...PEOPLE.map(plain), 'name']),
  nutrition: new Set(PEOPLE.map(plain)),
};

/** Knows whose records an input has. */
export class People {
  readonly #members = new Map<string, string>();

  /** Adds the person of a record in the platform's form. */
  addOf(record: JsonValue, kind: RecordKind): void {
    if (!isObject(record)) return;
    const member = Object.keys(record).find((name) => BY_KIND[kind].has(plain(name)));
    if (member !== undefined) this.add(member, record[member]);
  }

  /** @param member its value tells people apart */
  add(member: string, person: JsonValue | undefined): void {
    const text = scalarText(person);
    if (text !== '') this.#members.set(text, member);
  }

  /** @throws SyncError `INPUT_INVALID` if the input is of several people */
  rejectSeveral(name: string): void {
    const [member = ''] = this.#members.values();
    if (this.#members.size < 2) return;
    const people = listNames([...this.#members.keys()]);
    const found = `${name} seems to have records of several people: "${member}" is ${people}`;
    const hint = `Keep those of one, and delete the others. If all are of one person, remove "${member}".`;
    throw refusedInput(name, found, hint);
  }
}
