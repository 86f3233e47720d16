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
 * The child's answers: `ready` when it calls the keychain (the time limit begins then), then the
 * outcome.
 */
export type KeychainAnswer =
  | { readonly state: 'ready' }
  | { readonly state: 'done'; readonly value: string | null; readonly existed: boolean }
  | { readonly state: 'failed'; readonly message: string };
