import { Parser } from 'htmlparser2';
import { SyncError } from '../../base/errors.ts';
import type { Row } from './row.ts';
import type { Mapping } from './types.ts';

/** Elements of this many bytes are held at once: more would outlive the collection of young objects. */
const PART = 16 * 1024;

type Attributes = Readonly<Record<string, string>>;

/**
 * Reads XML in parts: each element with the mapping's name becomes a row, its attributes the members. The parser
 * forgives, since exports of iOS 16 have a DTD that is not well-formed.
 *
 * @throws SyncError `INPUT_INVALID` if the document ends before its root element does
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
  const isWanted = wantedBy(mapping);
  let rows: Row[] = [];
  const open = new Set([root]);
  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        if (tag === element && isWanted(attributes)) rows.push(attributeRow(name, attributes));
      },
      onclosetag(tag, isImplied) {
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

function attributeRow(source: string, attributes: Attributes): Row {
  return { source, get: (path) => attributes[path], raw: attributes };
}

/** Most elements of an export hold values that no field takes. */
function wantedBy(mapping: Mapping): (attributes: Attributes) => boolean {
  const { name } = mapping;
  if (name === undefined || mapping.kind !== 'wellness') return () => true;
  const named = Object.values(mapping.fields).flatMap((rule) =>
    typeof rule === 'string' ? [] : (rule.named ?? []),
  );
  const wanted = new Set(named);
  return (attributes) => wanted.has(attributes[name] ?? '');
}
