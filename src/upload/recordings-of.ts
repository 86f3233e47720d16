import { XmlFault } from '../base/xml.ts';
import { keepHeapSmall } from '../system/this-process.ts';
import type { Conversion } from '../tracks/convert.ts';
import { trackKind } from '../tracks/kind.ts';
import { LARGE_BYTES, type RecordingContents, contentsOf } from './read-recording.ts';

/** What a conversion knows beside its FIT file. */
export type TrackIdentity = Omit<Conversion, 'fit'>;

/** A recording that was found in a file. `track`: it was GPX or TCX. */
export interface FoundRecording {
  /** That of the file; of the second activity in a GPX or TCX file, with `#2`. */
  readonly path: string;
  readonly contents: RecordingContents;
  readonly track?: TrackIdentity;
}

export interface NoRecording {
  readonly path: string;
  /** As a sentence. */
  readonly problem: string;
  readonly reason: 'not-an-activity' | 'incomplete' | 'corrupt';
}

/**
 * Yields the recordings of a file: one of a FIT file, and each activity of a GPX or TCX file, converted. Yields other
 * files unchanged.
 *
 * @throws the signal's reason if it is aborted
 */
export async function* recordingsOf(
  path: string,
  contents: RecordingContents,
  tools: { readonly now: number; readonly signal: AbortSignal },
): AsyncGenerator<FoundRecording | NoRecording, void, undefined> {
  const kind = trackKind(contents.bytes);
  if (kind === undefined) {
    yield { path, contents };
    return;
  }
  if (contents.bytes.length > LARGE_BYTES) keepHeapSmall();
  // Loaded with the first such file.
  const { convertFile } = await import('../tracks/recordings.ts');
  try {
    for await (const found of convertFile(path, contents.bytes, kind, tools)) {
      if ('obstacle' in found) {
        yield { path: found.path, problem: found.obstacle, reason: 'not-an-activity' };
      } else {
        const { fit, ...track } = found.conversion;
        yield { path: found.path, contents: contentsOf(fit), track };
      }
    }
  } catch (error) {
    if (!(error instanceof XmlFault)) throw error;
    const reason = error.isCut ? 'incomplete' : 'corrupt';
    yield { path, problem: `It ${error.message}.`, reason };
  }
}
