import { keepPart, table } from '../scripts/docs/document.mjs';

const COLUMNS = ['job', 'figure', 'ours', 'rival', 'ratio', 'target', 'result'];

/**
 * Writes a complete run into docs/internals/performance.md, whose other parts are written by hand.
 * @param machine lines of Markdown about the machine, the versions and what is missing
 * @param results of all rows: `row`, and `figures` as judged, or why there are none (`reason`)
 */
export async function writeReport(machine, results) {
  const lines = results.flatMap(documentLines);
  const part = `${machine.map((line) => `- ${line}`).join('\n')}\n\n${table(COLUMNS, lines)}`;
  await keepPart('docs/internals/performance.md', '`npm run bench -- --full`', part);
}

function documentLines({ row, figures, reason }) {
  const job = comparison(row);
  if (reason !== undefined) return [[job, '', '', '', '', '', reason]];
  return figures.map((figure, at) => [at === 0 ? job : '', figure.name, ...cells(figure)]);
}

function comparison({ job, rival }) {
  return rival === undefined ? job : `${job} / ${rival}`;
}

/** Returns what a terminal shows of a row, a line a figure. */
export function terminalLines({ row, figures, reason }) {
  const title = `${row.id}: ${comparison(row)}`.replaceAll('`', '');
  if (reason !== undefined) return [title, `  ${reason}`];
  const lines = figures.map((figure) => {
    const [ours, rival, ratio, target, result] = cells(figure);
    const columns = [figure.name.padEnd(24), ours.padEnd(22), rival.padEnd(22), ratio.padEnd(18)];
    return `  ${[...columns, target.padEnd(11), result].join(' ')}`.trimEnd();
  });
  return [title, ...lines];
}

/** Returns the cells of a judged figure: ours, rival, ratio, target, result. */
function cells({ unit, ours, rival, ratio, target, met }) {
  return [
    summaryText(ours, unit),
    rival === undefined ? '' : summaryText(rival, unit),
    ratio === undefined ? '' : summaryText(ratio, 'x'),
    target === undefined ? '' : `<= ${limitText(target)}`,
    target === undefined ? '' : met === undefined ? 'no rival' : met ? 'met' : 'missed',
  ];
}

/** The median, with the minimum in brackets. */
function summaryText({ median, minimum }, unit) {
  const text = amount(median, unit);
  return median === minimum ? text : `${text} (${amount(minimum, unit)})`;
}

function amount(value, unit) {
  if (unit === 'ms' && value >= 1000) return `${(value / 1000).toFixed(2)} s`;
  return `${value.toFixed(['ms', 'MB'].includes(unit) ? 1 : 3)} ${unit}`.trim();
}

function limitText([limit, unit]) {
  return unit === 'ms' && limit >= 1000 ? `${limit / 1000} s` : `${limit} ${unit}`.trim();
}
