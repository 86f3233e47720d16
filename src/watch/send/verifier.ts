import { SyncError } from '../../base/errors.ts';
import type { ConfirmedUpload } from '../../ledger/upload-rows.ts';
import type { UploadLedger } from '../../ledger/uploads.ts';
import { PROCESSING_MS } from '../../upload/own-workouts.ts';
import { type Verified, verifyUploads } from '../../upload/verify.ts';
import { FAILED_PAUSE_MS, notItsLogin } from './refusal-backoff.ts';
import { isLoginFailure } from './circuit-breaker.ts';
import type { WatchParts } from '../parts.ts';

/** Interval of checks for uploads that are due to be verified (ms). */
const VERIFY_MS = 60_000;
/** Pause after the service refused a check (ms). */
const REFUSED_PAUSE_MS = 3_600_000;
/** Smallest step of the wall clock between two checks that counts as setting it (ms). */
const CLOCK_SET_MS = 1_000;
/** Other uploads within this time of a due upload take their workouts first (ms). */
const ALONGSIDE_MS = 86_400_000;

type VerifierParts = Pick<
  WatchParts,
  'breaker' | 'client' | 'clock' | 'delivers' | 'events' | 'ledger' | 'report' | 'signal'
>;

/**
 * Checks an hour after each upload that the platform made a workout of it, and reports
 * uploads without a workout, each once. A failed check delays no upload, only the next check.
 */
export class Verifier {
  readonly #parts: VerifierParts;
  /** The wall clock less the monotonic one at the last check (ms). */
  #offset: number | undefined;
  /** When uploads from before the wall clock was set are due (ms of the monotonic clock), by {@link keyOf}. */
  readonly #dueAt = new Map<string, number>();

  constructor(parts: VerifierParts) {
    this.#parts = parts;
  }

  /**
   * Checks due uploads, if the service may be called now. One call at a time.
   *
   * @throws SyncError if the login has ended
   */
  async check(): Promise<void> {
    const { events, report, signal } = this.#parts;
    let pauseMs = VERIFY_MS;
    try {
      await this.#checkDue();
    } catch (caught) {
      if (signal.aborted) return;
      if (!(caught instanceof SyncError)) throw caught;
      const error = notItsLogin(caught);
      const { code, message, hint, details } = error;
      if (code === 'SCOPE_MISSING') {
        pauseMs = Infinity;
        report({ event: 'unverified', message, hint });
      } else if (isLoginFailure(code)) throw error;
      else if (isRefusal(error)) pauseMs = REFUSED_PAUSE_MS;
      else pauseMs = Math.max(FAILED_PAUSE_MS, Number(details['retryAfterMs'] ?? 0));
    } finally {
      events.setTimer('verify-due', pauseMs);
    }
  }

  async #checkDue(): Promise<void> {
    const { ledger, client, breaker, delivers } = this.#parts;
    if (!delivers || breaker.state.state !== 'closed') return;
    const due = this.#dueNow();
    if (due.length === 0) return;
    const others = alongside(due, ledger.uploads);
    const { items } = await verifyUploads(
      this.#parts,
      [...others, ...due],
      client,
      ledger.uploads.platform,
    );
    this.#settle(items.slice(others.length));
  }

  /**
   * The ledger knows the age of an upload by the wall clock. If that is set, the uploads from before keep
   * their time on the monotonic clock: it neither hastens nor prevents their check.
   */
  #dueNow(): ConfirmedUpload[] {
    const { clock, ledger } = this.#parts;
    const now = clock.monotonic();
    const offset = clock.now() - now;
    const before = this.#offset;
    this.#offset = offset;
    if (before === undefined || Math.abs(offset - before) > CLOCK_SET_MS) {
      for (const upload of ledger.uploads.confirmed({ unverified: true })) {
        const key = keyOf(upload);
        const uploadedAt = Math.min(upload.confirmedAt - (before ?? offset), now);
        this.#dueAt.set(key, this.#dueAt.get(key) ?? uploadedAt + PROCESSING_MS);
      }
    }
    const until = this.#dueAt.size > 0 ? undefined : clock.now() - PROCESSING_MS;
    return ledger.uploads.confirmed({ unverified: true, until }).filter((upload) => {
      const dueAt = this.#dueAt.get(keyOf(upload));
      return (dueAt ?? upload.confirmedAt - offset + PROCESSING_MS) <= now;
    });
  }

  #settle(verified: readonly Verified[]): void {
    const { ledger, report } = this.#parts;
    // Another watcher of this account may have checked them, or they were uploaded again meanwhile.
    const marked = new Set(ledger.uploads.markVerified(verified.map(({ upload }) => upload)));
    for (const { outcome, upload } of verified) {
      this.#dueAt.delete(keyOf(upload));
      if (outcome === 'present' || outcome === 'notKnown' || !marked.has(upload)) continue;
      const { path, sha256, confirmedAt } = upload;
      ledger.uploads.trackFiles.uncover();
      report({ event: 'missing', path, sha256, uploadedAt: new Date(confirmedAt).toISOString() });
    }
  }
}

/** An upload of a recording: the same recording may be uploaded again. */
function keyOf({ sha256, confirmedAt }: ConfirmedUpload): string {
  return `${sha256} ${confirmedAt}`;
}

/** Returns recordings from about the same time, by two devices perhaps: each has its own workout. */
function alongside(due: readonly ConfirmedUpload[], uploads: UploadLedger): ConfirmedUpload[] {
  const known = new Set(due.map(keyOf));
  const starts = due.map(({ startedAt, confirmedAt }) => startedAt ?? confirmedAt);
  const from = starts.reduce((a, b) => Math.min(a, b)) - ALONGSIDE_MS;
  const to = starts.reduce((a, b) => Math.max(a, b)) + ALONGSIDE_MS;
  return uploads.confirmed({ begun: [from, to] }).filter((upload) => !known.has(keyOf(upload)));
}

/** Perhaps there is no such endpoint. After a 401 each further try refreshes the token. */
function isRefusal({ code, details }: SyncError): boolean {
  return code === 'REJECTED' || details['status'] === 401;
}
