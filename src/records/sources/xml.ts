import { Parser } from 'htmlparser2';
import { SyncError } from '../../base/errors.ts';
import { plain } from '../names.ts';
import { type Row, textRow } from './row.ts';
import type { Mapping } from './types.ts';

/**
 * Reads XML in parts: each element with the mapping's name becomes a row, its attributes the members. The parser
 * forgives, since exports of iOS 16 have a DTD that is not well-formed.
 *
 * @throws SyncError `INPUT_INVALID` if the document ends before its root element does
 */
export async function* readXml(
  name: string,
  chunks: AsyncIterable<Uint8Array>,
  { records: element, has: [root] }: Mapping,
): AsyncGenerator<Row, void, undefined> {
  let rows: Row[] = [];
  const open = new Set([root]);
  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        if (tag !== element) return;
        const members = Object.entries(attributes).map(
          ([key, value]) => [plain(key), value] as const,
        );
        rows.push(textRow(name, new Map(members)));
      },
      onclosetag(tag, isImplied) {
        if (!isImplied) open.delete(tag);
      },
    },
    { xmlMode: true },
  );
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    parser.write(decoder.decode(chunk, { stream: true }));
    yield* rows;
    rows = [];
  }
  parser.end(decoder.decode());
  yield* rows;
  if (open.size === 0) return;
  throw new SyncError('INPUT_INVALID', `${name} is cut off: it ends before </${String(root)}>.`, {
    hint: 'Export it again, and copy or unpack it completely.',
    details: { path: name },
  });
}
