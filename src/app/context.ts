import type { Context } from '../base/context.ts';
import { type GlobalFlags, type Output, createOutput } from '../terminal/output.ts';
import type { System } from './system.ts';

/** The input of every command: the outside world, the common flags, and its output. */
export interface AppContext extends Context, System {
  readonly version: string;
  readonly flags: GlobalFlags;
  readonly output: Output;
}

/** Builds the context of one command, which prints to `system.io`. */
export function createContext(system: System, version: string, flags: GlobalFlags): AppContext {
  const output = createOutput(system.io, flags, system.clock);
  return {
    ...system,
    version,
    flags,
    output,
    random: Math.random,
    trace: (line) => output.detail(line),
    warn: (text) => output.warn(text),
  };
}
