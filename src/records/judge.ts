import { unitNameOf, unitsOf } from './fields.ts';
import { joinPointer } from './listed.ts';
import type { FileFacts, Objection } from './objections/objection.ts';
import { objectionsTo } from './objections/objections.ts';
import { refusedInput } from './refused-input.ts';
import { sentence } from '../terminal/words.ts';
import { type DayDraft, type Entry, type Problem, type Reading, isDraft } from './types.ts';

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
 * @throws SyncError `INPUT_INVALID` if objections that the user can settle leave nothing to send, or strict
 *   refuses a field
 */
export function judge(
  name: string,
  readings: Reading[],
  facts: FileFacts,
  isStrict: boolean,
): Verdict {
  const drafts = readings.filter(isDraft);
  const entries = drafts.flatMap(entriesOf);
  const objections = objectionsTo(entries, facts);
  const strictest = strictestOf(objections);
  const verdict = noteWhole(name, entries, objections, strictest, isStrict);
  const isOfDoubts = drafts.length === readings.length;
  let isLeft = false;
  for (const [index, reading] of readings.entries()) {
    const judged = isDraft(reading) ? takeOut(reading, strictest, isStrict) : reading;
    readings[index] = judged;
    isLeft ||= isDraft(judged);
  }
  const doubts = new Map<string, string>();
  for (const { field, found, is, whole, likely } of isOfDoubts && !isStrict ? objections : []) {
    if (whole !== undefined || is === 'sent' || is === 'wrong' || doubts.has(field)) continue;
    doubts.set(field, `${sentence(`${field} ${found}`)} ${remedyOf(field, is, likely)}`);
  }
  if (!isLeft && (verdict.hasRemedy || doubts.size > 0)) {
    const fields = [...new Set([...verdict.left, ...doubts.keys()])].join(', ');
    const hint = [...verdict.notes, ...doubts.values()].map(sentence).join(' ');
    throw refusedInput(name, `${name} has no value to send: ${fields}`, hint);
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
    if (isStrict && confirm !== undefined)
      throw refusedInput(name, `${name}: ${found}`, sentence(confirm));
    const done = is === 'sent' ? 'Sent as they are' : 'Not sent';
    notes.push(`${sentence(found)} ${done}${confirm === undefined ? '' : `; ${confirm}`}`);
    hasRemedy ||= is !== 'sent' && confirm !== undefined;
    const others = entries.filter((entry) => entry.path === '' && field in entry.values);
    if (is !== 'sent' && objection.entries.length === others.length) left.add(field);
  }
  return { notes, left, hasRemedy };
}

/** Takes the values with an objection out of a day. @returns the record refused, if nothing else is left: without a problem if notes say all */
function takeOut(day: DayDraft, strictest: Strictest, isStrict: boolean): Reading {
  const judged = entriesOf(day).filter((entry) => strictest.has(entry));
  if (judged.length === 0) return day;
  const { source, date, items } = day;
  const problems = [...day.problems];
  let warnings = [...day.warnings];
  const lost: Problem[] = [];
  for (const entry of judged) {
    for (const [field, { is, found, whole, likely }] of strictest.get(entry) ?? []) {
      const place = joinPointer(entry.path, entry.spellings.get(field) ?? field);
      if (is !== 'sent') {
        Reflect.deleteProperty(entry.values, field);
        // How it was read no longer matters.
        warnings = warnings.filter((note) => note.field !== place);
      }
      if (whole !== undefined) continue;
      if (is !== 'sent') lost.push({ field: place, problem: found });
      if (isStrict) problems.push({ field: place, problem: found });
      else {
        const done = is === 'sent' ? 'Sent as it is' : 'Left out';
        const remedy = is === 'sent' || is === 'wrong' ? '' : `; ${remedyOf(field, is, likely)}`;
        const message = `${sentence(found)} ${done}${remedy}`;
        warnings.push({ key: `${is} ${field}`, source, field: place, message });
      }
    }
    if (entry.path !== '' && isBare(entry, 'logged_at')) problems.push(...lost);
  }
  const isLeft = items !== undefined || !isBare(day, 'rawJson');
  if (!isLeft) problems.push(...lost);
  const isRefused = !isLeft || (problems.length > 0 && (isStrict || items !== undefined));
  return isRefused ? { source, date, problems } : Object.assign(day, { problems, warnings });
}

function entriesOf(day: DayDraft): Entry[] {
  return [day, ...(day.items ?? [])];
}

function isBare({ values }: Entry, rest: string): boolean {
  return Object.keys(values).every((name) => name === rest);
}

/** Says what to type if the values are right, or what their unit is. */
function remedyOf(field: string, is: 'unit' | 'days', likely?: string): string {
  const [own = unitNameOf(field), ...others] = Object.keys(unitsOf(field));
  if (is === 'days') return `--unit ${field}=day sends it`;
  return others.length === 0
    ? `--unit ${field}=${own} sends it`
    : `--unit ${field}=${likely ?? others[0] ?? ''} (of ${[own, ...others].join(', ')}) names its unit`;
}
