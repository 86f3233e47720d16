import type { SentField } from '../../ledger/wellness.ts';
import { UNDONE_NOTE } from '../notes.ts';
import { OWN_RECORDS, contestWithSent, lessNote } from '../prefer.ts';
import type { JsonObject, JsonValue, PreparedRecord, Rank, Warning } from '../types.ts';
import { show } from '../values.ts';
import { isSame } from './answer.ts';

/** Decides which values of a wellness day are sent. */

type Sent = Readonly<Record<string, SentField>>;
type Scalar = SentField['value'];

export interface SettledDay {
  /** The values to send. */
  readonly values: JsonObject;
  readonly notes: readonly Warning[];
  /** What the ledger records once they are sent. */
  readonly sent: Sent;
  /** A value stays away, since the user took it back. */
  readonly isUndone: boolean;
  /** The fields that the platform holds, and that the ledger knows no earlier value of. */
  readonly held: readonly string[];
}

/**
 * Leaves out the values that the platform holds already, that the user took back, that are of a
 * program that does not count beside the sender of the value before, or of an older file of the same program.
 *
 * @param whole send also what the platform holds already
 */
export function settleDay(
  {
    fields,
    programs,
    sources,
    asOf = {},
  }: Pick<PreparedRecord, 'fields' | 'programs' | 'sources' | 'asOf'>,
  known: Sent,
  { rank, force, whole }: { readonly rank: Rank; readonly force: boolean; readonly whole: boolean },
): SettledDay {
  const values: JsonObject = {};
  const notes: Warning[] = [];
  const sent: Record<string, SentField> = {};
  const outdated = new Map<string, string[]>();
  const undone: string[] = [];
  const note = (field: string, message: Warning['message']) =>
    void notes.push({ source: sources[0] ?? '', field, message });
  for (const [name, value] of Object.entries(fields)) {
    const before = known[name];
    if (name === 'sleepQuality' && known['sleepScore'] !== undefined && !force) {
      note(
        name,
        'not sent, since the platform shows it in place of the sleepScore that was sent before',
      );
      continue;
    }
    if (!isScalar(value)) {
      values[name] = value;
      continue;
    }
    const program = programs[name] ?? OWN_RECORDS;
    if (!force && before?.undone === value) {
      undone.push(name);
      continue;
    }
    const isOther = before !== undefined && before.source !== program && !force;
    const isOutranked = isOther && rank.of(before.source, name) < rank.of(program, name);
    const written = asOf[name] ?? null;
    const isOlder =
      before !== undefined && !isOther && !force && (written ?? Infinity) < (before.asOf ?? 0);
    if (before === undefined || before.value === value) {
      if (before === undefined || force || whole) values[name] = value;
      const stays = isOutranked || isOlder;
      sent[name] = { ...(stays ? before : { ...before, source: program, asOf: written }), value };
      continue;
    }
    if (isOlder) {
      outdated.set(program, [...(outdated.get(program) ?? []), name]);
      continue;
    }
    const contest = () => {
      const earlier = { program: before.source, value: before.value };
      const { message } = contestWithSent(name, earlier, { program, value }, isOutranked);
      note(name, message);
    };
    const reported = { ...before.reported, [program]: value };
    if (isOutranked) {
      sent[name] = { ...before, reported };
      if (before.reported?.[program] === value) continue;
      contest();
      continue;
    }
    const earlier = { value: before.value, source: before.source };
    values[name] = value;
    sent[name] = { value, source: program, asOf: written, before: earlier, undone: null };
    const less = isOther || force ? undefined : lessNote(name, program, value, before.value);
    if (less !== undefined) note(name, less);
    if (!isOther) continue;
    sent[name] = { ...sent[name], reported: { ...reported, [before.source]: before.value } };
    contest();
  }
  for (const [program, names] of outdated)
    note(
      names.join(', '),
      `an older file of ${program} than the one sent before: not sent. --force sends it`,
    );
  if (undone.length > 0 && Object.keys(values).length > 0)
    note(undone.join(', '), UNDONE_NOTE.join(''));
  if ('sleepScore' in values && known['sleepQuality'] !== undefined)
    note('sleepScore', 'the platform shows the sleepQuality that was sent before in its place');
  return { values, notes, sent, isUndone: undone.length > 0, held: [] };
}

/** Returns the other values that the platform holds of a day, as it showed them last, else the sent ones. */
export function sentBefore(known: Sent, values: JsonObject): JsonObject {
  const others = Object.entries(known).filter(([name]) => !(name in values));
  return Object.fromEntries(
    others.map(([name, { value, reported }]) => [name, reported?.['there'] ?? value]),
  );
}

/** Returns what undoes a day: the values that were sent before the present ones. */
export function undoneDay(known: Sent): SettledDay {
  const values: JsonObject = {};
  const sent: Record<string, SentField> = {};
  const notes: Warning[] = [];
  const held: string[] = [];
  let isUndone = false;
  for (const [field, { value, before = null, undone = null }] of Object.entries(known)) {
    if (before === null) {
      if (undone === null) held.push(field);
      else isUndone = true;
      continue;
    }
    values[field] = before.value;
    sent[field] = { ...before, before: null, undone: value };
    const message = `${show(before.value)}, sent before, is sent again in place of ${show(value)}`;
    notes.push({ source: '', field, message });
  }
  if (held.length > 0 && notes.length > 0) {
    const kept = valuesText(
      Object.fromEntries(held.map((name) => [name, known[name]?.value ?? null])),
    );
    notes.push({ source: '', message: `the platform cannot forget a value, and keeps ${kept}` });
  }
  return { values, notes, sent, isUndone, held };
}

/** Names fields and their values. */
export function valuesText(values: JsonObject): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${show(value)}`)
    .join(', ');
}

/**
 * Compares the platform's row with what the ledger then knows of the day.
 *
 * @param sent all sent fields
 * @returns notes about values that the request did not hold and that others changed, and the fields to record
 */
export function changedThere(
  sent: Sent,
  requested: JsonObject,
  row: Readonly<Record<string, unknown>> = {},
  source: string,
): { readonly notes: readonly Warning[]; readonly sent: Sent } {
  const changed = Object.entries(sent).flatMap(([name, field]) => {
    const there = row[name] as JsonValue;
    const isNews =
      isScalar(there) && !isSame(field.value, there) && field.reported?.['there'] !== there;
    return isNews ? [{ name, there, field }] : [];
  });
  const notes = changed.filter(({ name }) => !(name in requested));
  return {
    notes: notes.map(({ name, there, field: { value } }) => ({
      source,
      field: name,
      message: `the platform holds ${show(there)}, and ${show(value)} was sent before: another computer, the athlete or an unconfirmed push changed it. It stays; --force sends it again`,
    })),
    sent: Object.fromEntries(
      changed.map(({ name, there, field }) => [
        name,
        { ...field, reported: { ...field.reported, there } },
      ]),
    ),
  };
}

function isScalar(value: JsonValue): value is Scalar {
  return typeof value === 'number' || typeof value === 'string';
}
