import { Option } from 'commander';
import { SyncError } from '../base/errors.ts';
import { joinTexts } from '../base/phrase.ts';
import { listNames } from '../records/listed.ts';
import type { RecognisedInput } from '../records/prepare.ts';
import { SOURCES } from '../records/sources/all.ts';
import { matchTitle } from '../records/engine/recognise.ts';
import type { Match } from '../records/sources/types.ts';
import { conversionOf, highestOf, isDayTotal, unitsOf } from '../records/fields.ts';
import type { Conversion } from '../base/units.ts';
import type { SourceOptions } from '../records/types.ts';
import { collect } from './command.ts';
import type { AppContext } from './context.ts';
import { plural } from '../terminal/words.ts';

export interface SourceFlags {
  readonly source?: string;
  readonly unit?: readonly string[];
}

export const sourceFlag = () =>
  new Option('--source <source>', 'the program that wrote the file, as `sync sources` lists it');

/**
 * Returns the exports that a command recognises.
 *
 * @throws SyncError `USAGE` if there is no such source
 */
export function sourcesFor(context: AppContext, { source, unit }: SourceFlags): SourceOptions {
  const units = unitsFrom(unit);
  const choose = (input: string, matches: readonly Match[]) => ask(context, input, matches);
  if (source === undefined) return { list: SOURCES, named: false, choose, ...units };
  const named = SOURCES.find(({ name }) => name === source.toLowerCase());
  if (named === undefined) {
    throw new SyncError('USAGE', `There is no source '${source}'.`, {
      hint: `The sources are ${SOURCES.map(({ name }) => name).join(', ')}.`,
    });
  }
  return { list: [named], named: true, choose, ...units };
}

export const unitFlag = () =>
  new Option(
    '--unit <unit>',
    'the unit of weights that the file does not say (kg, lb, st), or of a field: sleepSecs=h, mood=/5, steps=day; may be repeated',
  ).argParser(collect);

/** Reads the units that the user names: `lb`, `sleepSecs=h`, `mood=/5`, `steps=day`. @throws SyncError `USAGE` */
function unitsFrom(
  flags: readonly string[] = [],
): Required<Pick<SourceOptions, 'units' | 'ofDay'>> {
  const units = new Map<string, Conversion & { readonly name: string }>();
  const ofDay = new Set<string>();
  for (const flag of flags) {
    if (flag.includes(',')) {
      const hint = `Write ${flag
        .split(',')
        .map((each) => `--unit ${each.trim()}`)
        .join(' ')}`;
      throw new SyncError('USAGE', `--unit ${flag}: one field per --unit.`, { hint });
    }
    const [unit = '', field = 'weight'] = flag.split('=').reverse();
    const conversion = conversionOf(field, unit);
    if (conversion !== undefined) units.set(field, { ...conversion, name: unit });
    else if (unit === DAY && isDayTotal(field)) ofDay.add(field);
    else {
      const hint = `The units of ${field}: ${unitNamesOf(field).join(', ') || 'none'}.`;
      throw new SyncError('USAGE', `--unit ${flag}: there is no such unit of ${field}.`, { hint });
    }
  }
  return { units, ofDay };
}

/** Confirms that a total is that of a day. */
const DAY = 'day';

function unitNamesOf(field: string): string[] {
  const scales =
    highestOf(field) === undefined ? [] : ['/N for a scale that ends at N: /5, /10, /100'];
  return [...Object.keys(unitsOf(field)), ...scales, ...(isDayTotal(field) ? [DAY] : [])];
}

/** Returns how a command asks for the unit that a file does not state; undefined if it cannot ask. */
export function unitAsker({ io, signal }: AppContext): SourceOptions['askUnit'] {
  if (!io.interactive) return undefined;
  return async (input, field) => {
    const known = unitsOf(field);
    const question = `${input}: in which unit is ${field} (${Object.keys(known).join(', ')})? `;
    let unit = await io.ask(question, { signal });
    while (known[unit] === undefined)
      unit = await io.ask(`"${unit}" is no unit of ${field}. ${question}`, { signal });
    return unit;
  };
}

async function ask(
  { io, signal }: AppContext,
  input: string,
  matches: readonly Match[],
): Promise<Match> {
  const names = matches.map(({ source }) => source.name);
  if (!io.interactive) {
    throw new SyncError('USAGE', `${input} may come from several programs: ${names.join(', ')}.`, {
      hint: `Name the right one: --source ${names[0] ?? ''}`,
    });
  }
  const question = joinTexts([
    `${input} may come from several programs:`,
    ...matches.map((match, index) => `  ${index + 1}  ${matchTitle(match)}`),
    `Which one (1 to ${matches.length})? `,
  ]);
  for (;;) {
    const answer = await io.ask(question, { signal });
    const chosen = matches[Number(answer) - 1] ?? matches[names.indexOf(answer)];
    if (chosen !== undefined) return chosen;
  }
}

export function exportJson(found: RecognisedInput): Record<string, unknown> {
  const { input, source, mapping, days, first, last, unread = [] } = found;
  const { kind, holds } = mapping;
  const range = first === undefined ? {} : { first, last };
  const { name, title } = source;
  const left = unread.length === 0 ? {} : { unread };
  return { type: 'export', path: input, source: name, title, holds, kind, days, ...range, ...left };
}

/** Names an export: `hae.json: Health Auto Export: metrics, 12 days (2026-06-01 to 2026-06-12)`. */
export function exportText(found: RecognisedInput): string {
  const { input, days, first, last, unread = [], ...match } = found;
  const range =
    first === undefined ? '' : first === last ? ` (${first})` : ` (${first} to ${last ?? ''})`;
  const left = unread.length === 0 ? '' : `; columns that are not sent: ${listNames(unread)}`;
  return `${input}: ${matchTitle(match)}, ${plural(days, 'day')}${range}${left}`;
}

/** Names the exports of a run, many FIT files as one. */
export function exportsText(all: readonly RecognisedInput[]): string[] {
  const [fit, others] = [all.filter(isFit), all.filter((found) => !isFit(found))];
  const days = fit.flatMap(({ first, last }) =>
    first === undefined ? [] : [first, last ?? first],
  );
  const [first = '', ...later] = days.sort();
  const range = `wellness of ${first}${later.length === 0 ? '' : ` to ${later.at(-1) ?? ''}`}`;
  return [
    ...others.map(exportText),
    ...(fit.length > 1 ? [`${fit.length} FIT files: ${range}`] : fit.map(exportText)),
  ];
}

function isFit({ mapping }: RecognisedInput): boolean {
  return mapping.format === 'fit';
}
