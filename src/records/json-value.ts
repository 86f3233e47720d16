import { isDigit, JsonScanner, MINUS, OPEN_BRACE, OPEN_BRACKET } from './json-scan.ts';
import type { JsonValue, Problem, RawRecord } from './types.ts';

/** More records in one input are refused; there are fewer than 50,000 dates to put them on. */
export const MAX_RECORDS = 1_000_000;

/**
 * Parses the JSON value in `bytes[start, end)` into a record, and looks closer where a name may
 * appear twice or a number may have lost digits.
 *
 * @throws JsonFault if it is no JSON.
 */
export function readValue(source: string, bytes: Buffer, start: number, end: number): RawRecord {
  const scanner = new JsonScanner(bytes, start, end);
  scanner.value();
  scanner.finish();
  const { members, longNumber } = scanner.sights;
  const value = JSON.parse(bytes.toString('utf8', start, end)) as JsonValue;
  if (!longNumber && members === countMembers(value)) return { source, value };
  const { problem, inexact } = inspectValue(bytes, start, end);
  if (problem !== undefined) return { source, ...problem };
  return inexact.length === 0 ? { source, value } : { source, value, inexact };
}

/** What a closer look at a value found. Fields are JSON pointers without the first slash. */
interface Findings {
  /** The value cannot be used: a name twice with different values, a number beyond all doubles. */
  readonly problem: Problem | undefined;
  /** Integers that lost digits. */
  readonly inexact: readonly Problem[];
}

/**
 * Looks closely at one value that is known to be JSON. It costs more than {@link JsonScanner.value}
 * and is only needed where the sights gave reason for it.
 */
function inspectValue(bytes: Buffer, start: number, end: number): Findings {
  const scanner = new JsonScanner(bytes, start, end);
  const inexact: Problem[] = [];
  let problem: Problem | undefined;

  const number = (from: number, to: number, path: string): void => {
    const text = bytes.toString('latin1', from, to);
    const value = Number(text);
    if (!Number.isFinite(value)) {
      problem ??= { field: path, problem: `the number ${text} is too large` };
    } else if (/^-?\d+$/.test(text) && BigInt(text) !== BigInt(value)) {
      const found = `${text} has more digits than a number keeps, it is read as ${value}`;
      inexact.push({ field: path, problem: `${found}: write it as text, "${text}"` });
    }
  };

  const walk = (path: string, depth: number): void => {
    const byte = scanner.peek();
    const from = scanner.position;
    if (byte === OPEN_BRACE) {
      const seen = new Map<string, string>();
      for (const [nameStart, nameEnd] of scanner.members(depth)) {
        const name = JSON.parse(bytes.toString('utf8', nameStart, nameEnd)) as string;
        scanner.skipSpace();
        const valueStart = scanner.position;
        const field = joinPointer(path, name);
        walk(field, depth + 1);
        const text = bytes.toString('utf8', valueStart, scanner.position);
        const other = seen.get(name);
        if (other !== undefined && other !== text) {
          const both = `${shorten(other)} and ${shorten(text)}`;
          problem ??= { field, problem: `appears twice, as ${both}` };
        }
        seen.set(name, text);
      }
    } else if (byte === OPEN_BRACKET) {
      for (const index of scanner.elements(depth)) walk(joinPointer(path, index), depth + 1);
    } else {
      scanner.value(depth);
      if (byte === MINUS || isDigit(byte)) number(from, scanner.position, path);
    }
  };
  walk('', 0);
  return { problem, inexact };
}

/** Appends a token to a JSON pointer (RFC 6901) that is written without its first slash. */
export function joinPointer(path: string, token: string | number): string {
  const text = String(token);
  const escaped = /[~/]/.test(text) ? text.replaceAll('~', '~0').replaceAll('/', '~1') : text;
  return path === '' ? escaped : `${path}/${escaped}`;
}

function shorten(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 37)}...`;
}

/** The number of object members in a parsed value, at any depth. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const children: unknown[] = Object.values(value);
  let count = Array.isArray(value) ? 0 : children.length;
  for (const child of children) count += countMembers(child);
  return count;
}
