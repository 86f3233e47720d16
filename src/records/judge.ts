import { SyncError } from '../base/errors.ts';
import { unitNameOf, unitsOf } from './fields.ts';
import { joinPointer } from './listed.ts';
import { type FileFacts, type Objection, objectionsTo } from './objections.ts';
import type { DayDraft, Entry, Problem, Reading, RecurringNote } from './types.ts';

/** Applies the objections to the values of an input: of each value, the strictest. */

export interface Verdict {
  /** One note for each field with an objection to all of it. */
  readonly notes: readonly string[];
  /** The fields of which no value is sent. */
  readonly left: ReadonlySet<string>;
  /** The user can settle an objection to values that are left out. */
  readonly hasRemedy: boolean;
}

/**
 * Takes the values with an objection out of the records of an input. A record with nothing else to send gets
 * a problem, and so does each of them if strict.
 *
 * @throws SyncError `INPUT_INVALID` if no value of a field is plausible, or an objection to all values of a
 *   field leaves nothing to send, or strict refuses it
 */
export function judge(
  name: string,
  records: readonly Reading[],
  facts: FileFacts,
  isStrict: boolean,
): Verdict {
  const entries = records.flatMap(({ drafts }) => drafts.flatMap(entriesOf));
  const objections = objectionsTo(entries, facts);
  const strictest = strictestOf(objections);
  if (!isStrict) rejectImplausible(name, entries, strictest, facts);
  const verdict = noteWhole(name, entries, objections, strictest, isStrict);
  for (const record of records) takeOut(record, strictest, isStrict);
  const isLeft = records.some(({ drafts }) => drafts.length > 0);
  if (verdict.hasRemedy && !isLeft) {
    throw refused(name, ` has no value to send: ${[...verdict.left].join(', ')}`, verdict.notes);
  }
  return verdict;
}

/** The objection to each value. */
type Strictest = ReadonlyMap<Entry, ReadonlyMap<string, Objection>>;

/** The first objection that leaves a value out counts, else the first. */
function strictestOf(objections: readonly Objection[]): Strictest {
  const found = new Map<Entry, Map<string, Objection>>();
  for (const objection of objections) {
    for (const entry of objection.entries) {
      const own = found.get(entry) ?? new Map<string, Objection>();
      const known = own.get(objection.field);
      if (known === undefined || (known.is === 'sent' && objection.is !== 'sent'))
        own.set(objection.field, objection);
      found.set(entry, own);
    }
  }
  return found;
}

/** Fewest values of an export of a known program that show a wrong unit. */
const ENOUGH_VALUES = 3;

/** @throws SyncError `INPUT_INVALID` if the unit of all values of a field is in doubt */
function rejectImplausible(
  name: string,
  entries: readonly Entry[],
  strictest: Strictest,
  { mapping, source }: FileFacts,
): void {
  const doubts = new Map<string, { readonly first: Objection; count: number }>();
  const plausible = new Set<string>();
  for (const entry of entries) {
    for (const field of Object.keys(entry.values)) {
      const objection = strictest.get(entry)?.get(field);
      if (objection === undefined || objection.is === 'sent') plausible.add(field);
      else if (objection.is === 'unit' && objection.whole === undefined) {
        const known = doubts.get(field);
        if (known === undefined) doubts.set(field, { first: objection, count: 1 });
        else known.count++;
      }
    }
  }
  const least = source?.general === true ? 1 : ENOUGH_VALUES;
  for (const [field, { first, count }] of doubts) {
    if (count < least || plausible.has(field)) continue;
    const [own = unitNameOf(field), ...others] = Object.keys(unitsOf(field));
    const confirms = `--unit ${field}=${own} sends it as it is`;
    const hint =
      mapping === undefined
        ? `Write it in the platform's unit; ${confirms}`
        : others.length === 0
          ? confirms
          : `Name the unit of the file: --unit ${field}=UNIT (${[own, ...others].join(', ')})`;
    throw refused(name, `: no value of ${field} is plausible: it ${first.found}`, [hint]);
  }
}

/** @throws SyncError `INPUT_INVALID` if strict */
function noteWhole(
  name: string,
  entries: readonly Entry[],
  objections: readonly Objection[],
  strictest: Strictest,
  isStrict: boolean,
): Verdict {
  const notes: string[] = [];
  const left = new Set<string>();
  let hasRemedy = false;
  for (const objection of objections) {
    const { field, whole, is } = objection;
    const isStrictest = (entry: Entry) => strictest.get(entry)?.get(field) === objection;
    const counts = objection.entries.length === 0 || objection.entries.some(isStrictest);
    if (whole === undefined || !counts) continue;
    const { confirm } = whole;
    const found = `${field}: ${objection.found}`;
    if (isStrict && confirm !== undefined) throw refused(name, `: ${found}`, [confirm]);
    const done = is === 'sent' ? 'Sent as they are' : 'Not sent';
    notes.push(`${sentence(found)} ${done}${confirm === undefined ? '' : `; ${confirm}`}`);
    hasRemedy ||= is !== 'sent' && confirm !== undefined;
    const others = entries.filter((entry) => entry.path === '' && field in entry.values);
    if (is !== 'sent' && objection.entries.length === others.length) left.add(field);
  }
  return { notes, left, hasRemedy };
}

function takeOut(record: Reading, strictest: Strictest, isStrict: boolean): void {
  const lost: Problem[] = [];
  const judged = new Set<DayDraft>();
  for (const draft of record.drafts) {
    for (const entry of entriesOf(draft)) {
      if (strictest.has(entry)) judged.add(draft);
      for (const [field, { is, found, whole }] of strictest.get(entry) ?? []) {
        const place = joinPointer(entry.path, entry.spellings.get(field) ?? field);
        if (is !== 'sent') Reflect.deleteProperty(entry.values, field);
        if (whole !== undefined) continue;
        if (isStrict) record.problems.push({ field: place, problem: found });
        else draft.recurring.push(noteOf(field, place, is, found));
        if (is !== 'sent') lost.push({ field: place, problem: found });
      }
      if (entry.path !== '' && isBare(entry, 'logged_at')) record.problems.push(...lost);
    }
  }
  const isLeft = (draft: DayDraft) =>
    !judged.has(draft) || draft.items !== undefined || !isBare(draft, 'rawJson');
  if (record.drafts.some((draft) => !isLeft(draft))) {
    record.problems.push(...lost);
    record.drafts = record.drafts.filter(isLeft);
  }
  const isRefused = isStrict || record.drafts.some(({ items }) => items !== undefined);
  if (isRefused && record.problems.length > 0) record.drafts = [];
}

function entriesOf(draft: DayDraft): Entry[] {
  return draft.items === undefined ? [draft] : [draft, ...draft.items];
}

function isBare({ values }: Entry, rest: string): boolean {
  return Object.keys(values).every((name) => name === rest);
}

function noteOf(field: string, place: string, is: Objection['is'], found: string): RecurringNote {
  const remedy = {
    unit: `; --unit ${field}=${unitNameOf(field)} sends it`,
    days: `; --unit ${field}=day sends it`,
  };
  const done = is === 'sent' ? 'Sent as it is' : `Left out${is === 'wrong' ? '' : remedy[is]}`;
  return { key: `${is} ${field}`, field: place, found: () => found, done };
}

function sentence(text: string): string {
  return text.endsWith('?') ? text : `${text}.`;
}

function refused(path: string, found: string, hints: readonly string[]): SyncError {
  const hint = hints.map(sentence).join(' ');
  return new SyncError('INPUT_INVALID', sentence(`${path}${found}`), { hint, details: { path } });
}
