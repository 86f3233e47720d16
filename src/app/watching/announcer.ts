import type { Context } from '../../base/context.ts';
import type { ErrorCode } from '../../base/errors.ts';
import type { WatchNotice } from '../../watch/report.ts';
import { LOGIN_ENDS_SOON_MS } from '../words/watchers.ts';
import type { UploadItem } from '../../upload/report.ts';

const DAY_MS = 86_400_000;

/** Reports each topic once, across all logins: a login that ended, a login that ends soon. */
export class Announcer {
  #loginNeeded: ErrorCode | undefined;
  #endingReportedAt: number | undefined;
  readonly #context: Pick<Context, 'clock'>;
  readonly #report: (notice: WatchNotice) => void;

  constructor(context: Pick<Context, 'clock'>, report: (notice: WatchNotice) => void) {
    this.#context = context;
    this.#report = report;
  }

  get loginNeeded(): boolean {
    return this.#loginNeeded !== undefined;
  }

  announce(event: WatchNotice): void {
    if (event.event === 'login-needed') {
      if (this.#loginNeeded === event.code) return;
      this.#loginNeeded = event.code;
    } else if (event.event === 'upload' && wasAnswered(event.item)) this.loginWorks();
    this.#report(event);
  }

  loginWorks(): void {
    if (this.loginNeeded) this.#report({ event: 'login-renewed' });
    this.#loginNeeded = undefined;
  }

  /** @param leftMs until the login ends */
  lasts(leftMs: number, endsAt: string): void {
    if (leftMs >= LOGIN_ENDS_SOON_MS) return;
    const now = this.#context.clock.now();
    if (this.#endingReportedAt !== undefined && Math.abs(now - this.#endingReportedAt) < DAY_MS)
      return;
    this.#endingReportedAt = now;
    const daysLeft = Math.max(0, Math.floor(leftMs / DAY_MS));
    this.#report({ event: 'login-ending', endsAt, daysLeft });
  }
}

/** Returns whether the service answered: only that shows that the login works. */
function wasAnswered({ outcome }: UploadItem): boolean {
  return outcome === 'uploaded' || outcome === 'duplicate' || outcome === 'rejected';
}
