import { prepend } from '../base/chunks.ts';
import { parseDocument, readDocument } from './read/document.ts';
import { fitSamples, isFit } from './read/fit-input.ts';
import { MAX_INPUT_BYTES, type Input, allOf, joinAll, openInput } from './read/input.ts';
import { type InputHead, LARGE_BYTES, readHead } from './input-head.ts';
import { readList } from './read/json-list.ts';
import { readListParts } from './read/list-parts.ts';
import { linesOf, readLines } from './read/ndjson.ts';
import { type ExportReader, isXml, matchText, sampleOf } from './engine/export-reader.ts';
import { LOOKED_AT, type Match, matchFit, matchJson, mayMatchJson } from './engine/recognise.ts';
import type { Source } from './sources/types.ts';
import { rejectOtherFormat } from './read/text.ts';
import type { RawRecord, RecordKind } from './types.ts';

export interface InputOptions {
  readonly maxBytes?: number;
  /** Reads the input if it is an export of another program. */
  readonly exports?: ExportReader | undefined;
}

/**
 * Reads the records of one input: a JSON object, an array, an object with a list of records in it,
 * or one JSON object a line (NDJSON).
 *
 * A JSON document is held in memory and checked as a whole before its first record is yielded. NDJSON,
 * and a large JSON list from a known source, are streamed. A broken line of NDJSON costs only that line.
 * A later part of a streamed input can still be unreadable. **Send nothing before the iteration has
 * ended**: `prepareInputs` enforces this.
 *
 * @throws SyncError `INPUT_INVALID` if the input as a whole can't be read: no such file, not UTF-8,
 * not JSON (with line and column), no records in it, larger than `maxBytes`.
 */
export async function* readInput(
  input: Input,
  kind: RecordKind,
  { maxBytes = MAX_INPUT_BYTES, exports }: InputOptions = {},
): AsyncGenerator<RawRecord, void, undefined> {
  const { name } = input;
  const limit = { bytes: maxBytes };
  const chunks = openInput(input, limit);
  try {
    const { bytes, form } = await readHead(name, chunks);
    if (form.kind === 'lines') {
      const lines = linesOf(name, bytes, chunks);
      yield* (await exports?.readLines(name, form.first, lines)) ?? readLines(name, lines);
      return;
    }
    const all = prepend(bytes, chunks);
    if (exports !== undefined && isFit(name, bytes)) {
      await exports.readFit(name, await joinAll(all));
      return;
    }
    if (form.kind === 'list') {
      const { list, first } = form;
      const records = await exports?.readList(name, list, first, () => readList(name, all, list));
      if (records !== undefined) {
        yield* records;
        return;
      }
    }
    rejectOtherFormat(name, bytes);
    // XML is read in parts, and never held in memory.
    if (isXml(bytes.toString('latin1', 0, 100))) limit.bytes = Infinity;
    const text = await exports?.readText(name, bytes, all);
    if (text !== undefined) {
      yield* text;
      return;
    }
    if (isOwnList(name, form, exports)) {
      yield* readListParts(name, await allOf(all), form.list, kind);
      return;
    }
    const document = parseDocument(name, await joinAll(all));
    yield* (await exports?.readDocument(document)) ?? readDocument(document, kind);
  } finally {
    await chunks.return();
  }
}

/** Checks for a large document that is a list of records in the platform's form. */
function isOwnList(
  name: string,
  form: InputHead['form'],
  exports: ExportReader | undefined,
): form is Extract<InputHead['form'], { kind: 'list' }> {
  return (
    form.kind === 'list' &&
    form.list.member === undefined &&
    form.first.length === LOOKED_AT &&
    exports?.mayMatch(name, form.first) !== true
  );
}

/**
 * Returns the sources that an input matches, at most one for each kind of record and source. There is
 * none for records in the platform's form, or for a file of an unknown program.
 *
 * @throws SyncError `INPUT_INVALID` as `readInput`
 */
export async function matchInput(
  input: Input,
  sources: readonly Source[],
): Promise<readonly Match[]> {
  const { name } = input;
  const chunks = openInput(input, { bytes: MAX_INPUT_BYTES });
  try {
    const { bytes, form } = await readHead(name, chunks);
    if (form.kind === 'lines') return matchJson(name, form.first, sources);
    if (form.kind === 'list') {
      const { member } = form.list;
      const found = matchJson(name, sampleOf(member, form.first), sources);
      if (found.length > 0 || member === undefined) return found;
    }
    if (isFit(name, bytes)) {
      fitSamples(name, await joinAll(prepend(bytes, chunks)), 'wellness');
      return matchFit(name, sources);
    }
    rejectOtherFormat(name, bytes);
    const text = await matchText(name, bytes, sources);
    if (text !== undefined) return text;
    const all = await joinAll(prepend(bytes, chunks));
    if (all.length > LARGE_BYTES && !mayMatchJson(name, all, sources)) return [];
    return matchJson(name, parseDocument(name, all).value, sources);
  } finally {
    await chunks.return();
  }
}
