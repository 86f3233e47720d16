import type * as v from 'valibot';
import { DEFINITIONS, type Shape, factsOf, partsOf, rulesOf, word } from './fields.ts';
import type { LineKind, Variant } from './line-kind.ts';
import { JSON_VERSION } from '../../src/base/version.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Returns the JSON Schema (draft 2020-12) of a line of `--json`. */
export function jsonSchema(kinds: readonly LineKind[]): JsonSchema {
  const definitions = kinds.flatMap(definitionsOf);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:athlete-sync:json:${JSON_VERSION}`,
    title: 'A line that `sync --json` prints on stdout',
    oneOf: definitions.map(([name]) => ({ $ref: reference(name) })),
    $defs: { ...properties(DEFINITIONS), ...Object.fromEntries(definitions) },
  };
}

/** The definitions that a line with these fields can match; none if its kind is unknown. */
export function candidates(
  kinds: readonly LineKind[],
  line: Readonly<Record<string, unknown>>,
): string[] {
  return kinds
    .filter(({ types }) => types.some((type) => type === line['type']))
    .flatMap((kind) =>
      shapesOf(kind)
        .filter(
          ({ is }) =>
            is === undefined || Object.keys(is).includes(String(line[kind.by?.[0] ?? ''])),
        )
        .map(({ name }) => name),
    );
}

export function reference(definition: string): string {
  return `#/$defs/${definition}`;
}

/** One form of the lines of a kind. */
export interface LineShape {
  /** `upload.uploaded`, `summary.records`, `paths` */
  readonly name: string;
  /** The words of the field that tells it from the others. */
  readonly is: Variant['is'] | undefined;
  readonly fields: Shape;
}

/** Returns the forms of the lines of a kind: one, or one for each variant. */
export function shapesOf({ types, of, fields, by, variants }: LineKind): LineShape[] {
  const name = [types[0], of?.replaceAll(' ', '-')].filter((part) => part !== undefined).join('.');
  if (by === undefined || variants === undefined) return [{ name, is: undefined, fields }];
  return variants.map(({ is, fields: more }) => ({
    name: `${name}.${String(Object.keys(is)[0])}`,
    is,
    fields: { ...fields, [by[0]]: word(by[1], is), ...more },
  }));
}

function definitionsOf(kind: LineKind): [string, JsonSchema][] {
  return shapesOf(kind).map(({ name, fields }) => {
    const { properties: own, required, ...rest } = objectSchema(fields, kind.open);
    return [
      name,
      {
        description: kind.about,
        ...rest,
        properties: { type: { enum: kind.types }, v: { const: JSON_VERSION }, ...own },
        required: ['type', 'v', ...required],
      },
    ];
  });
}

/** @param open other fields may be present, too */
function objectSchema(shape: Shape, open = false) {
  const fields = Object.entries(shape);
  return {
    type: 'object',
    properties: properties(shape),
    required: fields.filter(([, { type }]) => type !== 'exact_optional').map(([name]) => name),
    additionalProperties: open,
  };
}

function properties(shape: Shape): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(shape).map(([name, field]) => {
      const { schema, about } = factsOf(field);
      return [name, about === '' ? typeOf(schema) : { ...typeOf(schema), description: about }];
    }),
  );
}

/** Returns the JSON Schema of the types in fields.ts. */
function typeOf(schema: v.GenericSchema): JsonSchema {
  const { entries, item, options, wrapped } = partsOf(schema);
  const { ref } = factsOf(schema);
  if (ref !== undefined) return { $ref: reference(ref) };
  if (options !== undefined) return { enum: options };
  if (entries !== undefined) return objectSchema(entries);
  if (item !== undefined) return { type: 'array', items: typeOf(item) };
  if (wrapped !== undefined) return { anyOf: [typeOf(wrapped), { type: 'null' }] };
  const rules = rulesOf(schema);
  const pattern = rules.find(({ type }) => type === 'regex')?.requirement as RegExp | undefined;
  if (pattern !== undefined) return { type: 'string', pattern: pattern.source };
  if (rules.some(({ type }) => type === 'integer')) return { type: 'integer', minimum: 0 };
  if (schema.type === 'unknown') return {};
  return { type: schema.type === 'record' ? 'object' : schema.type };
}
