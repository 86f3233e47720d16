import type { LineOf } from './line-kind.ts';
import type { LEDGER_LINES } from './lines/ledger.ts';
import type { RECORD_LINES } from './lines/records.ts';
import type { UPLOAD_LINES } from './lines/uploads.ts';

/*
 * The results of the library are lines of `--json`. The package has these types written out, with the meaning of
 * each field: scripts/written-types.mjs.
 */

/** What only commands print: a library's client has no dry run, and no flag of `sync seed` or `sync watch`. */
export const OUTCOMES_OF_COMMANDS = ['would-upload', 'would-push'] as const;
export const FIELDS_OF_COMMANDS = ['at', 'account', 'zone', 'zoneFrom'] as const;

type Result<TLine> = TLine extends { readonly outcome: (typeof OUTCOMES_OF_COMMANDS)[number] }
  ? never
  : DeepReadonly<Omit<TLine, (typeof FIELDS_OF_COMMANDS)[number]>>;

type DeepReadonly<T> = T extends readonly (infer TItem)[]
  ? readonly DeepReadonly<TItem>[]
  : T extends object
    ? { readonly [TKey in keyof T]: DeepReadonly<T[TKey]> }
    : T;

/** The results by their types there. */
export const RESULTS = { UploadResult: 'upload', RecordResult: 'wellness', VerifyResult: 'verify' };
export type UploadResult = Result<LineOf<(typeof UPLOAD_LINES)['upload']>>;
export type RecordResult = Result<LineOf<(typeof RECORD_LINES)['wellness, nutrition']>>;
export type VerifyResult = Result<LineOf<(typeof LEDGER_LINES)['verify']>>;
