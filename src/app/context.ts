import type { Context } from '../base/context.ts';
import { type GlobalFlags, type Output, createOutput } from '../terminal/output.ts';
import type { Deps } from './deps.ts';

/** The input of every command: the outside world, the common flags, and its output. */
export interface AppContext extends Context, Deps {
  readonly version: string;
  readonly flags: GlobalFlags;
  readonly output: Output;
}

/** Builds the context of one command, which prints to `deps.io`. */
export function createContext(deps: Deps, version: string, flags: GlobalFlags): AppContext {
  const output = createOutput(deps.io, flags);
  return {
    ...deps,
    version,
    flags,
    output,
    random: Math.random,
    trace: (line) => output.detail(line),
    warn: (text) => output.warn(text),
  };
}
