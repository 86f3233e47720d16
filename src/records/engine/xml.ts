import { Parser, type QuoteType } from 'htmlparser2';
import { XmlFault, XmlFeed, decodedXml } from '../../base/xml.ts';
import type { Row } from './row.ts';
import { refusedInput } from '../refused-input.ts';
import { MAX_UNREAD } from './row-values.ts';
import type { Mapping, Path } from '../sources/types.ts';

/**
 * Reads XML: each element with the mapping's name becomes a row, its attributes the members. Yields the rows of
 * each part. The parser forgives, since exports of iOS 16 have a DTD that is not well-formed.
 *
 * @param unread gets the names of the elements' values that no field wants
 * @throws SyncError `INPUT_INVALID` if the document ends before its root element does, has a zero byte, or exceeds a
 * limit
 */
export async function* readXml(
  name: string,
  chunks: AsyncIterable<Buffer>,
  mapping: Mapping,
  unread: Set<string>,
): AsyncGenerator<Row[], void, undefined> {
  const { parser, rows, open, feed } = rowParser(name, mapping, unread);
  try {
    for await (const chunk of chunks) {
      const parts = feed.write(parser, chunk);
      while (parts.next().done !== true) yield rows.splice(0);
    }
  } catch (error) {
    if (!(error instanceof XmlFault)) throw error;
    throw refusedInput(name, `${name} ${error.message}, which no export does`, 'Export it again.');
  }
  parser.end();
  yield rows;
  if (open.size === 0) return;
  const [root] = open;
  const found = `${name} is cut off: it ends before </${String(root)}>`;
  throw refusedInput(name, found, 'Export it again, and copy or unpack it completely.');
}

/**
 * Makes a parser that adds a row for each wanted element.
 *
 * @returns `open`: the root element until its end
 */
function rowParser(name: string, mapping: Mapping, unread: Set<string>) {
  const {
    records: element,
    has: [root],
  } = mapping;
  const filter = filterOf(mapping);
  const rows: Row[] = [];
  const open = new Set([root]);
  const feed = new XmlFeed();
  const endAttributes = () => {
    const { row } = parser;
    if (row !== undefined && (filter === undefined || row.has(filter.name))) rows.push(row);
    parser.row = undefined;
  };
  const parser = new RowParser(
    {
      onopentagname(tag) {
        feed.opened();
        endAttributes();
        if (tag === element) parser.row = new ElementRow(name);
      },
      onattribute(attribute, value) {
        const isOther = attribute === filter?.name && !filter.values.has(decodedXml(value));
        if (!isOther) parser.row?.set(attribute, value);
        else {
          if (parser.row !== undefined && unread.size < MAX_UNREAD) unread.add(decodedXml(value));
          parser.row = undefined;
        }
      },
      onclosetag(tag, isImplied) {
        feed.closed();
        endAttributes();
        if (!isImplied) open.delete(tag);
      },
    },
    { xmlMode: true, decodeEntities: false },
  );
  return { parser, rows, open, feed };
}

/** Makes strings only of the attributes of rows: most elements of an export are left out. */
class RowParser extends Parser {
  /** The row of a wanted element, while its attributes are read. */
  row: ElementRow | undefined;

  override onattribname(start: number, end: number): void {
    if (this.row !== undefined) super.onattribname(start, end);
  }

  override onattribdata(start: number, end: number): void {
    if (this.row !== undefined) super.onattribdata(start, end);
  }

  override onattribend(quote: QuoteType, end: number): void {
    if (this.row !== undefined) super.onattribend(quote, end);
  }
}

/**
 * An element with its attributes as the parser returns them: see {@link decodedXml}. A class: with object
 * literals instead, five times as much memory outlives young collections.
 */
class ElementRow implements Row {
  readonly source: string;
  readonly #attributes = new Map<string, string>();

  constructor(source: string) {
    this.source = source;
  }

  set(name: string, value: string): void {
    this.#attributes.set(name, value);
  }

  has(name: string): boolean {
    return this.#attributes.has(name);
  }

  get(path: Path): string | undefined {
    const value = this.#attributes.get(path);
    return value === undefined ? undefined : decodedXml(value);
  }
}

/** Names the values that a field takes: most elements of an export hold others. */
function filterOf(
  mapping: Mapping,
): { readonly name: string; readonly values: ReadonlySet<string> } | undefined {
  const { name } = mapping;
  if (name === undefined || mapping.kind !== 'wellness') return undefined;
  const named = Object.values(mapping.fields).flatMap((rule) =>
    typeof rule === 'string' ? [] : (rule.named ?? []),
  );
  return { name, values: new Set(named) };
}
