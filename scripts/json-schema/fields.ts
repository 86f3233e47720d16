import * as v from 'valibot';

/*
 * The vocabulary of lines/. A field is a valibot schema with its meaning: JSON Schema, types and documents follow
 * from it. `when` is the condition on which the field is present; without it, the field is always there.
 */

/** The fields of an object, by name. */
export type Shape = Readonly<Record<string, v.GenericSchema>>;
/** The values that a field can have, and the meaning of each. */
export type Words<TWord extends string = string> = Readonly<Record<TWord, string>>;
export type When = string | undefined;
/** The schema of a field, which may be absent if there is a condition. */
type Field<TSchema extends v.GenericSchema, TWhen extends When> = TWhen extends string
  ? v.ExactOptionalSchema<TSchema, undefined>
  : TSchema;

/** What a field has beside its schema and its description. */
interface Facts {
  readonly when?: When;
  readonly unit?: string | undefined;
  readonly words?: Words;
  /** The name among {@link DEFINITIONS}. */
  readonly ref?: string;
}

function field<TSchema extends v.GenericSchema, TWhen extends When>(
  schema: TSchema,
  about: string,
  when: TWhen,
  facts: Facts = {},
): Field<TSchema, TWhen> {
  const described = v.pipe(
    schema,
    v.description(about),
    v.metadata({ ...v.getMetadata(schema), when, ...facts }),
  );
  return (when === undefined ? described : v.exactOptional(described)) as never;
}

/** Returns the constructor of fields with one schema. */
export function fieldsOf<TSchema extends v.GenericSchema>(schema: TSchema, unit?: string) {
  return <TWhen extends When = undefined>(about: string, when?: TWhen) =>
    field(schema, about, when as TWhen, { unit });
}

const INTEGER = v.pipe(v.number(), v.integer(), v.minValue(0));
const TIME =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$/;
const OBJECT = v.record(v.string(), v.unknown());

/** Schemas that stand once in the JSON Schema. */
export const DEFINITIONS = {
  time: v.pipe(v.string(), v.regex(TIME), v.description('ISO 8601 with an offset.')),
  date: v.pipe(v.string(), v.regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/)),
};
const defined = (name: keyof typeof DEFINITIONS) => v.pipe(v.string(), v.metadata({ ref: name }));

export const text = fieldsOf(v.string());
export const texts = fieldsOf(v.array(v.string()));
export const flag = fieldsOf(v.boolean());
/** A whole number from 0, such as a number of files. */
export const count = fieldsOf(INTEGER);
export const bytes = fieldsOf(INTEGER, 'bytes');
export const ms = fieldsOf(INTEGER, 'ms');
/** An instant: ISO 8601 with an offset. */
export const time = fieldsOf(defined('time'), 'ISO 8601');
/** A calendar date without a time. */
export const date = fieldsOf(defined('date'));
export const sha256 = fieldsOf(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)));
/** An object of a service or a user, passed on unchanged. */
export const openObject = fieldsOf(OBJECT);
export const openObjects = fieldsOf(v.array(OBJECT));
/** Any JSON value, passed on unchanged. */
export const anything = fieldsOf(v.unknown());

export function amount<TWhen extends When = undefined>(unit: string, about: string, when?: TWhen) {
  return field(v.number(), about, when as TWhen, { unit });
}

/** The last argument of a field with parts, after its condition. */
type Last<TWhen extends When, TPart> = readonly [TPart] | readonly [when: TWhen, TPart];

function split<TWhen extends When, TPart>(rest: Last<TWhen, TPart>): [TWhen, TPart] {
  return rest.length === 1 ? [undefined as TWhen, rest[0]] : [rest[0], rest[1]];
}

/** One of a few words, each with its meaning. */
export function word<TWord extends string, TWhen extends When = undefined>(
  about: string,
  ...rest: Last<TWhen, Words<TWord>>
) {
  const [when, words] = split(rest);
  return field(v.picklist(Object.keys(words) as TWord[]), about, when, { words });
}

export function object<TShape extends Shape, TWhen extends When = undefined>(
  about: string,
  ...rest: Last<TWhen, TShape>
) {
  const [when, shape] = split(rest);
  return field(v.strictObject(shape), about, when);
}

export function list<TShape extends Shape, TWhen extends When = undefined>(
  about: string,
  ...rest: Last<TWhen, TShape>
) {
  const [when, shape] = split(rest);
  return field(v.array(v.strictObject(shape)), about, when);
}

/** The field, which is null on a condition instead of absent. */
export function nullable(inner: v.GenericSchema, condition: string) {
  const { schema, about, when, ...facts } = factsOf(inner);
  return field(v.nullable(schema), `${about}; null ${condition}`, when, facts);
}

/** The lines in which a field has one of these words. */
export interface Variant<TWord extends string = string, TFields extends Shape = Shape> {
  readonly is: Words<TWord>;
  readonly fields: TFields;
}

/** A field that decides about further fields of its line, such as the outcome of an upload. */
export function variants<const TEach extends readonly Variant[]>(about: string, each: TEach) {
  const words = each.reduce<Words>((all, { is }) => ({ ...all, ...is }), {});
  return Object.assign(word(about, words), { variants: each });
}

export function variant<TWord extends string, TFields extends Shape>(
  word: TWord,
  meaning: string,
  fields: TFields,
): Variant<TWord, TFields> {
  return variantOf({ [word]: meaning } as Words<TWord>, fields);
}

export function variantOf<TWord extends string, TFields extends Shape>(
  is: Words<TWord>,
  fields: TFields,
): Variant<TWord, TFields> {
  return { is, fields };
}

/** What documents say of a field. */
interface FieldFacts extends Facts {
  /** Without the condition. */
  readonly schema: v.GenericSchema;
  readonly about: string;
}

export function factsOf(schema: v.GenericSchema): FieldFacts {
  const { wrapped } = partsOf(schema);
  if (schema.type === 'exact_optional' && wrapped !== undefined) return factsOf(wrapped);
  return { schema, about: v.getDescription(schema) ?? '', ...(v.getMetadata(schema) as Facts) };
}

/** The parts of a schema, or of a rule in its pipe, that valibot's general type does not show. */
export interface Parts {
  readonly type: string;
  readonly wrapped?: v.GenericSchema;
  readonly item?: v.GenericSchema;
  readonly entries?: Shape;
  readonly options?: readonly string[];
  readonly variants?: readonly Variant[];
  readonly pipe?: readonly Parts[];
  readonly requirement?: unknown;
}

export function partsOf(schema: v.GenericSchema): Parts {
  return schema;
}
