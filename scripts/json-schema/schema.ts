import { type JsonSchema, type Shape, objectSchema, word } from './fields.ts';
import type { LineKind, Variant } from './line-kind.ts';
import { JSON_VERSION } from '../../src/base/version.ts';

const TIME =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$';

/** Returns the JSON Schema (draft 2020-12) of a line of `--json`. */
export function jsonSchema(kinds: readonly LineKind[]): JsonSchema {
  const definitions = kinds.flatMap(definitionsOf);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:athlete-sync:json:${JSON_VERSION}`,
    title: 'A line that `sync --json` prints on stdout',
    oneOf: definitions.map(([name]) => ({ $ref: reference(name) })),
    $defs: {
      time: { type: 'string', pattern: TIME, description: 'ISO 8601 with an offset.' },
      date: { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' },
      ...Object.fromEntries(definitions),
    },
  };
}

/** The definitions that a line with these fields can match; none if its kind is unknown. */
export function candidates(
  kinds: readonly LineKind[],
  line: Readonly<Record<string, unknown>>,
): string[] {
  return kinds
    .filter(({ types }) => types.some((type) => type === line['type']))
    .flatMap((kind) => {
      const { variants } = kind;
      if (variants === undefined) return [definitionName(kind)];
      const value = line[variants.by];
      const variant = variants.each.find(({ is }) =>
        Object.keys(is).some((word) => word === value),
      );
      return variant === undefined ? [] : [definitionName(kind, variant)];
    });
}

export function reference(definition: string): string {
  return `#/$defs/${definition}`;
}

function definitionsOf(kind: LineKind): [string, JsonSchema][] {
  const { variants } = kind;
  if (variants === undefined) return [[definitionName(kind), lineSchema(kind, {})]];
  return variants.each.map((variant) => [
    definitionName(kind, variant),
    lineSchema(kind, { [variants.by]: word(variant.is, variants.about), ...variant.fields }),
  ]);
}

/** `upload.uploaded`, `summary.records`, `paths` */
export function definitionName({ types, of }: LineKind, variant?: Variant): string {
  return [types[0], of?.replaceAll(' ', '-'), variant && Object.keys(variant.is)[0]]
    .filter((part) => part !== undefined)
    .join('.');
}

function lineSchema({ types, about, fields, open }: LineKind, more: Shape): JsonSchema {
  const { properties, required, ...rest } = objectSchema({ ...fields, ...more }, open) as {
    properties: object;
    required: readonly string[];
  };
  return {
    description: about,
    ...rest,
    properties: { type: { enum: types }, v: { const: JSON_VERSION }, ...properties },
    required: ['type', 'v', ...required],
  };
}
