import { parseJson } from '../base/json.ts';
import { type ListPlace, findList, firstElements } from './read/json-list.ts';
import { LOOKED_AT } from './engine/recognise.ts';
import { afterSpace, markLength } from './read/text.ts';
import type { JsonValue } from './types.ts';
import { isObject } from './values.ts';

/** A JSON document above this size is read in parts, if it has a list (bytes). */
export const LARGE_BYTES = 2 * 1024 * 1024;

/** The part of a table or of XML by which it is recognised (bytes). */
const TEXT_HEAD = 32 * 1024;

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const NEW_LINE = 0x0a;

/** The first bytes of an input, and what they show about its form. */
export interface InputHead {
  readonly bytes: Buffer;
  /** `lines`: NDJSON. `list`: a JSON document above {@link LARGE_BYTES} with a list. */
  readonly form:
    | { readonly kind: 'lines'; readonly first: JsonValue }
    | { readonly kind: 'list'; readonly list: ListPlace; readonly first: JsonValue[] }
    | { readonly kind: 'other' };
}

/**
 * Reads the first bytes of an input: of JSON until its form is known, at most {@link LARGE_BYTES}
 * and a chunk, as of blanks; of any other text, {@link TEXT_HEAD}.
 *
 * @throws SyncError `INPUT_INVALID` if an element of a large list is not JSON
 */
export async function readHead(
  name: string,
  chunks: AsyncGenerator<Buffer, void, undefined>,
): Promise<InputHead> {
  let bytes: Buffer = Buffer.alloc(0);
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    bytes = Buffer.concat([bytes, next.value]);
    const start = afterSpace(bytes, markLength(bytes));
    const isJson = bytes[start] === OPEN_BRACE || bytes[start] === OPEN_BRACKET;
    if (isJson) {
      const first = firstOfLines(bytes, start);
      if (first !== undefined) return { bytes, form: { kind: 'lines', first } };
      if (bytes.length >= LARGE_BYTES) return { bytes, form: listForm(name, bytes) };
    } else if (bytes.length >= (start < bytes.length ? TEXT_HEAD : LARGE_BYTES)) break;
  }
  return { bytes, form: { kind: 'other' } };
}

/** Returns the object on the first line, if it is complete there and more than blanks follows. */
function firstOfLines(bytes: Buffer, start: number): JsonValue | undefined {
  const end = bytes.indexOf(NEW_LINE, start);
  if (end === -1 || afterSpace(bytes, end) === bytes.length) return undefined;
  try {
    const value = parseJson(bytes.toString('utf8', start, end)) as JsonValue;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function listForm(name: string, bytes: Buffer): InputHead['form'] {
  const list = findList(bytes);
  const first = list === undefined ? [] : firstElements(name, bytes, list, LOOKED_AT);
  return list === undefined || first.length === 0
    ? { kind: 'other' }
    : { kind: 'list', list, first };
}
