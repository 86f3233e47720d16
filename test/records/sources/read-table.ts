import { renderText } from '../../../src/base/phrase.ts';
import { prepareInputs } from '../../../src/records/prepare.ts';
import { SOURCES } from '../../../src/records/sources/all.ts';
import type { RecordKind, RecordOptions, SourceOptions } from '../../../src/records/types.ts';
import { BERLIN, chunks } from '../support.ts';

/** Reads a file as wellness, unless `name` is that of food, and returns all that is said about it. */
export async function read(
  text: string | Buffer,
  options: Partial<RecordOptions> = {},
  source?: string,
  units: Pick<SourceOptions, 'units' | 'unitOf'> = {},
  name = 'f.csv',
) {
  const list = SOURCES.filter(({ name }) => source === undefined || name === source);
  const choose = () => Promise.reject(new Error('several sources'));
  const sources = { list, named: source !== undefined, choose, ...units };
  const inputs = [{ name, chunks: chunks(text) }];
  const signal = new AbortController().signal;
  const kind: RecordKind = name.startsWith('food') ? 'nutrition' : 'wellness';
  const result = await prepareInputs(kind, inputs, { ...BERLIN, sources, ...options }, signal);
  const said = result.records.flatMap(({ warnings }) => warnings);
  return {
    empty: result.empty.map(({ problem }) => problem),
    bodies: result.records.map(({ body }) => body),
    notes: said.map(({ source: place, message }) => `${place}: ${renderText(message, undefined)}`),
    invalid: result.invalid.map(({ source: place, problem }) => `${place}: ${problem}`),
    unread: result.exports.flatMap(({ unread = [] }) => unread),
    left: result.warnings.map((each) => renderText(each, undefined)),
    refused: result.unreadable.map(
      ({ problems, hint }) => `${problems[0].problem} ${renderText(hint, undefined)}`,
    ),
  };
}
