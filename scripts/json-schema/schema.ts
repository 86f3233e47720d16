import type * as v from 'valibot';
import {
  DEFINITIONS,
  type Parts,
  type Shape,
  type Words,
  factsOf,
  partsOf,
  word,
} from './fields.ts';
import type { LineKind } from './line-kind.ts';
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
    .flatMap(shapesOf)
    .filter(({ by, is }) => by === undefined || Object.hasOwn(is, String(line[by])))
    .map(({ name }) => name);
}

export function reference(definition: string): string {
  return `#/$defs/${definition}`;
}

/** One form of the lines of a kind. */
interface LineShape {
  /** `upload.uploaded`, `summary.records`, `paths` */
  readonly name: string;
  /** The field that tells it from the others, and its words. */
  readonly by?: string;
  readonly is: Words;
  readonly fields: Shape;
}

/** Returns the forms of the lines of a kind: one, or one for each variant. */
export function shapesOf({ types, of, fields }: LineKind): LineShape[] {
  const name = [types[0], of?.replaceAll(' ', '-')].filter((part) => part !== undefined).join('.');
  for (const [by, deciding] of Object.entries(fields)) {
    const { variants } = partsOf(deciding);
    if (variants === undefined) continue;
    return variants.map(({ is, fields: more }) => ({
      name: `${name}.${String(Object.keys(is)[0])}`,
      ...{ by, is },
      fields: { ...fields, [by]: word(factsOf(deciding).about, is), ...more },
    }));
  }
  return [{ name, is: {}, fields }];
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
export function typeOf(schema: v.GenericSchema): JsonSchema {
  const { type, entries, item, options, wrapped } = partsOf(schema);
  const { ref } = factsOf(schema);
  if (ref !== undefined) return { $ref: reference(ref) };
  if (options !== undefined) return { enum: options };
  if (entries !== undefined) return objectSchema(entries);
  if (item !== undefined) return { type: 'array', items: typeOf(item) };
  if (wrapped !== undefined) return { anyOf: [typeOf(wrapped), { type: 'null' }] };
  const rules = rulesOf(partsOf(schema));
  const pattern = rules.find((rule) => rule.type === 'regex')?.requirement as RegExp | undefined;
  if (pattern !== undefined) return { type: 'string', pattern: pattern.source };
  if (rules.some((rule) => rule.type === 'integer')) return { type: 'integer', minimum: 0 };
  if (type === 'unknown') return {};
  return { type: type === 'record' ? 'object' : type };
}

/** Returns the rules of a schema and of its base schemas. */
function rulesOf({ pipe = [] }: Parts): Parts[] {
  return pipe.flatMap((step) => [step, ...rulesOf(step)]);
}
