import type { OpenLedger } from '../../app/ledger.ts';
import { uploadsOfDays } from '../../app/uploads-of-days.ts';
import { daysAfter } from '../../base/time.ts';
import type { RecordState, RecordKind } from '../../ledger/records.ts';
import type { LedgerUpload } from '../../ledger/upload-rows.ts';
import { type Glyphs, glyphsFor } from '../../terminal/features.ts';
import { capital, weekday } from '../../terminal/words.ts';

/** What the ledger has of a day. `none`: nothing. Of several recordings, the worst. */
export type Mark = keyof Glyphs['mark'];

export interface DayMarks {
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly activity: Mark;
  readonly wellness: Mark;
  readonly nutrition: Mark;
}

const DAYS = 14;

const MARKS = {
  confirmed: 'confirmed',
  pending: 'waiting',
  rejected: 'refused',
  undoing: 'waiting',
  undone: 'undone',
  held: 'none',
} as const;
const WORST_FIRST = ['refused', 'waiting', 'confirmed', 'undone'] as const;

/**
 * Returns the marks of the last days up to today, the oldest first.
 *
 * @param ledger undefined if there is none
 * @param zone of recordings without their own offset
 */
export function marksOfDays(
  ledger: Pick<OpenLedger, 'uploads' | 'records'> | undefined,
  today: string,
  zone: string,
): readonly DayMarks[] {
  const dates = Array.from({ length: DAYS }, (_, index) => daysAfter(today, index - DAYS + 1));
  const first = dates[0] ?? today;
  const uploads = ledger === undefined ? [] : uploadsOfDays(ledger.uploads, first, today, zone);
  const states = (kind: RecordKind) =>
    ledger?.records.statesBetween(kind, first, today) ?? new Map<string, RecordState>();
  const [wellness, nutrition] = [states('wellness'), states('nutrition')];
  return dates.map((date) => ({
    date,
    activity: worstOf(uploads.filter((each) => each.date === date).map(({ upload }) => upload)),
    wellness: markOf(wellness.get(date)),
    nutrition: markOf(nutrition.get(date)),
  }));
}

function markOf(state: RecordState | undefined): Mark {
  return state === undefined ? 'none' : MARKS[state];
}

function worstOf(uploads: readonly LedgerUpload[]): Mark {
  const marks = new Set<Mark>(uploads.map(({ state }) => MARKS[state]));
  return WORST_FIRST.find((mark) => marks.has(mark)) ?? 'none';
}

const KINDS = ['activity', 'wellness', 'nutrition'] as const;

export function isMarked(day: DayMarks): boolean {
  return KINDS.some((kind) => day[kind] !== 'none');
}

/** Formats the strip: days of the week and of the month above a row for each kind; 51 columns. */
export function stripLines(days: readonly DayMarks[], unicode: boolean): string[] {
  const { mark: glyphs } = glyphsFor(unicode);
  const row = (title: string, cellOf: (day: DayMarks) => string) =>
    title.padEnd(LABEL) + days.map((day) => cellOf(day).padStart(2)).join(' ');
  const used = new Set(days.flatMap((day) => KINDS.map((kind) => day[kind])));
  // The other marks explain themselves.
  const legend = (['waiting', 'refused', 'undone'] as const)
    .filter((mark) => used.has(mark))
    .map((mark) => `${glyphs[mark]} ${mark}`);
  return [
    row('', ({ date }) => weekday(new Date(date)).slice(0, 2)),
    row('', ({ date }) => String(Number(date.slice(8)))),
    ...KINDS.map((kind) => row(capital(kind), (day) => glyphs[day[kind]])),
    ...(legend.length === 0 ? [] : [' '.repeat(LABEL) + legend.join('  ')]),
  ];
}

/** Width of the labels before each line of the status (columns). */
export const LABEL = 10;
