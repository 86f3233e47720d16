import { joinPointer } from '../listed.ts';
import { onlyList } from '../read/document.ts';
import type { JsonValue } from '../types.ts';
import { isObject, scalarText } from '../values.ts';
import type { Path, SourcePaths } from '../sources/types.ts';

/** Looks up the paths of a source in the values of a JSON document. */

/** A value of a document. */
export interface Place {
  readonly value: JsonValue;
  /** The objects that its lists are in, the innermost last. */
  readonly around: readonly JsonValue[];
  /** JSON pointer (RFC 6901) without its first slash. */
  readonly pointer: string;
}

/** Returns the value at a path; undefined if there is none. */
export function valueAt({ value, around }: Place, path: Path): JsonValue | undefined {
  const { out, steps } = parsePath(path);
  let at: JsonValue | undefined = out === 0 ? value : around.at(-out);
  for (const step of steps) at = stepTo(at, step);
  return at;
}

/**
 * Yields the records at a path: the elements of the list it leads to, or the value itself. A document
 * without the path has none. Of several paths, the first with records counts.
 */
export function* recordsAt(
  document: JsonValue,
  paths: SourcePaths = '',
): Generator<Place, void, undefined> {
  for (const written of [paths].flat()) {
    const path = written === '*' ? onlyList(document) : written;
    if (path === undefined) continue;
    let isFound = false;
    for (const place of placesAt(document, path)) {
      isFound = true;
      yield place;
    }
    if (isFound) return;
  }
}

function* placesAt(document: JsonValue, path: Path): Generator<Place, void, undefined> {
  const root: Place = { value: document, around: [], pointer: '' };
  const places = parsePath(path).steps.reduce<Iterable<Place>>(placesAfter, [root]);
  for (const place of places) yield* elementsOf(place, place.value);
}

function* placesAfter(
  places: Iterable<Place>,
  { name, each, ...pick }: Step,
): Generator<Place, void, undefined> {
  for (const place of places) {
    const value = stepTo(place.value, { name, ...pick });
    if (value === undefined) continue;
    const found = { ...place, value, pointer: joinPointer(place.pointer, name) };
    if (each === true) yield* elementsOf(found, place.value);
    else yield found;
  }
}

/** Yields the elements of a list, or the value itself. @param owner the object that the list is in */
function* elementsOf(
  { value, around, pointer }: Place,
  owner: JsonValue,
): Generator<Place, void, undefined> {
  if (!Array.isArray(value)) {
    yield { value, around, pointer };
    return;
  }
  const outer = [...around, owner];
  for (const [index, element] of value.entries()) {
    yield { value: element, around: outer, pointer: joinPointer(pointer, index) };
  }
}

/** One name of a path. */
interface Step {
  readonly name: string;
  /** The name as garth's objects have it: `value_in_ml` for `valueInML`. */
  readonly snake: string;
  /** Goes through the elements of the list. */
  readonly each?: true;
  /** Picks the element of the list that has this value in this member. */
  readonly key?: string;
  readonly is?: string;
}

interface ParsedPath {
  /** Number of `^.` at the start. */
  readonly out: number;
  readonly steps: readonly Step[];
}

const parsed = new Map<Path, ParsedPath>();

export function parsePath(path: Path): ParsedPath {
  const known = parsed.get(path);
  if (known !== undefined) return known;
  const [, outer = '', rest = ''] = /^((?:\^\.?)*)(.*)$/.exec(path) ?? [];
  const steps = rest === '' ? [] : rest.split(/\.(?![^[]*\])/).map(parseStep);
  const found = { out: outer.split('^').length - 1, steps };
  parsed.set(path, found);
  return found;
}

function parseStep(text: string): Step {
  const [, name = text, key, is, each] = /^(.*?)(?:\[(.+)=(.*)\]|(\[\]))$/.exec(text) ?? [];
  const snake = name.replace(CAMEL, '_').toLowerCase();
  if (key !== undefined && is !== undefined) return { name, snake, key, is };
  return each === undefined ? { name, snake } : { name, snake, each: true };
}

/** The places between the words of a name in camel case. */
const CAMEL = /(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z\d])(?=[A-Z])/g;

function stepTo(
  from: JsonValue | undefined,
  { name, snake, key, is }: Step,
): JsonValue | undefined {
  const spelling = [name, snake].find((each) => isObject(from) && Object.hasOwn(from, each));
  const value = isObject(from) && spelling !== undefined ? from[spelling] : undefined;
  if (key === undefined || value === undefined) return value;
  if (!Array.isArray(value)) return undefined;
  return value.find((element) => isObject(element) && scalarText(element[key]) === is);
}
