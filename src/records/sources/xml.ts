import { Parser } from 'htmlparser2';
import { SyncError } from '../../base/errors.ts';
import type { JsonObject } from '../types.ts';
import type { Row } from './row.ts';
import type { Mapping, Path } from './types.ts';

/** Elements of this many bytes are held at once: more would outlive the collection of young objects. */
const PART = 16 * 1024;

/** Deepest nesting of elements. The parser needs quadratic time; exports have fewer than ten levels. */
const MAX_DEPTH = 100;

/** Longest text, comment or value (bytes). The parser holds it in memory. */
const MAX_TEXT = 1024 * 1024;

/**
 * Reads XML in parts: each element with the mapping's name becomes a row, its attributes the members. The parser
 * forgives, since exports of iOS 16 have a DTD that is not well-formed.
 *
 * @throws SyncError `INPUT_INVALID` if the document ends before its root element does, or exceeds a limit
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
  /** Bytes since the last tag or attribute. */
  let pending = 0;
  const parser = new Parser(
    {
      onopentagname(tag) {
        pending = 0;
        if (++depth > MAX_DEPTH) {
          throw beyondLimit(name, `nests elements more than ${MAX_DEPTH} deep`);
        }
        endAttributes();
        if (tag === element) attributes = new Map();
      },
      onattribute(attribute, value) {
        pending = 0;
        if (attribute === filter?.name && !filter.values.has(value)) attributes = undefined;
        attributes?.set(attribute, value);
      },
      onclosetag(tag, isImplied) {
        pending = 0;
        depth--;
        endAttributes();
        if (!isImplied) open.delete(tag);
      },
    },
    { xmlMode: true },
  );
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += PART) {
      const part = chunk.subarray(at, at + PART);
      pending += part.length;
      parser.write(decoder.decode(part, { stream: true }));
      if (pending > MAX_TEXT) throw beyondLimit(name, 'has a text of more than 1 MB');
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

function beyondLimit(name: string, excess: string): SyncError {
  return new SyncError('INPUT_INVALID', `${name} ${excess}, which no export does.`, {
    hint: 'Export it again.',
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
