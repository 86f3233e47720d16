import { ExitCode, exitCodeOfDelivery, worstExitCode } from '../base/errors.ts';
import { type Text, phrase, sync } from '../base/phrase.ts';
import type { RecordItem } from '../records/deliver.ts';
import type { UnreadableInput } from '../records/prepare.ts';
import type { InvalidRecord } from '../records/types.ts';
import type { UploadItem } from '../upload/report.ts';

/** The outcome of a day, of a record that cannot be sent, or of an input that cannot be read. */
export type PushItem = RecordItem | InvalidRecord | UnreadableInput;
type RunItem = UploadItem | PushItem;
export type Outcome = RunItem['outcome'];
type SkippedReason = Extract<RunItem, { readonly outcome: 'skipped' }>['reason'];

type ItemKind = 'recording' | 'day';

interface OutcomeFacts {
  /** In a summary, after the number of items. Items that were skipped have the words of their reason. */
  readonly words: Text;
  /** Default: ok. A failure has the exit code of its error code. */
  readonly exitCode?: ExitCode;
  /** The kind of item; absent: both. `undo`: only `sync undo` ends so, which counts nothing. */
  readonly of?: ItemKind | 'undo';
  readonly isDryRun?: boolean;
}

/** Everything that can happen to a recording or to a day, in the order of a summary. */
export const OUTCOMES = {
  uploaded: { words: 'uploaded', of: 'recording' },
  'would-upload': { words: 'would be uploaded', of: 'recording', isDryRun: true },
  duplicate: { words: 'already at the platform', of: 'recording' },
  pushed: { words: 'sent', of: 'day' },
  'would-push': { words: 'would be sent', of: 'day', isDryRun: true },
  undone: { words: 'undone', of: 'undo' },
  covered: {
    words: phrase`covered by recordings of the same ride (${sync('explain', 'FILE')} names them)`,
    of: 'recording',
  },
  held: {
    words: phrase`held, since the same ride was sent (${sync('upload', '--same-ride', 'FILE')} sends them)`,
    of: 'recording',
  },
  skipped: { words: 'unchanged' },
  invalid: { words: 'invalid', exitCode: ExitCode.invalidInput },
  rejected: { words: 'refused', exitCode: ExitCode.refused },
  conflict: { words: 'to be corrected in the platform', exitCode: ExitCode.refused, of: 'day' },
  failed: { words: 'not sent' },
} as const satisfies Readonly<Record<Outcome, OutcomeFacts>>;

/** Why an item was skipped, in the order of a summary. */
export const SKIPPED = {
  'already-uploaded': { words: 'uploaded before' },
  'refused-before': {
    words: phrase`refused before (${sync('upload')} offers them again)`,
    exitCode: ExitCode.refused,
  },
  'before-since': { words: 'before --since' },
  'not-new': { words: 'there before --new-only' },
  'not-an-activity': {
    words: 'without an activity to send (settings, courses, walks of phone apps)',
  },
  unchanged: OUTCOMES.skipped,
  undoing: {
    words: phrase`partly undone (${sync('undo', 'upload', 'FILE')} finishes it)`,
  },
  undone: { words: 'undone before (--force sends them again)' },
  shorter: { words: 'shorter than what was sent (--force replaces its workout)' },
} as const satisfies Readonly<Record<SkippedReason, OutcomeFacts>>;

/** What a tally counts of its items besides their outcomes. */
const DETAILS = [
  /** Uploaded recordings that the service has received and not processed yet. */
  'processing',
  'wellness',
  'warnings',
] as const;

export type OutcomeCounts = Readonly<
  Record<Outcome | SkippedReason | (typeof DETAILS)[number] | 'total', number>
>;

