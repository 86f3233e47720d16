import { SyncError } from '../../base/errors.ts';
import type { ConfirmedUpload } from '../../ledger/upload-rows.ts';
import { PROCESSING_MS, type Verified, verifyUploads } from '../../upload/verify.ts';
import { notItsLogin } from './refusal-backoff.ts';
import { CircuitBreaker, isLoginFailure } from './circuit-breaker.ts';
import type { WatchParts } from '../parts.ts';

/** Pause after the service refused a check (ms). */
const REFUSED_PAUSE_MS = 3_600_000;
/** Other uploads within this time of a due upload take their workouts first (ms). */
const ALONGSIDE_MS = 86_400_000;

/**
 * Checks an hour after each upload that the platform made a workout of it, and reports
 * uploads without a workout, each once. A failed check delays no upload: checks have their own back-off.
 */
export class Verifier {
  readonly #parts: WatchParts;
  readonly #backOff: CircuitBreaker;
  /** When each upload is due (ms of the monotonic clock), by {@link keyOf}. */
  #dueAt = new Map<string, number>();

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#backOff = new CircuitBreaker(() => parts.clock.monotonic(), parts.random);
  }

  /**
   * Checks due uploads, if the service may be called now. One call at a time.
   *
   * @throws SyncError if the login has ended
   */
  async check(): Promise<void> {
    const { ledger, client, breaker, delivers, report, signal } = this.#parts;
    const mayCall = delivers && breaker.state.state === 'closed' && this.#backOff.mayStart(0, 1);
    if (!mayCall) return;
    try {
      const due = this.#dueNow();
      if (due.length === 0) return;
      const others = alongside(due, ledger.uploads.confirmed());
      const uploads = [...others, ...due];
      const verified = await verifyUploads(this.#parts, uploads, client);
      this.#backOff.succeeded();
      this.#settle(verified.slice(others.length));
    } catch (caught) {
      if (signal.aborted) return;
      if (!(caught instanceof SyncError)) throw caught;
      const error = notItsLogin(caught);
      const { code, message, hint, details } = error;
      if (isLoginFailure(code) && code !== 'SCOPE_MISSING') throw error;
      const asked = isRefusal(error) ? REFUSED_PAUSE_MS : details['retryAfterMs'];
      // Without the scope it stays closed.
      this.#backOff.failed(error, Number(asked ?? 0));
      if (code === 'SCOPE_MISSING') report({ event: 'unverified', message, hint });
    }
  }

  /**
   * The age of an upload is read off the ledger when it is first seen, and measured on the monotonic
   * clock from then on: a wall clock that is set neither hastens nor prevents its check.
   */
  #dueNow(): ConfirmedUpload[] {
    const { clock, ledger } = this.#parts;
    const now = clock.monotonic();
    const before = this.#dueAt;
    this.#dueAt = new Map();
    return ledger.uploads.confirmed({ unverified: true }).filter((upload) => {
      const age = Math.min(Math.max(clock.now() - upload.confirmedAt, 0), PROCESSING_MS);
      const dueAt = before.get(keyOf(upload)) ?? now + (PROCESSING_MS - age);
      this.#dueAt.set(keyOf(upload), dueAt);
      return dueAt <= now;
    });
  }

  #settle(verified: readonly Verified[]): void {
    const { report } = this.#parts;
    const { uploads } = this.#parts.ledger;
    // Another watcher of this account may have checked them, or they were uploaded again meanwhile.
    const open = new Set(uploads.confirmed({ unverified: true }).map(keyOf));
    const settled = verified.filter(({ upload }) => open.has(keyOf(upload)));
    uploads.markVerified(settled.map(({ upload }) => upload.sha256));
    for (const { outcome, upload } of settled) {
      if (outcome === 'present') continue;
      const { path, sha256, confirmedAt } = upload;
      report({ event: 'missing', path, sha256, uploadedAt: new Date(confirmedAt).toISOString() });
    }
  }
}

/** An upload of a recording: the same recording may be uploaded again. */
function keyOf({ sha256, confirmedAt }: ConfirmedUpload): string {
  return `${sha256} ${confirmedAt}`;
}

/** Recordings from about the same time, by two devices perhaps: each has its own workout. */
function alongside(
  due: readonly ConfirmedUpload[],
  all: readonly ConfirmedUpload[],
): ConfirmedUpload[] {
  const known = new Set(due.map(keyOf));
  const begun = ({ startedAt, confirmedAt }: ConfirmedUpload) => startedAt ?? confirmedAt;
  const starts = due.map(begun);
  const from = starts.reduce((a, b) => Math.min(a, b)) - ALONGSIDE_MS;
  const to = starts.reduce((a, b) => Math.max(a, b)) + ALONGSIDE_MS;
  return all.filter(
    (upload) => !known.has(keyOf(upload)) && begun(upload) >= from && begun(upload) <= to,
  );
}

/** Perhaps there is no such endpoint. After a 401 each further try refreshes the token. */
function isRefusal({ code, details }: SyncError): boolean {
  return code === 'REJECTED' || details['status'] === 401;
}
