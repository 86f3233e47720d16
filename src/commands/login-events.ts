import type { NoBrowser } from '../auth/browser.ts';

/** What a login tells while it goes on; how it ended is in its report. */
export type LoginEvent =
  /** What was typed cannot be used; the same question follows again. */
  | { readonly type: 'answer-refused'; readonly message: string }
  /** The store is tried out; a prompt that unlocks it may come up. */
  | { readonly type: 'store-check'; readonly store: string }
  /** There is no keychain; the question whether to use a file follows. */
  | {
      readonly type: 'keychain-missing';
      readonly message: string;
      readonly hint: string | undefined;
    }
  /** A token response is read from stdin, until its end. */
  | { readonly type: 'reading-stdin' }
  /** The login waits for the browser. */
  | ({
      readonly type: 'authorize';
      /** To be shown to the person, and to nobody else: it holds the state. */
      readonly url: string;
      readonly redirectUri: string;
      /** ms */
      readonly timeoutMs: number;
    } & (
      | { readonly how: 'browser' }
      /** The person opens the address; where the callback cannot reach us, `sshCommand` helps. */
      | {
          readonly how: 'by-hand';
          readonly why: NoBrowser | 'failed';
          readonly sshCommand: string;
          /** A question for the address that the browser ends at follows. */
          readonly paste: boolean;
        }
    ))
  /** Something that looked like the answer was not ours; the wait goes on. */
  | { readonly type: 'callback-refused'; readonly message: string }
  /** What was pasted is not the answer; the question follows again. */
  | { readonly type: 'paste-refused'; readonly message: string }
  /** The answer came, and is exchanged for tokens. */
  | { readonly type: 'exchanging' }
  | { readonly type: 'warning'; readonly message: string };

export type Notify = (event: LoginEvent) => void;
