import type { JsonValue } from '../types.ts';
import { isObject } from '../values.ts';
import { WELLNESS_NAMES, dateName, plain } from '../names.ts';
import { fieldOf, isOwnName } from './foreign.ts';
import { type Place, parsePath, recordsAt, valueAt } from './path.ts';
import type { Mapping, Match, Path, SourcePaths, Source, TimeRule } from '../sources/types.ts';

/** Finds the sources whose files look like a given one. */

/** Names a source and what a file of it holds: `Oura: sleep`. */
export function matchTitle({ source, mapping }: Match): string {
  return `${source.title}: ${mapping.holds}`;
}

/** Number of records that are looked at: some lack members that others have. */
const LOOKED_AT = 50;

/** Returns the sources that a JSON document matches. @param name the file's */
export function matchJson(name: string, document: JsonValue, sources: readonly Source[]): Match[] {
  const isMatch = ({ records, has, hasNot = [], own = false }: Mapping) => {
    const places = firstObjects(recordsAt(document, records));
    const hasPath = (path: Path) => places.some((place) => valueAt(place, path) !== undefined);
    if (own && !places.every(({ value }) => Object.keys(value ?? {}).every(isOwnName)))
      return false;
    return has.every((paths) => anyOf(paths, hasPath)) && !hasNot.some(hasPath);
  };
  return matches(name, sources, 'json', isMatch, ({ records }) => membersOf(document, records));
}

/** Returns the names in the first records. */
export function membersOf(document: JsonValue, records: SourcePaths | undefined): string[] {
  const first = firstObjects(recordsAt(document, records));
  return [...new Set(first.flatMap(({ value }) => Object.keys(value ?? {})))];
}

/** Returns the objects among the first records. */
function firstObjects(places: Iterable<Place>): Place[] {
  const first: Place[] = [];
  let count = 0;
  for (const place of places) {
    if (isObject(place.value)) first.push(place);
    if (++count === LOOKED_AT) break;
  }
  return first;
}

/**
 * Says how to get a smaller document of the source that a large one is probably from.
 *
 * @param head its first bytes
 */
export function remedyOf(
  name: string,
  head: Buffer,
  sources: readonly Source[],
): string | undefined {
  const [source] = nearMatches(name, head, sources).map((match) => match.source);
  if (source === undefined || source.general === true) return undefined;
  return `Export a shorter span. ${source.howTo}`;
}

/** Returns the sources whose needed names are in the text of a JSON document, which is not parsed. */
export function nearMatches(name: string, text: Buffer, sources: readonly Source[]): Match[] {
  const hasName = (path: Path) => {
    const { name = '', snake = '' } = parsePath(path).steps.at(-1) ?? {};
    return [name, snake].some((each) => text.includes(`"${each}"`));
  };
  return matches(name, sources, 'json', ({ has }) => has.every((paths) => anyOf(paths, hasName)));
}

/** Returns the sources that an XML document matches. @param head the first characters of the file */
export function matchXml(name: string, head: string, sources: readonly Source[]): Match[] {
  const root = rootOf(head);
  return matches(name, sources, 'xml', ({ has }) =>
    has.every((paths) => anyOf(paths, (name) => name === root)),
  );
}

/** Returns the name of the first element. Searches forwards only, so that an unclosed comment costs linear time. */
function rootOf(head: string): string | undefined {
  const tag = /<(?:!--|([A-Za-z_][\w.:-]*))/g;
  for (let found = tag.exec(head); found !== null; found = tag.exec(head)) {
    if (found[1] !== undefined) return found[1];
    const end = head.indexOf('-->', tag.lastIndex);
    if (end === -1) return undefined;
    tag.lastIndex = end;
  }
  return undefined;
}

/** Returns the sources that a FIT file with wellness matches. */
export function matchFit(name: string, sources: readonly Source[]): Match[] {
  return matches(name, sources, 'fit', () => true);
}

/**
 * Returns the sources with a mapping that matches, one for each kind of record. A general source counts
 * only if no other matches.
 *
 * @param sources a single one is what the user named: it reads the athlete's own files, too
 * @param namesIn returns the names of the columns, or of the members of records
 */
export function matches(
  name: string,
  sources: readonly Source[],
  format: Mapping['format'],
  isMatch: (mapping: Mapping) => boolean,
  namesIn: (mapping: Mapping) => readonly string[] = () => [],
): Match[] {
  const found = sources.flatMap((source): Match[] => {
    const isOther = (file: Mapping) =>
      source.general !== true && sources.length > 1 && isOwnFile(namesIn(file), file);
    const files = source.files.filter(
      (file) => file.format === format && isNamed(name, file) && isMatch(file) && !isOther(file),
    );
    const first = (['wellness', 'nutrition'] as const).map((kind) =>
      files.find((file) => file.kind === kind),
    );
    return first.flatMap((mapping) => (mapping === undefined ? [] : [{ source, mapping }]));
  });
  const particular = found.filter(({ source }) => source.general !== true);
  return particular.length > 0 ? particular : found;
}

/** Checks for the athlete's own file: it has a date and a field by the names of docs/records.md, and a source does not read that field. */
function isOwnFile(names: readonly string[], mapping: Mapping): boolean {
  if (mapping.kind !== 'wellness' || dateName(names) === undefined) return false;
  // Many programs have `comments`.
  const others = [undefined, 'date', 'comments', ...(mapping.ignored ?? [])];
  // An export may have a field that is read, in a unit that is not.
  const read = Object.keys(mapping.fields).map((field) => field.replace(/#.*/, ''));
  return unreadNames(names, mapping).some((name) => {
    const field = fieldOf(name);
    const isRead = WELLNESS_NAMES.find(name) === undefined && read.includes(field ?? '');
    return !others.includes(field) && !isRead;
  });
}

/** Returns the columns, or the members of records, that a mapping does not read. */
export function unreadNames(names: readonly string[], mapping: Mapping): string[] {
  const times =
    mapping.kind === 'wellness' ? [mapping.day, mapping.at, mapping.partFrom] : [mapping.time];
  const rules =
    mapping.kind === 'wellness' ? mapping.fields : { ...mapping.item, ...mapping.totals };
  const { name = '', person = '', where = {}, guess } = mapping;
  const columns = names.map(plain);
  // In the athlete's own file, other names of a date may hold anything beside it.
  const dateOf = (time?: TimeRule) =>
    guess === true && time !== undefined
      ? [time.from].flat().find((path) => columns.includes(plain(path)))
      : time?.from;
  const paths = [
    ...[name, person, 'deleted', ...Object.keys(where)],
    ...times.flatMap((time) => [dateOf(time), time?.clock, time?.offset, time?.or?.from]),
    ...Object.values(rules).flatMap((rule) =>
      typeof rule === 'string'
        ? rule
        : [rule.from, rule.and, rule.over, rule.unless, rule.unit?.from],
    ),
  ];
  // A column with JSON is read if one of its members is.
  const read = new Set(
    paths.flat().flatMap((path = '') => [path, path.replace(/\..*/, '')].map(plain)),
  );
  return names.filter((column) => column !== '' && !read.has(plain(column)));
}

/** @param name may have folders, or the archive that the file is in */
function isNamed(name: string, { file = '' }: Mapping): boolean {
  return (name.split(/[/\\]/).at(-1) ?? '').toLowerCase().includes(file);
}

export function anyOf(paths: SourcePaths, test: (path: Path) => boolean): boolean {
  return typeof paths === 'string' ? test(paths) : paths.some(test);
}
