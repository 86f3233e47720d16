import type { Text } from '../base/phrase.ts';

/** Everything found of one kind: a row of the table that `sync import` prints. */
export interface ImportRow {
  readonly kind: RowKind;
  /** For people: `Recordings`, `Oura: sleep`. */
  readonly title: string;
  readonly files: number;
  /** Their size, if it is a recording to send (bytes). */
  readonly bytes: number;
  /** Days, as `YYYY-MM-DD`, in order; empty if they are unknown. */
  readonly days: readonly string[];
  readonly sends: boolean;
  readonly reason?: Text;
  readonly source?: string;
}

/** The kinds of rows, in the order of the table. */
export const ROW_KINDS = [
  'recordings',
  'tracks',
  'phone-tracks',
  'wellness',
  'nutrition',
  'uploaded-before',
  'undone',
  'copies',
  'covered',
  'too-early',
  'titles',
  'no-activity',
  'unusable',
  'ambiguous',
  'unreadable',
  'not-understood',
] as const;
export type RowKind = (typeof ROW_KINDS)[number];

interface RowGroup {
  readonly row: Omit<ImportRow, 'files' | 'bytes' | 'days'>;
  files: number;
  bytes: number;
  readonly days: Set<string>;
}

export class ImportTable {
  readonly #groups = new Map<string, RowGroup>();

  add(row: RowGroup['row'], { files = 1, bytes = 0, days = [] as readonly string[] } = {}): void {
    const key = `${row.kind} ${row.title}`;
    const group = this.#groups.get(key) ?? { row, files: 0, bytes: 0, days: new Set() };
    this.#groups.set(key, group);
    group.files += files;
    group.bytes += bytes;
    for (const day of days) group.days.add(day);
  }

  /** Adds a file that is not sent. */
  leave(kind: RowKind, title: string, reason: Text, days: readonly string[] = []): void {
    this.add({ kind, title, sends: false, reason }, { days });
  }

  /** Adds a file or an archive that cannot be read; each is reported on its own. */
  leaveUnreadable(): void {
    this.leave('unreadable', 'Unreadable files', 'see above');
  }

  /** Returns the rows by kind, the largest of a kind first. */
  get all(): ImportRow[] {
    const all = [...this.#groups.values()].map(({ row, files, bytes, days }) => ({
      ...row,
      files,
      bytes,
      days: [...days].sort(),
    }));
    const rank = ({ kind }: ImportRow) => ROW_KINDS.indexOf(kind);
    return all.sort((a, b) => rank(a) - rank(b) || b.files - a.files);
  }
}