/** Counts the items of a run, and finds its exit code. */
export class Tally {
  readonly of: ItemKind;
  readonly #counts = Object.fromEntries(
    ['total', ...Object.keys(OUTCOMES), ...Object.keys(SKIPPED), ...DETAILS].map((key) => [key, 0]),
  ) as Record<keyof OutcomeCounts, number>;
  readonly #codes = new Set<ExitCode>();
  /** Paths of the zip archives that were found in folders, and not opened. */
  readonly archives: string[] = [];
  /** The zone decided about a day or an offset. */
  zoneUsed = false;

  constructor(of: ItemKind) {
    this.of = of;
  }

  add(item: RunItem): void {
    const counts = this.#counts;
    counts.total++;
    counts[item.outcome]++;
    if (item.outcome === 'skipped') counts[item.reason]++;
    if (item.outcome === 'skipped' && 'wellness' in item) counts.wellness++;
    if (item.outcome === 'uploaded' && item.service.state === 'queued') counts.processing++;
    if ('warnings' in item) counts.warnings += item.warnings.length;
    if ('zoneUsed' in item) this.zoneUsed ||= item.zoneUsed;
    this.#codes.add(exitCodeOfItem(item));
  }

  /** Counts the exit code of something that is no item. */
  addExitCode(code: ExitCode): void {
    this.#codes.add(code);
  }

  get counts(): OutcomeCounts {
    return this.#counts;
  }

  get exitCode(): ExitCode {
    return worstExitCode(this.#codes);
  }
}

export function sumOf(tallies: readonly Tally[]): OutcomeCounts {
  const sum = { ...new Tally('day').counts } as Record<keyof OutcomeCounts, number>;
  for (const { counts } of tallies)
    for (const key of Object.keys(sum) as (keyof OutcomeCounts)[]) sum[key] += counts[key];
  return sum;
}

export function exitCodeOfItem(item: RunItem): ExitCode {
  if (item.outcome === 'failed') return exitCodeOfDelivery(item.code);
  const facts: OutcomeFacts =
    item.outcome === 'skipped' ? SKIPPED[item.reason] : OUTCOMES[item.outcome];
  const lacks = 'warnings' in item && item.warnings.some(({ unsent }) => unsent === true);
  return facts.exitCode ?? (lacks ? ExitCode.invalidInput : ExitCode.ok);
}

/** Returns the outcomes of recordings or of days: with those of `--dry-run`, or only these. */
export function outcomesOf(kinds: readonly ItemKind[], isDryRun: boolean): Outcome[] {
  const facts: Readonly<Record<Outcome, OutcomeFacts>> = OUTCOMES;
  return (Object.keys(OUTCOMES) as Outcome[]).filter((outcome) => {
    const { of, isDryRun: isOfDryRun = false } = facts[outcome];
    return (of === undefined || kinds.some((kind) => kind === of)) && isOfDryRun === isDryRun;
  });
}

/** Returns the number of items with each outcome for JSON; those of `--dry-run` only if there are any. */
export function outcomesJson(...tallies: readonly Tally[]): Record<string, number> {
  const kinds = tallies.map(({ of }) => of);
  const counts = sumOf(tallies);
  const found = outcomesOf(kinds, true).filter((outcome) => counts[outcome] > 0);
  return Object.fromEntries(
    [...outcomesOf(kinds, false), ...found].map((outcome) => [outcome, counts[outcome]]),
  );
}

/** Returns each count that is not 0 in words, such as `3 uploaded` and `1 refused`. */
export function countsText(counts: OutcomeCounts): Text[] {
  const { uploaded, processing } = counts;
  const parts = Object.entries(OUTCOMES).flatMap(([outcome, { words }]): [number, Text][] => {
    switch (outcome as Outcome) {
      case 'uploaded':
        return [[uploaded, phrase`${words}${processingText(processing, uploaded)}`]];
      case 'skipped':
        return Object.entries(SKIPPED).map(([reason, { words }]) => [
          counts[reason as SkippedReason],
          words,
        ]);
      case 'undone':
        return [];
      default:
        return [[counts[outcome as Outcome], words]];
    }
  });
  return parts.filter(([count]) => count > 0).map(([count, words]) => phrase`${count} ${words}`);
}

/** Says of how many uploads no workout exists yet. */
function processingText(processing: number, uploaded: number): string {
  if (processing === 0) return '';
  const them = uploaded === 1 ? 'it' : processing === uploaded ? 'them' : `${processing} of them`;
  return ` (the platform is processing ${them})`;
}
