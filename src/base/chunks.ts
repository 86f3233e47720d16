import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Yields a chunk that was read already, then the rest. */
export async function* prepend(
  head: Buffer,
  rest: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  yield head;
  yield* rest;
}

/** Yields what a stream, such as a decompressor, makes of the chunks. Destroys it at the end. */
export async function* through(
  chunks: AsyncIterable<Buffer>,
  stream: Transform,
): AsyncGenerator<Buffer, void, undefined> {
  const fed = pipeline(chunks, stream).catch(() => undefined);
  try {
    // A failure of the pipeline is a failure of the stream, too.
    yield* stream as AsyncIterable<Buffer>;
  } finally {
    stream.destroy();
    await fed;
  }
}
