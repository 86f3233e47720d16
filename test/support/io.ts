import type { Io } from '../../src/terminal/io.ts';

/** Returns streams that are no terminals, and that drop what is written; `overrides` replaces any part. */
export function plainIo(overrides: Partial<Io> = {}): Io {
  return {
    interactive: false,
    stdoutIsTerminal: false,
    stderrIsTerminal: false,
    unicode: true,
    redraws: false,
    stdoutColumns: 0,
    stderrColumns: 0,
    unread: new AbortController().signal,
    out: () => undefined,
    err: () => undefined,
    spin: () => () => undefined,
    async *readStdin() {
      await Promise.resolve();
      yield* [];
    },
    ask: () => Promise.reject(new Error('no terminal to ask at')),
    ...overrides,
  };
}
