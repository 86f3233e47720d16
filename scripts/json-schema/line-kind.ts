import type { Shape, Words } from './fields.ts';

/** One kind of line that `--json` prints. Several kinds may share the `type` "summary". */
export interface LineKind {
  /** The values of `type`; usually one. */
  readonly types: readonly [string, ...string[]];
  /** Of several kinds with one `type`: what this one is about. */
  readonly of?: string;
  /** A sentence. */
  readonly about: string;
  /** The commands that print it, without `sync`. */
  readonly commands: readonly string[];
  /** Fields of every line of this kind, without `type` and `v`. */
  readonly fields: Shape;
  /** Other fields may be present: they are passed on from elsewhere. */
  readonly open?: boolean;
  readonly variants?: Variants;
}

/** Lines of one kind, with fields that depend on the value of one field. */
export interface Variants {
  /** The name of that field. */
  readonly by: string;
  readonly about: string;
  readonly each: readonly Variant[];
}

export interface Variant {
  /** The values of that field in these lines, and what each means. */
  readonly is: Words;
  readonly fields: Shape;
}
