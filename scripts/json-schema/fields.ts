/*
 * The vocabulary of the table in lines/. A field is its JSON Schema, its type in words, and its
 * meaning. `when` is the condition on which the field is present; without it, the field is always there.
 */

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Field {
  readonly schema: JsonSchema;
  /** The type for readers: `integer, bytes`. */
  readonly type: string;
  readonly about: string;
  readonly when: string | undefined;
  /** Fields of the object, or of each object in the list. */
  readonly inner?: Shape | undefined;
  /** The meaning of each value, if there are only a few. */
  readonly values?: Words | undefined;
}

/** The values that a field can have, and the meaning of each. */
export type Words = Readonly<Record<string, string>>;

/** The fields of an object, by name. */
export type Shape = Readonly<Record<string, Field>>;

function field(
  schema: JsonSchema,
  type: string,
  about: string,
  when: string | undefined,
  more: Pick<Field, 'inner' | 'values'> = {},
): Field {
  return { schema, type, about, when, ...more };
}

export function text(about: string, when?: string): Field {
  return field({ type: 'string' }, 'string', about, when);
}

export function texts(about: string, when?: string): Field {
  return field({ type: 'array', items: { type: 'string' } }, 'list of strings', about, when);
}

export function flag(about: string, when?: string): Field {
  return field({ type: 'boolean' }, 'boolean', about, when);
}

/** A whole number from 0, such as a number of files, or an amount in `unit`. */
export function count(about: string, when?: string, unit?: string): Field {
  return field({ type: 'integer', minimum: 0 }, withUnit('integer', unit), about, when);
}

export function amount(unit: string, about: string, when?: string): Field {
  return field({ type: 'number' }, withUnit('number', unit), about, when);
}

function withUnit(type: string, unit: string | undefined): string {
  return unit === undefined ? type : `${type}, ${unit}`;
}

/** An instant: ISO 8601 with an offset. */
export function time(about: string, when?: string): Field {
  return field({ $ref: '#/$defs/time' }, 'time', about, when);
}

/** A calendar date without a time. */
export function date(about: string, when?: string): Field {
  return field({ $ref: '#/$defs/date' }, 'date', about, when);
}

export function sha256(about: string, when?: string): Field {
  return field({ type: 'string', pattern: '^[0-9a-f]{64}$' }, 'string, 64 hex digits', about, when);
}

/** One of a few words, each with its meaning. */
export function word(values: Words, about: string, when?: string): Field {
  return field({ enum: Object.keys(values) }, 'word', about, when, { values });
}

export function object(inner: Shape, about: string, when?: string): Field {
  return field(objectSchema(inner), 'object', about, when, { inner });
}

export function list(inner: Shape, about: string, when?: string): Field {
  const schema = { type: 'array', items: objectSchema(inner) };
  return field(schema, 'list of objects', about, when, { inner });
}

/** An object of a service or a user, passed on unchanged. */
export function openObject(about: string, when?: string): Field {
  return field({ type: 'object' }, 'object', about, when);
}

export function openObjects(about: string, when?: string): Field {
  return field({ type: 'array', items: { type: 'object' } }, 'list of objects', about, when);
}

/** Any JSON value, passed on unchanged. */
export function anything(about: string, when?: string): Field {
  return field({}, 'any', about, when);
}

/** A value of a service, which usually has this type. */
export function valueOf(type: string, about: string, when?: string): Field {
  return field({}, type, about, when);
}

/** The field, which is null on a condition instead of absent. */
export function nullable(inner: Field, when: string): Field {
  const schema = { anyOf: [inner.schema, { type: 'null' }] };
  return {
    ...inner,
    schema,
    type: `${inner.type}, or null`,
    about: `${inner.about}; null ${when}`,
  };
}

/** @param open other fields may be present, too */
export function objectSchema(shape: Shape, open = false): JsonSchema {
  const fields = Object.entries(shape);
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(([name, { schema, about }]) => [name, { ...schema, description: about }]),
    ),
    required: fields.filter(([, { when }]) => when === undefined).map(([name]) => name),
    additionalProperties: open,
  };
}
