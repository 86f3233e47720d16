import type { Context } from '../base/context.ts';
import { SyncError, endsRun, failureOf } from '../base/errors.ts';
import type { SentField } from '../ledger/wellness.ts';
import { inParallel } from '../base/parallel.ts';
import { phrase, sync } from '../base/phrase.ts';
import { BatchBreaker } from '../api/batch-breaker.ts';
import { type ClaimWait, type OnLongWait, claimWait } from '../ledger/claim-wait.ts';
import { ENOUGH_FAULTS, faultMessage, isAboutTheItem, isServiceFault } from '../api/refusal.ts';
import { type DayOptions, NutritionRun } from './nutrition-run.ts';
import type { NutritionTarget } from './nutrition/service.ts';
import type { DayOutcome, JsonObject, PreparedRecord, Rank, RecordKind, Warning } from './types.ts';
import { leftNotes } from './notes.ts';
import { rankBy } from './prefer.ts';
import { notKeptWarnings, numbersOf } from './wellness/answer.ts';
import { changedThere, sentBefore, settleDay, undoneDay, valuesText } from './wellness/settle.ts';

export interface DeliveryOptions extends DayOptions {
  /** Requests in flight at once; one a date. */
  readonly jobs: number;
}

export interface DeliveryTarget extends NutritionTarget {
  readonly report: (item: RecordItem) => void;
  readonly onLongWait?: OnLongWait | undefined;
}

/** The outcome of one day. */
export type RecordItem = {
  readonly kind: RecordKind;
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** Every input record that is in it. */
  readonly sources: readonly string[];
  readonly warnings: readonly Warning[];
  /** Did the zone decide about the date, or about an offset in the body? */
  readonly zoneUsed: boolean;
} & DayOutcome;

type SentFields = Readonly<Record<string, SentField>>;

const UNCHANGED = { outcome: 'skipped', reason: 'unchanged' } as const;
const UNDONE = { outcome: 'skipped', reason: 'undone' } as const;

/**
 * Delivers one record a date, several dates at once. A failed date does not stop the others; a dead
 * login, or a service that does not answer, ends the run early. Every record is reported once. Nutrition
 * days that an earlier run left unfinished are included.
 *
 * @throws SyncError `STORAGE` if the ledger fails; the signal's reason if it is aborted.
 */
export async function deliverRecords(
  context: Pick<Context, 'clock' | 'signal'>,
  records: readonly PreparedRecord[],
  options: DeliveryOptions,
  target: DeliveryTarget,
): Promise<void> {
  const run = new DayQueue(context, records, options, target);
  const all = await run.records();
  const last = new Set(all.filter((record) => run.waits(record)));
  const first = all.filter((record) => !last.has(record));
  await inParallel(first, options.jobs, (record) => run.deliver(record));
  for (const record of last) await run.deliver(record);
  await run.review();
}

class DayQueue {
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #options: DeliveryOptions;
  readonly #target: DeliveryTarget;
  readonly #breaker = new BatchBreaker();
  readonly #nutrition: NutritionRun;
  readonly #rank: Rank;
  readonly #records: readonly PreparedRecord[];
  readonly #wait: ClaimWait;

  constructor(
    context: Pick<Context, 'clock' | 'signal'>,
    records: readonly PreparedRecord[],
    options: DeliveryOptions,
    target: DeliveryTarget,
  ) {
    this.#context = context;
    this.#options = options;
    this.#target = target;
    this.#wait = claimWait(context, target.onLongWait);
    this.#rank = options.rank ?? rankBy();
    // Another digest, so that a later run without `--add` compares the day again.
    this.#records =
      options.merge === 'add'
        ? records.map((record) => ({ ...record, digest: `${record.digest} add` }))
        : records;
    this.#nutrition = new NutritionRun(context, this.#records, options, target);
  }

