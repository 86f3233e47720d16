import { renderText } from '../../../src/base/phrase.ts';
import { SOURCES } from '../../../src/records/sources/all.ts';
import { conversionOf } from '../../../src/records/fields.ts';
import type {
  RecordKind,
  RecordOptions,
  SourceOptions,
  Units,
} from '../../../src/records/types.ts';
import { prepareFiles } from '../support.ts';

interface TableOptions
  extends
    Pick<RecordOptions, 'lastWeight'>,
    Partial<Pick<RecordOptions, 'zone'>>,
    Pick<SourceOptions, 'ofDay' | 'unitOf'> {
  /** By field, as in `--unit`. */
  readonly units?: Readonly<Record<string, string>>;
  readonly strict?: boolean;
  /** The source that the user names. */
  readonly source?: string;
  readonly name?: string;
}

function unitsOf(units: Readonly<Record<string, string>>): Units {
  const named = Object.entries(units).map(([field, unit]) => {
    const conversion = conversionOf(field, unit);
    if (conversion === undefined) throw new Error(`${field} has no unit ${unit}`);
    return [field, conversion] as const;
  });
  return new Map(named);
}

/** Reads a file as wellness, unless `name` is that of food, and returns all that is said about it. */
export async function read(
  text: string | Buffer,
  { source, units = {}, ofDay, unitOf, name = 'f.csv', ...options }: TableOptions = {},
) {
  const list = SOURCES.filter((each) => source === undefined || each.name === source);
  const sources = {
    ...{ list, named: source !== undefined },
    units: unitsOf(units),
    ...(ofDay && { ofDay }),
    ...(unitOf && { unitOf }),
  };
  const kind: RecordKind = name.startsWith('food') ? 'nutrition' : 'wellness';
  const result = await prepareFiles(kind, { [name]: text }, { ...options, sources });
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
