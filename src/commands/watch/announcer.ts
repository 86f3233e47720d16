import type { Context } from '../../base/context.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { type Text, phrase, sync } from '../../base/phrase.ts';
import type { WatchScope } from '../../daemon/registry.ts';
import type { WatchNotice } from '../../watch/report.ts';
import type { UploadItem } from '../../upload/report.ts';

/** Remaining time of a login below which it is renewed, and its end is reported (ms). */
export const LOGIN_SHORT_MS = 7 * 86_400_000;
const DAY_MS = 86_400_000;

export interface AnnouncerOptions {
  readonly report: (event: WatchNotice) => void;
  /** Shows a desktop notification, if there is a desktop. */
  readonly notify: (note: { readonly title: string; readonly text: Text }) => void;
}

/** Reports each topic once, across all logins: a login that ended, a login that ends soon. */
export class Announcer {
  #started = false;
  /** The reason for a login that was reported last. */
  #loginNeeded: ErrorCode | undefined;
  #endingReportedAt: number | undefined;
  /** Recordings without a workout for the next notification. */
  #missing: string[] = [];
  readonly #context: Pick<Context, 'clock'>;
  readonly #options: AnnouncerOptions;

  constructor(context: Pick<Context, 'clock'>, options: AnnouncerOptions) {
    this.#context = context;
    this.#options = options;
  }

  get loginNeeded(): boolean {
    return this.#loginNeeded !== undefined;
  }

  started({ folders, devices }: WatchScope): void {
    const scope = { folders, ...(devices === true ? { devices } : {}) };
    if (!this.#started) this.#options.report({ event: 'started', ...scope });
    this.#started = true;
  }

  announce(event: WatchNotice): void {
    if (event.event === 'login-needed') {
      if (this.#loginNeeded === event.code) return;
      this.#loginNeeded = event.code;
      const text = phrase`${event.message} ${event.hint ?? phrase`Run ${sync('login')}.`}`;
      this.#options.notify({ title: 'sync: recordings wait for a login', text });
    } else if (event.event === 'upload' && wasAnswered(event.item)) this.loginWorks();
    else if (event.event === 'missing') this.#noteMissing(event.path);
    this.#options.report(event);
  }

  /** Shows one notification for all recordings of one check. */
  #noteMissing(path: string): void {
    if (this.#missing.push(path) > 1) return;
    queueMicrotask(() => {
      const [first = '', ...more] = this.#missing;
      this.#missing = [];
      const text = phrase`${first}${more.length === 0 ? '' : ` and ${more.length} more`}. Run ${sync('verify')}.`;
      this.#options.notify({ title: 'sync: uploads without a workout', text });
    });
  }

  loginWorks(): void {
    if (this.loginNeeded) this.#options.report({ event: 'login-renewed' });
    this.#loginNeeded = undefined;
  }

  /** @param leftMs until the login ends */
  lasts(leftMs: number, endsAt: string): void {
    if (leftMs >= LOGIN_SHORT_MS) return;
    const now = this.#context.clock.now();
    if (this.#endingReportedAt !== undefined && Math.abs(now - this.#endingReportedAt) < DAY_MS)
      return;
    this.#endingReportedAt = now;
    const daysLeft = Math.max(0, Math.floor(leftMs / DAY_MS));
    this.#options.report({ event: 'login-ending', endsAt, daysLeft });
  }
}

/** Returns whether the service answered: only that shows that the login works. */
function wasAnswered({ outcome }: UploadItem): boolean {
  return outcome === 'uploaded' || outcome === 'duplicate' || outcome === 'rejected';
}
