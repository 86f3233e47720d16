/** What the program tells the keychain's child process on its stdin: one JSON object. */
export interface KeychainRequest {
  /** `prepare`: probes with an entry as large as `value`, then saves `value`. */
  readonly do: 'load' | 'save' | 'prepare' | 'delete' | 'probe';
  readonly service: string;
  readonly account: string;
  /** What to save. A secret: it is in no argument, no variable and no file. */
  readonly value?: string | undefined;
  /** Only this value is replaced: the SHA-256 of it, in hex. Absent: whatever is there. */
  readonly replaces?: string | undefined;
  /** A person is there who can answer a prompt to unlock the keyring. */
  readonly mayPrompt: boolean;
  /** The longest text one entry takes, in UTF-16 units. */
  readonly maxUnits?: number | undefined;
  /** The child ends itself after this long, in ms, should nobody be left to end it. */
  readonly limitMs: number;
}

/**
 * What the child answers on its stdout, one JSON object a line: `ready` when it turns to the
 * keychain (from here on the time counts), then how it went.
 */
export type KeychainAnswer =
  | { readonly state: 'ready' }
  | { readonly state: 'done'; readonly value: string | null; readonly existed: boolean }
  | { readonly state: 'failed'; readonly message: string };

/** Undefined for anything that is not such an answer. */
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
