import { describeFileType, isActivity } from '../fit/file-id.ts';
import { type Envelope, checkEnvelope } from '../fit/envelope.ts';
import { type Summary, readSummary } from '../fit/summary.ts';
import { readFitWellness } from '../fit/wellness.ts';
import type { KnownFile } from '../ledger/known-files.ts';
import type { InvalidReason } from './report.ts';
import { sha256 } from '../system/this-process.ts';

/** The result of checking a file's bytes. */
export type Identity =
  | ({ readonly verdict: 'activity' } & Whole)
  | ({
      readonly verdict: 'not-an-activity';
      readonly detail: string;
      /** It holds wellness, which `sync push wellness` sends. */
      readonly wellness: boolean;
    } & Whole)
  | {
      readonly verdict: Exclude<InvalidReason, 'not-an-activity' | 'unreadable'>;
      readonly detail: string;
    };

export interface Whole {
  readonly sha256: string;
  readonly summary: Summary;
}

/** Identifies a complete recording by the SHA-256 of its bytes (interface 2.1, 4.4). */
export function identify(bytes: Buffer, envelope: Envelope = checkEnvelope(bytes)): Identity {
  if (envelope.state !== 'whole') return { verdict: envelope.state, detail: envelope.detail };
  const summary = readSummary(bytes);
  const { fileId } = summary;
  const whole = { sha256: sha256(bytes), summary };
  if (isActivity(bytes, fileId)) return { verdict: 'activity', ...whole };
  const holds = describeFileType(fileId?.type);
  return {
    verdict: 'not-an-activity',
    ...whole,
    wellness: readFitWellness(bytes).length > 0,
    detail: `What it holds is not an activity (${holds}). --any-type sends it all the same.`,
  };
}

export function knownFileOf(identity: Identity): KnownFile {
  return {
    sha256: 'sha256' in identity ? identity.sha256 : undefined,
    verdict: identity.verdict,
    detail: 'detail' in identity ? identity.detail : '',
    wellness: 'wellness' in identity && identity.wellness,
  };
}
