import { type ValueNode, parse as parseTree } from '@humanwhocodes/momoa';
import * as v from 'valibot';
import { documentUrl } from '../../base/documents.ts';
import { SyncError } from '../../base/errors.ts';
import { joinTexts } from '../../base/phrase.ts';
import { type FieldTable, ITEM_FIELDS, NUTRITION_FIELDS, WELLNESS_FIELDS } from '../fields.ts';
import { parseDocument } from '../read/document.ts';
import { Names } from '../names.ts';
import { positionOf } from '../read/text.ts';
import type { Mapping, Source } from '../sources/types.ts';

/** Reads the user's own mapping (`--map`): the form of `types.ts` as JSON. */

const Text = v.pipe(v.string(), v.nonEmpty('is empty'));
const PathsForm = v.union(
  [Text, v.pipe(v.array(Text), v.nonEmpty('is empty'))],
  'is no path: a text, or a list of texts',
);
const Scalar = v.union([v.string(), v.number(), v.boolean()]);

const TimeForm = v.strictObject({
  from: PathsForm,
  clock: v.optional(PathsForm),
  format: v.optional(v.picklist(['iso', 'day', 's', 'ms', 'days', 'mdy', 'dmy'])),
  zone: v.optional(v.literal('utc')),
  offset: v.optional(PathsForm),
  offsetUnit: v.optional(v.picklist(['s', 'ms', 'min', 'h'])),
});

const COMBINATIONS = ['latest', 'earliest', 'sum', 'mean', 'min', 'max'] as const;

const RuleForm = v.strictObject({
  from: PathsForm,
  and: v.optional(v.array(Text)),
  named: v.optional(PathsForm),
  over: v.optional(PathsForm),
  factor: v.optional(v.number()),
  plus: v.optional(v.number()),
  unit: v.optional(v.strictObject({ from: Text, factors: v.record(v.string(), v.number()) })),
  decimals: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(10))),
  none: v.optional(v.array(v.union([v.string(), v.number()]))),
  words: v.optional(v.record(v.string(), v.union([v.string(), v.number()]))),
  read: v.optional(v.literal('duration')),
  combine: v.optional(v.picklist(COMBINATIONS)),
});

/** A path, or a rule: told apart by hand, since the messages of a union name neither. */
const FieldForm = v.lazy((input) => (typeof input === 'object' ? RuleForm : Text));

function fieldsForm(table: FieldTable) {
  const names = new Names(table);
  const name = v.pipe(
    v.string(),
    v.check(
      (field) => table[baseName(field)] !== undefined,
      ({ input }) => {
        const near = names.nearest(baseName(input));
        return `is no field of the platform${near === undefined ? '' : `; did you mean ${near}?`}`;
      },
    ),
  );
  return v.record(name, FieldForm);
}

/** A field with several rules has them under `weight`, `weight#2`, ... */
function baseName(field: string): string {
  return field.replace(/#.*/, '');
}

const FILE = {
  holds: v.optional(Text, 'records'),
  format: v.picklist(['json', 'csv']),
  records: v.optional(v.union([v.string(), v.array(v.string())])),
  has: v.optional(v.array(PathsForm), []),
  hasNot: v.optional(v.array(Text)),
  where: v.optional(v.record(v.string(), v.array(Scalar))),
  name: v.optional(Text),
  file: v.optional(Text),
  skipLines: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
};

const MappingForm = v.variant('kind', [
  v.strictObject({
    ...FILE,
    kind: v.literal('wellness'),
    day: TimeForm,
    at: v.optional(TimeForm),
    fields: fieldsForm(WELLNESS_FIELDS),
  }),
  v.strictObject({
    ...FILE,
    kind: v.literal('nutrition'),
    time: TimeForm,
    item: v.optional(fieldsForm(ITEM_FIELDS)),
    totals: v.optional(fieldsForm(NUTRITION_FIELDS)),
  }),
]);

/** Limits the mistakes that are reported of one mapping; one more gives the number of the others. */
const MAX_MISTAKES = 20;

/** Limits a mapping file; the longest of ours has 4 kB (bytes). */
const MAX_MAP_BYTES = 1024 * 1024;

/**
 * Reads a mapping file as a source with one kind of file.
 *
 * @param name the file as the user wrote it
 * @throws SyncError `INPUT_INVALID` if it is not JSON; `USAGE` that names the line of each mistake
 */
export function readMapFile(name: string, bytes: Buffer): Source {
  if (bytes.length > MAX_MAP_BYTES) {
    throw new SyncError('INPUT_INVALID', `${name} is larger than any mapping (1 MB).`, {
      details: { path: name },
    });
  }
  const { text, value } = parseDocument(name, bytes);
  const result = v.safeParse(MappingForm, value);
  if (result.success) {
    const mapping = result.output as Mapping;
    return { name: 'map', title: name, howTo: '', evidence: [], files: [mapping] };
  }
  const tree = parseTree(text).body;
  const more = result.issues.length - MAX_MISTAKES;
  const said = result.issues.slice(0, MAX_MISTAKES).map((issue) => {
    const keys = (issue.path ?? []).map(({ key }) => String(key));
    const { line } = positionOf(text, offsetAt(tree, keys));
    return `${name}:${line}: ${keys.join('.') || 'the mapping'} ${problemOf(issue)}`;
  });
  if (more > 0) said.push(`and ${more.toLocaleString('en-US')} more`);
  const form = `The form of a mapping, with examples: ${documentUrl('sources.md')}`;
  const count = result.issues.length.toLocaleString('en-US');
  throw said.length === 1
    ? new SyncError('USAGE', `${said.join()}.`, { hint: form, details: { path: name } })
    : new SyncError('USAGE', `${name} has ${count} mistakes.`, {
        hint: joinTexts([...said, form], '\n  '),
        details: { path: name },
      });
}

/** Returns where a member begins, or the innermost of the objects that should have it. */
function offsetAt(root: ValueNode, keys: readonly string[]): number {
  let node = root;
  let offset = root.loc.start.offset;
  for (const key of keys) {
    const child = childOf(node, key);
    if (child === undefined) break;
    ({ node, offset } = child);
  }
  return offset;
}

function childOf(node: ValueNode, key: string): { node: ValueNode; offset: number } | undefined {
  if (node.type === 'Array') {
    const element = node.elements[Number(key)];
    return element && { node: element.value, offset: element.loc.start.offset };
  }
  if (node.type !== 'Object') return undefined;
  const member = node.members.find(({ name }) => name.type === 'String' && name.value === key);
  return member && { node: member.value, offset: member.loc.start.offset };
}

function problemOf({ kind, type, expected, received, message }: v.BaseIssue<unknown>): string {
  if (kind === 'validation' || message.startsWith('is ')) return message;
  if (type === 'strict_object' && expected === 'never') return 'is not part of the form';
  if (received === 'undefined') return 'is missing';
  return `is ${received}; ${expectedText(expected ?? '')} is expected`;
}

function expectedText(expected: string): string {
  const types: Readonly<Record<string, string>> = {
    Object: 'an object',
    Array: 'a list',
    number: 'a number',
    string: 'a text',
  };
  return types[expected] ?? expected.replace(/^\((.*)\)$/, '$1').replaceAll(' | ', ' or ');
}
