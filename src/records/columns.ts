import { SyncError } from '../base/errors.ts';
import { WELLNESS_FIELDS, highestOf, isDayTotal } from './fields.ts';
import type { DayMerger } from './merge.ts';
import type { Mapping } from './sources/types.ts';
import type { DayDraft, SourceOptions } from './types.ts';

/** Judges each field of an input with all its values, after the input was read to its end. */

interface Cell {
  readonly date: string;
  readonly value: number;
}

interface Column {
  readonly field: string;
  readonly cells: readonly Cell[];
}

/** What is known of the file, and what the user said of it. */
export interface FileFacts extends Pick<SourceOptions, 'units' | 'ofDay'> {
  /** Undefined for records in the platform's form. */
  readonly mapping?: Mapping | undefined;
  /** The fields whose unit or scale the header states. */
  readonly stated?: ReadonlySet<string> | undefined;
}

/** An objection to values: they are left out, or sent with the note. */
interface Objection {
  readonly cells: readonly Cell[];
  readonly found: string;
  /** What settles the doubt; without it, there is none. */
  readonly confirm?: string;
  readonly isSent?: true;
}

type Judge = (column: Column, facts: FileFacts, others: Columns) => Objection | undefined;

/** All are asked; the first objection counts. */
const JUDGES: readonly Judge[] = [
  otherMeaning,
  otherRange,
  lowScale,
  scoreForHrv,
  sumsOfPeriods,
  unlikelyTotal,
];

/** The numbers of one input, by field. */
export class Columns {
  readonly #cells = new Map<string, Cell[]>();

  add({ date, fields }: DayDraft): void {
    for (const [field, value] of fields) {
      if (typeof value !== 'number') continue;
      const cells = this.#cells.get(field);
      if (cells === undefined) this.#cells.set(field, [{ date, value }]);
      else cells.push({ date, value });
    }
  }

