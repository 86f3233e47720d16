import { messageOf, systemCode } from '../base/errors.ts';

/**
 * Why an archive or a member cannot be read. `incomplete`: a later try may succeed; `no-room`: the disk
 * for temporary files is full.
 */
export type ArchiveReason = 'unreadable' | 'incomplete' | 'corrupt' | 'no-room';

/** A fault of an archive or a member. Its message is one or two sentences for the athlete. */
export class ArchiveFault extends Error {
  readonly reason: ArchiveReason;

  constructor(reason: ArchiveReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** Messages of yauzl and zlib, and their meaning for the athlete. */
const KNOWN: readonly (readonly [RegExp, ArchiveReason, string])[] = [
  [
    /End of central directory|unexpected EOF/,
    'incomplete',
    'The end of the zip archive is missing: the download or copy was cut off, or is still in progress.',
  ],
  [
    /Invalid comment length/,
    'corrupt',
    'It is damaged: something follows the end of the zip archive. Download or copy it again.',
  ],
  [/strong encryption/, 'unreadable', 'It is encrypted. Unpack it with its password first.'],
  [
    /multi-disk/,
    'unreadable',
    'It is one part of a split archive. Join the parts first: zip -s 0 PART.zip --out whole.zip',
  ],
];

/** Returns the fault that an error of yauzl, zlib or the file system stands for. */
export function faultOf(error: unknown): ArchiveFault {
  if (error instanceof ArchiveFault) return error;
  const message = messageOf(error);
  const code = systemCode(error);
  // Node checks offsets (ERR_OUT_OF_RANGE), zlib the compressed data (Z_DATA_ERROR).
  if (code !== undefined && !/^(?:ERR|Z)_/.test(code)) {
    return new ArchiveFault('unreadable', `It cannot be read (${message}).`, error);
  }
  const [, reason, text] = KNOWN.find(([pattern]) => pattern.test(message)) ?? [];
  if (reason !== undefined && text !== undefined) return new ArchiveFault(reason, text, error);
  return damaged(message, error);
}

/** @param detail the finding, for a person who looks into the archive */
export function damaged(detail: string, cause?: unknown): ArchiveFault {
  const text = `It is damaged (${detail}). Download or copy the archive again.`;
  return new ArchiveFault('corrupt', text, cause);
}
