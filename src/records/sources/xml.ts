import { Parser } from 'htmlparser2';
import { SyncError } from '../../base/errors.ts';
import type { JsonObject } from '../types.ts';
import type { Row } from './row.ts';
import type { Mapping, Path } from './types.ts';

/** Elements of this many bytes are held at once: more would outlive the collection of young objects. */
const PART = 16 * 1024;

/** Deeper XML is refused: the parser takes more and more time. Health exports have five levels. */
export const MAX_XML_DEPTH = 200;

/**
 * Reads XML in parts: each element with the mapping's name becomes a row, its attributes the members. The parser
 * forgives, since exports of iOS 16 have a DTD that is not well-formed.
 *
 * @throws SyncError `INPUT_INVALID` if the document ends before its root element does, or is
 *   nested too deep
 */
export async function* readXml(
  name: string,
  chunks: AsyncIterable<Uint8Array>,
  mapping: Mapping,
): AsyncGenerator<Row, void, undefined> {
  const {
    records: element,
    has: [root],
  } = mapping;
  const filter = filterOf(mapping);
  let rows: Row[] = [];
  /** The attributes so far of a wanted element. */
  let attributes: Map<string, string> | undefined;
  const endAttributes = () => {
    const isWanted = filter === undefined || attributes?.has(filter.name) === true;
    if (attributes !== undefined && isWanted) rows.push(new AttributeRow(name, attributes));
    attributes = undefined;
  };
  const open = new Set([root]);
  let depth = 0;
  const parser = new Parser(
    {
      onopentagname(tag) {
        endAttributes();
        if (++depth > MAX_XML_DEPTH) throw tooDeep(name);
        if (tag === element) attributes = new Map();
      },
      onattribute(attribute, value) {
        if (attribute === filter?.name && !filter.values.has(value)) attributes = undefined;
        attributes?.set(attribute, value);
      },
      onclosetag(tag, isImplied) {
        endAttributes();
        depth--;
        if (!isImplied) open.delete(tag);
      },
    },
    { xmlMode: true },
  );
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += PART) {
      parser.write(decoder.decode(chunk.subarray(at, at + PART), { stream: true }));
      yield* rows;
      rows = [];
    }
  }
  parser.end(decoder.decode());
  yield* rows;
  if (open.size === 0) return;
  throw new SyncError('INPUT_INVALID', `${name} is cut off: it ends before </${String(root)}>.`, {
    hint: 'Export it again, and copy or unpack it completely.',
    details: { path: name },
  });
}

function tooDeep(name: string): SyncError {
  return new SyncError('INPUT_INVALID', `${name} is nested more than ${MAX_XML_DEPTH} deep.`, {
    hint: 'No export that sync knows is.',
    details: { path: name },
  });
}

/** A class: with object literals instead, five times as much memory outlives young collections. */
class AttributeRow implements Row {
  readonly source: string;
  readonly #attributes: ReadonlyMap<string, string>;

  constructor(source: string, attributes: ReadonlyMap<string, string>) {
    this.source = source;
    this.#attributes = attributes;
  }

  get(path: Path): string | undefined {
    return this.#attributes.get(path);
  }

  get raw(): JsonObject {
    return Object.fromEntries(this.#attributes);
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
