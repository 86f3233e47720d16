import type * as zlib from 'node:zlib';

/** Facts about this process. Modules below `commands/` use these instead of `process`. */
export const thisProcess = {
  pid: process.pid,
  arch: process.arch,
  nodeVersion: process.versions.node,
  /** Path of the running Node executable. */
  nodePath: process.execPath,
  /** Effective user id; undefined on Windows. */
  userId: process.geteuid?.(),
} as const;

/** Loads zlib when it is first needed: it would cost time at every start. */
export function loadZlib(): typeof zlib {
  return process.getBuiltinModule('node:zlib');
}
