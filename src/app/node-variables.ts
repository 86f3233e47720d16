import type { Env } from '../base/env.ts';

/** A variable of Node.js that lets a secret out of this program. */
interface Leak {
  readonly message: string;
  readonly hint: string;
}

/**
 * Flags in `NODE_OPTIONS` with which Node.js writes session keys or its memory to a file, or
 * lets every program of this machine attach a debugger.
 */
const LEAKING_FLAGS = /--(tls-keylog|heapsnapshot-[a-z-]+|inspect(-brk|-wait)?)(?=[=\s]|$)/g;

/**
 * Finds variables with which Node.js prints or stores tokens. They serve people who look for a fault, so
 * the commands only warn. `SSLKEYLOGFILE` is none: Node.js ignores it. Neither is `NODE_V8_COVERAGE`, which
 * records places in the program, not values.
 */
export function leakingVariables(env: Env): Leak[] {
  const leaks: Leak[] = [];
  if ((env['NODE_DEBUG'] ?? '') !== '') {
    leaks.push({
      message: 'NODE_DEBUG is set: Node.js prints requests to stderr, with their access tokens.',
      hint: 'Show that output to no other person, or unset NODE_DEBUG.',
    });
  }
  const flags = env['NODE_OPTIONS']?.match(LEAKING_FLAGS) ?? [];
  if (flags.length > 0) {
    leaks.push({
      message: `NODE_OPTIONS has ${flags.join(' ')}: others may get this program's tokens.`,
      hint: 'Remove that from NODE_OPTIONS if you are not looking for a fault.',
    });
  }
  return leaks;
}
