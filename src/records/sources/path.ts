import { joinPointer } from '../json.ts';
import type { JsonValue } from '../types.ts';
import { isObject, scalarText } from '../values.ts';
import type { Path, Paths } from './types.ts';

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
 * Returns the records at a path: the elements of the list it leads to, or the value itself. A document
 * without the path has none. Of several paths, the first with records counts.
 */
export function recordsAt(document: JsonValue, paths: Paths = ''): Place[] {
  if (typeof paths === 'string') return placesAt(document, paths);
  for (const path of paths) {
    const places = placesAt(document, path);
    if (places.length > 0) return places;
  }
  return [];
}

function placesAt(document: JsonValue, path: Path): Place[] {
  let places: Place[] = [{ value: document, around: [], pointer: '' }];
  for (const { name, each, ...pick } of parsePath(path).steps) {
    places = places.flatMap((place) => {
      const value = stepTo(place.value, { name, ...pick });
      if (value === undefined) return [];
      const found = { ...place, value, pointer: joinPointer(place.pointer, name) };
      return each === true ? elementsOf(found, place.value) : [found];
    });
  }
  return places.flatMap((place) => elementsOf(place, place.value));
}

/** Returns the elements of a list, or the value itself. @param owner the object that the list is in */
function elementsOf({ value, around, pointer }: Place, owner: JsonValue): Place[] {
  if (!Array.isArray(value)) return [{ value, around, pointer }];
  return value.map((element, index) => ({
    value: element,
    around: [...around, owner],
    pointer: joinPointer(pointer, index),
  }));
}

/** One name of a path. */
interface Step {
  readonly name: string;
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
  if (key !== undefined && is !== undefined) return { name, key, is };
  return each === undefined ? { name } : { name, each: true };
}

function stepTo(from: JsonValue | undefined, { name, key, is }: Step): JsonValue | undefined {
  const value = isObject(from) && Object.hasOwn(from, name) ? from[name] : undefined;
  if (key === undefined || value === undefined) return value;
  if (!Array.isArray(value)) return undefined;
  return value.find((element) => isObject(element) && scalarText(element[key]) === is);
}
