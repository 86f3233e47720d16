import type * as v from 'valibot';
import type { Shape, Variant } from './fields.ts';

/** What a line says. Its key in a table of lines/ is its `type`, or `summary of SUBJECT`. */
export interface Line<TFields extends Shape = Shape> {
  /** The commands that print it. */
  readonly commands: readonly string[];
  /** A sentence. */
  readonly about: string;
  /** Fields of every line of this kind, without `type` and `v`. */
  readonly fields: TFields;
  /** Whether other fields may be present. */
  readonly open: boolean;
}

/** One kind of line that `--json` prints. */
export interface LineKind extends Line {
  /** The values of `type`; usually one. Several kinds may share the `type` "summary". */
  readonly types: readonly string[];
  /** Of several kinds with one `type`: what this one is about. */
  readonly of: string | undefined;
}

/** @param commands those that print it, without `sync`: `upload, watch` */
export function line<const TFields extends Shape>(
  commands: string,
  about: string,
  fields: TFields,
): Line<TFields> {
  return { commands: commands.split(', '), about, fields, open: false };
}

/** A line to which other fields may be added, which are passed on from elsewhere. */
export function openLine(commands: string, about: string, fields: Shape): Line {
  return { ...line(commands, about, fields), open: true };
}

/** The last line of commands that handle several items: how many items there were. */
export function summary(commands: string, about: string, fields: Shape): Line {
  return line(commands, `${about}; the last line.`, fields);
}

/** Returns the kinds of a table. */
export function kindsOf(table: Readonly<Record<string, Line>>): LineKind[] {
  return Object.entries(table).map(([key, kind]) => {
    const [types = '', of] = key.split(' of ');
    return { ...kind, types: types.split(', '), of };
  });
}

type Output<TShape extends Shape> = v.InferOutput<v.StrictObjectSchema<TShape, undefined>>;
interface Deciding<TEach extends readonly Variant[] = readonly Variant[]> {
  readonly variants: TEach;
}

/** The name of the field that decides about others. */
type DecidingIn<TShape> = {
  [TName in keyof TShape]: TShape[TName] extends Deciding ? TName : never;
}[keyof TShape];

/** A line of this kind, without `type` and `v`. */
export type LineOf<TKind> =
  TKind extends Line<infer TShape>
    ? [DecidingIn<TShape>] extends [never]
      ? Output<TShape>
      : VariantsOf<TShape, DecidingIn<TShape>>
    : never;

type VariantsOf<TShape extends Shape, TBy extends keyof TShape> =
  TShape[TBy] extends Deciding<infer TEach>
    ? VariantOf<Omit<TShape, TBy>, TBy, TEach[number]>
    : never;

type VariantOf<TShape extends Shape, TBy extends PropertyKey, TVariant> =
  TVariant extends Variant<infer TWord, infer TMore>
    ? Output<TShape & TMore> & Readonly<Record<TBy, TWord>>
    : never;
