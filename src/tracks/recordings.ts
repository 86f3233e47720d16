import { type Conversion, convert } from './convert.ts';
import type { TrackKind } from './kind.ts';
import { type Track, type TrackFile, readTracks } from './read.ts';
import { type SplitResult, splitTracks } from './split.ts';

/** An activity of a GPX or TCX file, or why a part of it is none. `path` of the second one ends in `#2`. */
export type TrackResult = { readonly path: string } & (
  { readonly conversion: Conversion } | { readonly obstacle: string }
);

const PHONES = /apple health|google fit/i;
/** Folders of a Google account's export. */
const LOW_ACCURACY = /low accuracy|takeout[^/\\]*[/\\](?:google )?fit[/\\]/i;

/**
 * Converts the activities of a GPX or TCX file, one at a time, in the order of their times.
 *
 * @param now ms since 1970
 * @throws as {@link readTracks}
 */
export async function* convertFile(
  path: string,
  bytes: Buffer,
  kind: TrackKind,
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): AsyncGenerator<TrackResult, void, undefined> {
  const file = await readTracks(bytes, kind, signal);
  const isPhone = PHONES.test(file.creator) || LOW_ACCURACY.test(path);
  const { unplaced, unreadTimes } = file;
  const isPlaced = ({ points }: Track) => points.some(({ latitude }) => latitude !== undefined);
  if (unplaced.count > 0 && !file.tracks.some(isPlaced)) {
    const obstacle = `None of its positions can be read. The first is ${unplaced.first}.`;
    return yield { path, obstacle };
  }
  const notes = [...unreadNote('Positions', unplaced), ...unreadNote('Times', unreadTimes)];
  for (const [index, part] of splitTracks(file, now).entries()) {
    const name = index === 0 ? path : `${path}#${index + 1}`;
    yield { path: name, ...converted(part, isPhone, index === 0 ? notes : []) };
  }
}

function unreadNote(what: string, { count, first }: TrackFile['unplaced']): string[] {
  return count === 0 ? [] : [`${what} that cannot be read: ${count}. The first is ${first}.`];
}

function converted(part: SplitResult, isPhone: boolean, notes: readonly string[]) {
  if ('obstacle' in part) return part;
  try {
    const conversion = convert(part, isPhone);
    return { conversion: { ...conversion, notes: [...notes, ...conversion.notes] } };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return {
      obstacle: 'Its distance is longer than a FIT file can hold: its positions are wrong.',
    };
  }
}
