import type { Context } from '../base/context.ts';
import { type GlobalFlags, type Output, createOutput } from '../terminal/output.ts';
import type { Deps } from './deps.ts';

/** What a command gets: the outside world, the flags that all commands take, and its output. */
export interface AppContext extends Context, Deps {
  readonly version: string;
  readonly flags: GlobalFlags;
  readonly output: Output;
}

/** Builds the context of one command; everything that it prints goes to `deps.io`. */
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