  column(field: string): Column {
    return { field, cells: this.#cells.get(field) ?? [] };
  }

  /**
   * Takes the values with an objection out of the days of the input.
   *
   * @returns a note for each field, and the fields of which no value is sent
   * @throws SyncError `INPUT_INVALID` if nothing else is there, or if strict
   */
  judge(name: string, merger: DayMerger, facts: FileFacts, isStrict: boolean) {
    const left = new Set<string>();
    const notes: string[] = [];
    const remedies: string[] = [];
    for (const field of this.#cells.keys()) {
      const column = this.column(field);
      const objection = JUDGES.map((judge) => judge(column, facts, this)).find(Boolean);
      if (objection === undefined) continue;
      const { cells, confirm, isSent } = objection;
      const found = `${field}: ${objection.found}`;
      if (confirm !== undefined && isStrict) throw invalid(name, `: ${found}`, [confirm]);
      const done = `${isSent ? 'Sent as they are' : 'Not sent'}${confirm ? `; ${confirm}` : ''}`;
      notes.push(`${sentence(found)} ${done}`);
      if (isSent) continue;
      if (confirm !== undefined) remedies.push(confirm);
      if (cells.length === column.cells.length) left.add(field);
      merger.leaveOut(field, cells);
    }
    if (remedies.length > 0 && merger.extent.days === 0)
      throw invalid(name, ` has no value to send: ${[...left].join(', ')}`, notes);
    return { notes, left };
  }
}

function sentence(text: string): string {
  return text.endsWith('?') ? text : `${text}.`;
}

function invalid(path: string, found: string, hints: readonly string[]): SyncError {
  const hint = hints.map(sentence).join(' ');
  return new SyncError('INPUT_INVALID', sentence(`${path}${found}`), { hint, details: { path } });
}

function otherMeaning({ field, cells }: Column, { mapping }: FileFacts): Objection | undefined {
  const rule = mapping?.kind === 'wellness' ? mapping.fields[field] : undefined;
  const means = typeof rule === 'object' ? rule.means : undefined;
  return means === undefined ? undefined : { cells, found: means };
}

/** If most values of a field are of another scale, all are. */
function otherRange({ field, cells }: Column): Objection | undefined {
  const rule = WELLNESS_FIELDS[field];
  const other = rule !== undefined && 'elsewhere' in rule ? rule.elsewhere : undefined;
  const beyond = cells.filter(({ value }) => other !== undefined && value >= other.min);
  const [first] = beyond;
  if (other === undefined || first === undefined) return undefined;
  const found = `${timesOf(beyond, `is ${first.value}`)}; ${other.found}`;
  const scale = other.scale && `--unit ${field}=${other.scale} converts points of 100`;
  const all = beyond.length * 2 > cells.length ? cells : beyond;
  return { cells: all, found, ...(scale !== undefined && { confirm: scale }) };
}

/** A table of fewer ratings may lack the high ones by chance. */
const ENOUGH_RATINGS = 5;
const LOW_RATING = 5;
const LOW_SCORE = 10;

/** Scores that never exceed a tenth or a half of the platform's scale: the athlete's own records are sent. */
function lowScale({ field, cells }: Column, { mapping, units, stated }: FileFacts) {
  const highest = highestOf(field);
  const isOwn = mapping === undefined;
  const isTable = mapping?.guess === true && mapping.format === 'csv';
  if (highest === undefined || cells.length === 0) return undefined;
  if (units?.has(field) || stated?.has(field)) return undefined;
  const most = Math.max(...cells.map(({ value }) => value));
  const found = `no value is above ${most}, and the platform takes 1 to ${highest}`;
  if (highest === LOW_SCORE) {
    if (!isTable || cells.length < ENOUGH_RATINGS || most > LOW_RATING) return undefined;
    return { cells, found, confirm: `--unit ${field}=/5 or --unit ${field}=/10 names the scale` };
  }
  if (most > LOW_SCORE || !(isOwn || isTable)) return undefined;
  const confirm = `--unit ${field}=/${isOwn ? highest : LOW_SCORE} `;
  return isOwn
    ? { cells, found, confirm: `${confirm}confirms them`, isSent: true as const }
    : { cells, found, confirm: `${confirm}converts them if they are of 10` };
}

/** A readiness of 1 to 10 is Elite HRV's. Its `HRV` is a score, too. */
function scoreForHrv({ field, cells }: Column, facts: FileFacts, others: Columns) {
  const { units, stated } = facts;
  if (field !== 'hrv' || units?.has(field) || stated?.has(field)) return undefined;
  const readiness = lowScale(others.column('readiness'), facts);
  if (readiness === undefined || 'isSent' in readiness) return undefined;
  const found = 'is a score, as the readiness is, or ms';
  return { cells, found, confirm: '--unit hrv=ms sends it' };
}

/** Fewer dates may fall on one weekday by chance. */
const ENOUGH_PERIODS = 3;
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Totals that come once a week or a month are perhaps of all of it. */
function sumsOfPeriods({ field, cells }: Column, { ofDay }: FileFacts): Objection | undefined {
  if (!isDayTotal(field) || ofDay?.has(field)) return undefined;
  const dates = [...new Set(cells.map(({ date }) => date))];
  const weekdays = new Set(dates.map((date) => new Date(date).getUTCDay()));
  const isMonthly = dates.every((date) => date.endsWith('-01'));
  if (dates.length < ENOUGH_PERIODS || !(isMonthly || weekdays.size === 1)) return undefined;
  const [weekday = 0] = weekdays;
  const [when, span] = isMonthly
    ? ['the first day of a month', 'month']
    : [`a ${WEEKDAYS[weekday] ?? ''}`, 'week'];
  const found = `every date is ${when}: are the values of the whole ${span}?`;
  return { cells, found, confirm: `--unit ${field}=day confirms those of a day` };
}

/** More than this is no athlete's day (steps, kcal eaten). */
const MOST_A_DAY: Readonly<Record<string, number>> = { steps: 100_000, calories: 12_000 };

function unlikelyTotal({ field, cells }: Column, { ofDay }: FileFacts): Objection | undefined {
  const most = MOST_A_DAY[field];
  const beyond = cells.filter(({ value }) => value > (most ?? Infinity));
  const [first] = beyond;
  if (most === undefined || first === undefined || ofDay?.has(field)) return undefined;
  const found = `${timesOf(beyond, `is ${first.value}`)}: of several days?`;
  return { cells: beyond, found, confirm: `--unit ${field}=day sends it` };
}

function timesOf(cells: readonly Cell[], found: string): string {
  const count = cells.length.toLocaleString('en-US');
  return cells.length === 1
    ? `${found} on ${cells[0]?.date ?? ''}`
    : `${found} (${count} values of this kind)`;
}
