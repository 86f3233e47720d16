import { renderText } from '../../../src/base/phrase.ts';
import { SOURCES } from '../../../src/records/sources/all.ts';
import { conversionOf } from '../../../src/records/fields.ts';
import type {
  RecordKind,
  RecordOptions,
  SourceOptions,
  Units,
  Warning,
} from '../../../src/records/types.ts';
import { prepareFiles } from '../support.ts';

interface TableOptions
  extends
    Pick<RecordOptions, 'lastWeight'>,
    Partial<Pick<RecordOptions, 'zone'>>,
    Pick<SourceOptions, 'ofDay' | 'askUnit' | 'memory'> {
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
    return [field, { ...conversion, name: unit }] as const;
  });
  return new Map(named);
}

function textOf({ source, message }: Warning): string {
  return `${source}: ${renderText(message, undefined)}`;
}

/** Reads a file as wellness, unless `name` is that of food, and returns all that is said about it. */
export async function read(
  text: string | Buffer,
  { source, units = {}, ofDay, askUnit, memory, name = 'f.csv', ...options }: TableOptions = {},
) {
  const list = SOURCES.filter((each) => source === undefined || each.name === source);
  const sources = {
    ...{ list, named: source !== undefined },
    units: unitsOf(units),
    ...(ofDay && { ofDay }),
    ...(askUnit && { askUnit }),
    memory,
  };
  const kind: RecordKind = name.startsWith('food') ? 'nutrition' : 'wellness';
  const result = await prepareFiles(kind, { [name]: text }, { ...options, sources });
  const said = result.records.flatMap(({ warnings }) => warnings);
  return {
    empty: result.empty.map(({ problem }) => problem),
    bodies: result.records.map(({ body }) => body),
    notes: said.filter(({ unsent }) => unsent !== true).map(textOf),
    /** Records, and values of records, that are not sent. */
    invalid: [
      ...result.invalid.map(({ source: place, problem }) => `${place}: ${problem}`),
      ...said.filter(({ unsent }) => unsent === true).map(textOf),
    ],
    unread: result.exports.flatMap(({ unread = [] }) => unread),
    left: result.warnings.map((each) => renderText(each, undefined)),
    refused: result.unreadable.map(
      ({ problems, hint }) => `${problems[0].problem} ${renderText(hint, undefined)}`,
    ),
  };
}
