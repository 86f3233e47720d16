import { FAILURES, type Failure, type RoundResult } from './kind.ts';

interface Row {
  readonly title: string;
  rounds: number;
  readonly counts: Map<string, number>;
  readonly failures: Record<Failure, number>;
  missing: string | undefined;
}

/** Collects the rounds by kind, as a Markdown table with columns of equal width. */
export class ResultTable {
  readonly #rows = new Map<string, Row>();

  add({ kind, title, counts, failures, missing }: RoundResult): void {
    const row = this.#rows.get(kind) ?? emptyRow(title);
    this.#rows.set(kind, row);
    row.missing = missing;
    if (missing !== undefined) return;
    row.rounds++;
    for (const [what, count] of Object.entries(counts)) {
      row.counts.set(what, (row.counts.get(what) ?? 0) + count);
    }
    for (const failure of failures) row.failures[failure]++;
  }

  /** Returns the result of each kind, as `.ci/run` counts them. */
  results(): ('passed' | 'failed' | 'skipped')[] {
    return [...this.#rows.values()].map(({ missing, failures }) => {
      if (missing !== undefined) return 'skipped';
      return FAILURES.some((failure) => failures[failure] > 0) ? 'failed' : 'passed';
    });
  }

  render(): string {
    const rows = [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1));
    const cells = [
      ['kind', 'rounds', 'what happened', ...FAILURES],
      ...rows.map(([name, row]) => cellsOf(name, row)),
    ];
    const widths = cells[0]?.map((_, column) =>
      Math.max(...cells.map((line) => line[column]?.length ?? 0)),
    );
    const lines = cells.map((line) => toLine(line, widths ?? []));
    const rule = `| ${(widths ?? []).map((width) => '-'.repeat(width)).join(' | ')} |`;
    return [lines[0], rule, ...lines.slice(1)].join('\n');
  }
}

function emptyRow(title: string): Row {
  return {
    title,
    rounds: 0,
    counts: new Map(),
    failures: { lost: 0, duplicated: 0, 'wrong report': 0, hang: 0 },
    missing: undefined,
  };
}

function cellsOf(name: string, row: Row): string[] {
  const kind = `${name}: ${row.title}`;
  if (row.missing !== undefined) return [kind, '0', `skipped: ${row.missing}`, '-', '-', '-', '-'];
  const counts = [...row.counts].map(([what, count]) => `${count.toLocaleString('en')} ${what}`);
  const failures = FAILURES.map((failure) => String(row.failures[failure]));
  return [kind, row.rounds.toLocaleString('en'), counts.join(', '), ...failures];
}

function toLine(cells: readonly string[], widths: readonly number[]): string {
  return `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
}
