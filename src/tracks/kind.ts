export type TrackKind = 'gpx' | 'tcx';

/** Bytes at the start of a file that show its kind; some files have comments before the root element. */
const HEAD_BYTES = 4096;

/** First bytes of a FIT file: the size of its header. */
const FIT_HEADERS = [12, 14];

/** Returns whether a file that starts with these bytes is GPX or TCX; undefined for any other. */
export function trackKind(first: Uint8Array): TrackKind | undefined {
  if (FIT_HEADERS.includes(first[0] ?? 0)) return undefined;
  const head = Buffer.from(first.buffer, first.byteOffset, Math.min(first.length, HEAD_BYTES));
  // Without the zeros of UTF-16.
  const text = head.toString('latin1').replaceAll('\0', '');
  const [, root] = /<(?:[\w.-]+:)?(gpx|trainingcenterdatabase)[\s/>]/i.exec(text) ?? [];
  if (root === undefined) return undefined;
  return root.toLowerCase() === 'gpx' ? 'gpx' : 'tcx';
}
