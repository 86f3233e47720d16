import type * as v from 'valibot';
import type { Shape, Words } from './fields.ts';

/** One kind of line that `--json` prints. Several kinds may share the `type` "summary". */
export interface LineKind<
  TFields extends Shape = Shape,
  TBy extends string = string,
  TEach extends readonly Variant[] = readonly Variant[],
> {
  /** The values of `type`; usually one. */
  readonly types: readonly [string, ...string[]];
  /** Of several kinds with one `type`: what this one is about. */
  readonly of?: string;
  /** A sentence. */
  readonly about: string;
  /** The commands that print it, without `sync`. */
  readonly commands: readonly string[];
  /** Fields of every line of this kind, without `type` and `v`. */
  readonly fields: TFields;
  /** Other fields may be present: they are passed on from elsewhere. */
  readonly open?: boolean;
  /** The field whose value decides about further fields, and what it says. */
  readonly by?: readonly [name: TBy, about: string];
  readonly variants?: TEach;
}

export interface Variant<TWord extends string = string, TFields extends Shape = Shape> {
  /** The values of the field `by` in these lines, and what each means. */
  readonly is: Words<TWord>;
  readonly fields: TFields;
}

/** Returns a kind of line. @param type or several, or `summary of SUBJECT` */
export function line<
  const TFields extends Shape,
  const TBy extends string,
  const TEach extends readonly Variant[] = readonly [],
>(
  type: string | readonly [string, ...string[]],
  kind: Omit<LineKind<TFields, TBy, TEach>, 'types' | 'of'>,
): LineKind<TFields, TBy, TEach> {
  if (typeof type !== 'string') return { types: type, ...kind };
  const [name = '', of] = type.split(' of ');
  return { types: [name], ...(of === undefined ? {} : { of }), ...kind };
}

/** Returns the lines in which the field `by` has this value, or one of these values. */
export function variant<TWord extends string, TFields extends Shape>(
  word: TWord,
  meaning: string,
  fields: TFields,
): Variant<TWord, TFields>;
export function variant<TWord extends string, TFields extends Shape>(
  is: Words<TWord>,
  fields: TFields,
): Variant<TWord, TFields>;
export function variant(
  ...given: [word: string, meaning: string, fields: Shape] | [is: Words, fields: Shape]
): Variant {
  if (given.length === 2) return { is: given[0], fields: given[1] };
  return { is: { [given[0]]: given[1] }, fields: given[2] };
}

type Output<TShape extends Shape> = v.InferOutput<v.StrictObjectSchema<TShape, undefined>>;

/** A line of this kind, without `type` and `v`. */
export type LineOf<TKind> =
  TKind extends LineKind<infer TFields, infer TBy, infer TEach>
    ? TEach extends readonly []
      ? Output<TFields>
      : VariantOf<TFields, TBy, TEach[number]>
    : never;

type VariantOf<TFields extends Shape, TBy extends string, TVariant> =
  TVariant extends Variant<infer TWord, infer TMore>
    ? Output<TFields & TMore> & Record<TBy, TWord>
    : never;
