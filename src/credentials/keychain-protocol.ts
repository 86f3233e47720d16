/** The request to the keychain's child process, on its stdin: one JSON object. */
export interface KeychainRequest {
  /** `prepare`: probes with an entry as large as `value`, then saves `value`. */
  readonly do: 'load' | 'save' | 'prepare' | 'delete' | 'probe';
  readonly service: string;
  readonly account: string;
  /** The value to save. A secret: never in an argument, a variable or a file. */
  readonly value?: string | undefined;
  /** Replaces only the value with this SHA-256 (hex); absent: any value. */
  readonly replaces?: string | undefined;
  /** A person can answer a prompt to unlock the keyring. */
  readonly mayPrompt: boolean;
  /** Longest text of one entry, in UTF-16 units. */
  readonly maxUnits?: number | undefined;
  /** Time after which the child ends, if its parent does not end it earlier (ms). */
  readonly limitMs: number;
}

/**
 * The child's answers on its stdout, one JSON object a line: `ready` when it calls the keychain
 * (the time limit begins then), then the outcome.
 */
export type KeychainAnswer =
  | { readonly state: 'ready' }
  | { readonly state: 'done'; readonly value: string | null; readonly existed: boolean }
  | { readonly state: 'failed'; readonly message: string };

/** Reads a line; undefined if it is not an answer. */
export function readAnswer(line: string): KeychainAnswer | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null || !('state' in parsed)) return undefined;
  const { state, value, existed, message } = parsed as Record<string, unknown>;
  switch (state) {
    case 'ready':
      return { state };
    case 'done':
      return { state, value: typeof value === 'string' ? value : null, existed: existed === true };
    case 'failed':
      return { state, message: typeof message === 'string' ? message : 'no reason given' };
    default:
      return undefined;
  }
}