  /** Returns the records of the run. Days on which the service failed come last, so that they delay no others. */
  async records(): Promise<readonly PreparedRecord[]> {
    const [first] = this.#records;
    if (first === undefined) return [];
    const further = first.kind === 'nutrition' ? await this.#nutrition.further() : [];
    const all = [...this.#records, ...further];
    const failed = this.#target.ledger.failedDays(first.kind);
    const isFailed = ({ date }: PreparedRecord) => failed.has(date);
    return [...all.filter((record) => !isFailed(record)), ...all.filter(isFailed)];
  }

  /** Checks that other days have to be delivered before this one. */
  waits(record: PreparedRecord): boolean {
    return this.#nutrition.waits(record);
  }

  async deliver(record: PreparedRecord): Promise<void> {
    const { signal } = this.#context;
    signal.throwIfAborted();
    const warnings: Warning[] = [];
    const outcome: DayOutcome = this.#breaker.openedBy
      ? { outcome: 'failed', ...this.#breaker.openedBy }
      : await this.#claimed(record, warnings);
    const { kind, date, sources, zoneUsed } = record;
    const notes = outcome.outcome === 'invalid' ? [] : [...record.warnings, ...warnings];
    const about = { kind, date, sources, zoneUsed, warnings: notes };
    // An earlier run has sent the other days: it is no news that one could not be looked at.
    const isQuiet =
      outcome.outcome === 'skipped' || (outcome.outcome === 'failed' && !this.#isOpen(record));
    const isNews = about.warnings.length > 0 || !isQuiet;
    if (!isNews && !this.#nutrition.isInput(record)) return;
    this.#target.report({ ...about, ...outcome });
  }

  /** Checks that an earlier run could not finish the day. */
  #isOpen({ date }: PreparedRecord): boolean {
    return this.#target.ledger.nutrition.day(date).status === 'open';
  }

  /** Corrects the nutrition days of this run that another computer's request has spoiled meanwhile. */
  async review(): Promise<void> {
    if (this.#breaker.openedBy !== undefined) return;
    for (const record of await this.#nutrition.toReview()) await this.#claimed(record, []);
  }

  async #claimed(record: PreparedRecord, warnings: Warning[]): Promise<DayOutcome> {
    const { kind, date, digest } = record;
    const { ledger } = this.#target;
    const { dryRun } = this.#options;
    // These options send a day even if the ledger says that it is unchanged.
    const mustSend =
      this.#options.force ||
      this.#options.undo !== undefined ||
      this.#options.merge === 'replace-day' ||
      (kind === 'nutrition' && this.#nutrition.isDoubtful(date));
    if (!mustSend && ledger.isUnchanged(kind, date, digest)) return UNCHANGED;
    if (kind === 'wellness' && this.#options.undo !== undefined) {
      // Nothing will be sent, and the ledger must not say so: the day does not change.
      const known = ledger.wellness.day(date).sent;
      const { values, held, isUndone } = undoneDay(known);
      if (Object.keys(values).length === 0) {
        if (ledger.find(kind, date)?.state === 'pending') return unconfirmedDay(date);
        return held.length > 0 ? cannotForget(known, held) : isUndone ? UNDONE : UNCHANGED;
      }
    }
    if (dryRun) {
      return kind === 'wellness'
        ? await this.#wellness(record, warnings)
        : await this.#nutrition.deliver(record, warnings);
    }
    try {
      // Before the claim: a failed login leaves no pending day.
      await this.#target.client();
    } catch (error) {
      return await this.#failed(record, error);
    }
    const before = ledger.find(kind, date);
    // A day with fields that the platform refuses needs the others, to be taken at all.
    const isPart = typeof before?.dropped === 'string';
    const isRefused = isPart && !ledger.platform.has(kind, 'further-fields');
    const isUnconfirmed = before?.state === 'pending' || before?.state === 'rejected';
    const tryClaim = () => {
      const claim = ledger.claim(kind, date, digest, mustSend);
      return claim === 'busy' ? undefined : claim;
    };
    const claim = await this.#wait(tryClaim, () => ledger.senderOf(kind, date));
    if (claim === 'unchanged') return UNCHANGED;
    try {
      const outcome = await this.#sent(record, warnings, isUnconfirmed || isRefused);
      if (outcome.outcome === 'rejected') {
        const isOpen = kind === 'nutrition' && ledger.nutrition.day(date).status === 'open';
        // A refused undo changes nothing.
        if (this.#options.undo === undefined || before === undefined || isOpen)
          ledger.reject(kind, date, outcome.message);
        else ledger.restore(kind, date, before);
      }
      return outcome;
    } finally {
      ledger.release(kind, date);
    }
  }

  /** @param whole as in {@link DayQueue.#wellness} */
  async #sent(record: PreparedRecord, warnings: Warning[], whole: boolean): Promise<DayOutcome> {
    try {
      if (record.kind === 'wellness') return await this.#wellness(record, warnings, whole);
      const outcome = await this.#nutrition.deliver(record, warnings);
      this.#breaker.answered();
      return outcome;
    } catch (error) {
      return await this.#failed(record, error);
    }
  }

  /** @param whole send also what the ledger says that the platform holds */
  async #wellness(record: PreparedRecord, warnings: Warning[], whole = false): Promise<DayOutcome> {
    const { kind, date, digest } = record;
    const { ledger } = this.#target;
    const known = ledger.wellness.day(date).sent;
    const { force, undo } = this.#options;
    const isUndo = undo !== undefined;
    const { values, notes, sent, isUndone, held } = isUndo
      ? undoneDay(known)
      : settleDay(record, known, { rank: this.#rank, force, whole });
    // After a refused undo, they are untrue.
    if (!isUndo || this.#options.dryRun) warnings.push(...notes);
    if (Object.keys(values).length === 0) {
      if (this.#options.dryRun) return isUndone ? UNDONE : UNCHANGED;
      ledger.wellness.noteSent(date, sent);
      ledger.confirm(kind, date, digest, { undone: isUndone });
      return isUndone ? UNDONE : UNCHANGED;
    }
    const body: JsonObject = { date, ...(await this.#repeated(date, known, values)), ...values };
    if (this.#options.dryRun) {
      const url = this.#target.url(kind).href;
      return { outcome: 'would-push', request: { method: 'POST', url, body } };
    }
    const client = await this.#target.client();
    const answer = await client.push(kind, body, 'always', ledger.platform, this.#context.signal);
    this.#breaker.answered();
    const { attempts } = answer;
    if (answer.outcome === 'rejected') {
      return { outcome: 'rejected', message: answer.message, attempts };
    }
    const sentBody = Object.fromEntries(
      Object.entries(body).filter(([name]) => !answer.left.includes(name)),
    );
    const row = numbersOf(answer.data);
    const answered = notKeptWarnings(record, row, client.isCoachWatts(ledger.platform), sentBody);
    const { notes: adapted } = answered;
    if (isUndo) warnings.push(...notes);
    warnings.push(...leftNotes(record, answer));
    const names = Object.keys(sentBody).filter((name) => !answered.dropped.includes(name));
    if (answer.data !== undefined) ledger.wellness.noteAnswer(names, answered.dropped);
    const dropped = [...answered.dropped, ...answer.left];
    const isKept = ([name]: readonly [string, unknown]) => !dropped.includes(name);
    const kept = Object.fromEntries(Object.entries(sent).filter(isKept));
    const there = changedThere({ ...known, ...kept }, sentBody, row, record.sources[0] ?? '');
    warnings.push(...adapted, ...there.notes);
    ledger.wellness.noteSent(date, { ...kept, ...there.sent });
    // What the service dropped is not delivered: the day is sent again when the service may know it.
    const undone = isUndo && held.length === 0;
    ledger.confirm(kind, date, digest, { sentFrom: record.files, dropped, undone });
    return { outcome: isUndo ? 'undone' : 'pushed', attempts };
  }

  /** Returns the values of a day that are sent again with new ones, since a platform may replace the day. */
  async #repeated(date: string, known: SentFields, values: JsonObject): Promise<JsonObject> {
    const others = sentBefore(known, values);
    if (Object.keys(others).length === 0) return {};
    const { service } = this.#nutrition;
    const keeps = this.#options.dryRun
      ? service.knownKind === 'coach-watts'
      : await service.keepsFields(date);
    return keeps ? {} : others;
  }

  #well: Promise<boolean> | undefined;

  /** Checks, once a run, that the service answers a request unrelated to the record. */
  #isServiceWell(): Promise<boolean> {
    const ask = async () => {
      const client = await this.#target.client();
      await client.userinfo(this.#context.signal);
      return true;
    };
    return (this.#well ??= ask().catch(() => false));
  }

  /** Turns a failure of a record or the service into an outcome; any other ends the run. */
  async #failed(record: PreparedRecord, error: unknown): Promise<DayOutcome> {
    if (!(error instanceof SyncError)) throw error;
    if (endsRun(error.code)) throw error;
    const { status, attempts: counted } = error.details;
    const attempts = typeof counted === 'number' ? counted : 0;
    if (isAboutTheItem(error)) {
      this.#breaker.answered();
      const known = typeof status === 'number' ? { status } : {};
      return { outcome: 'rejected', message: error.message, attempts, ...known };
    }
    if (isServiceFault(error) && (await this.#isServiceWell())) {
      const { kind, date, digest } = record;
      const runs = digest === '' ? 0 : this.#target.ledger.countFailure(kind, date, digest);
      if (runs >= ENOUGH_FAULTS) return { ...alwaysFails(date, runs), attempts };
      this.#breaker.answered();
      return { outcome: 'failed', ...failureOf(error), attempts };
    }
    this.#breaker.failed(failureOf(error));
    return { outcome: 'failed', ...failureOf(error), attempts };
  }
}

function cannotForget(known: SentFields, held: readonly string[]): DayOutcome {
  const stored = Object.fromEntries(held.map((name) => [name, known[name]?.value ?? null]));
  return {
    outcome: 'conflict',
    stored: [stored],
    intended: [],
    message: `The platform cannot forget a value, and nothing was sent before these: ${valuesText(stored)}.`,
    hint: phrase`${sync('push', 'wellness', 'FILE')} replaces them.`,
    attempts: 0,
  };
}

/** The ledger does not know the values that an unanswered push has sent. */
function unconfirmedDay(date: string): DayOutcome {
  return {
    outcome: 'conflict',
    stored: [],
    intended: [],
    message: `The platform has not confirmed the last push of ${date}, and may have its values.`,
    hint: phrase`Run ${sync('push', 'wellness', 'FILE')} with the same file, and then this again.`,
    attempts: 0,
  };
}

function alwaysFails(date: string, runs: number) {
  return {
    outcome: 'rejected',
    status: 500,
    message: faultMessage(`the record of ${date}`, runs),
    hint: 'Check its fields. It is tried again with each run, after all others.',
  } as const;
}
