import { ExitCode, exitCodeOfDelivery, worstExitCode } from '../../base/errors.ts';
import { type Text, joinTexts, linesOf, phrase, sync } from '../../base/phrase.ts';
import { toJson } from '../../base/printable.ts';
import { isUtc } from '../../base/zone-name.ts';
import type { RecordItem } from '../../records/deliver.ts';
import type { UnreadableInput } from '../../records/prepare.ts';
import type { ReadZones } from '../../records/days/read-zones.ts';
import type { InvalidRecord, RecordKind, RecordRequest, Zone } from '../../records/types.ts';
import { plural } from '../../terminal/words.ts';
import type { AppContext } from '../context.ts';

/** The outcome of a day, of a record that cannot be sent, or of an input that cannot be read. */
export type PushItem = RecordItem | InvalidRecord | UnreadableInput;
export type PushOutcome = PushItem['outcome'];

/** Counts days (and unusable records) by their outcome. */
export type PushSummary = {
  readonly total: number;
  readonly warnings: number;
} & Readonly<Record<PushOutcome, number>>;

/** Adds up the outcomes of a push. */
export class PushTally {
  readonly #codes = new Set<ExitCode>();
  /** The zone decided about a day or an offset. */
  zoneUsed = false;
  readonly #counts = {
    total: 0,
    warnings: 0,
    pushed: 0,
    skipped: 0,
    invalid: 0,
    rejected: 0,
    conflict: 0,
    failed: 0,
    'would-push': 0,
  };

  add(item: PushItem): void {
    this.#counts.total++;
    this.#counts[item.outcome]++;
    if ('warnings' in item) this.#counts.warnings += item.warnings.length;
    if ('zoneUsed' in item) this.zoneUsed ||= item.zoneUsed;
    this.#codes.add(exitCodeOfPush(item));
  }

  get summary(): PushSummary {
    return this.#counts;
  }

  get exitCode(): ExitCode {
    return worstExitCode(this.#codes);
  }
}

/** Returns the exit code for one day, record or input alone. */
export function exitCodeOfPush(item: PushItem): ExitCode {
  switch (item.outcome) {
    case 'pushed':
    case 'skipped':
    case 'would-push':
      return ExitCode.ok;
    case 'invalid':
      return ExitCode.invalidInput;
    case 'rejected':
    case 'conflict':
      return ExitCode.refused;
    case 'failed':
      return exitCodeOfDelivery(item.code);
  }
}

/**
 * Returns a day, or an unusable record, as JSON. `source` is the first of its `sources`; the `zone` is
 * there if it decided about the date or an offset.
 */
export function pushItemJson(item: PushItem, zone?: Zone): Record<string, unknown> {
  if (item.outcome === 'invalid') {
    const { kind, ...rest } = item;
    if (!('hint' in rest)) return { type: kind, ...rest };
    const { source, ...whole } = rest;
    const { problem } = rest.problems[0];
    return { type: kind, source, reason: 'unreadable', problem, ...whole };
  }
  const { kind: type, date, outcome, sources, ...rest } = item;
  const where = item.zoneUsed && zone !== undefined ? { zone: zone.name, zoneFrom: zone.from } : {};
  return { type, date, outcome, source: sources[0], sources, ...rest, ...where };
}

export function pushSummaryJson(summary: PushSummary): Record<string, unknown> {
  const { 'would-push': wouldPush, ...counts } = summary;
  return {
    type: 'summary',
    ...counts,
    ...(wouldPush > 0 ? { 'would-push': wouldPush } : {}),
  };
}

/** What happened to a day. */
const SENT = { pushed: 'sent', conflict: 'not all sent' };

/** Returns the text of a day; undefined if it is unchanged and has no notes. */
export function pushItemText(item: PushItem, zone: string, words = SENT): Text | undefined {
  if (item.outcome === 'invalid') {
    const problems = firstOf(
      item.problems.map(({ field, problem }) =>
        field === undefined ? problem : `${field}: ${problem}`,
      ),
    );
    // The problem of an input is a sentence with the input's name in it.
    if ('hint' in item) return phrase`${problems.join('; ')} ${item.hint}`;
    const line = item.line === undefined ? '' : ` (line ${item.line})`;
    return `${item.source}${line}: not sent. ${problems.join('; ')}`;
  }
  const notes = firstOf<Text>(
    item.warnings.map(({ source, field, message }) => {
      const place = [source, field].filter(Boolean).join(': ');
      return phrase`  note: ${place}: ${message}`;
    }),
    '  ',
  );
  if (item.outcome === 'skipped' && notes.length === 0) return undefined;
  return joinTexts([...outcomeLines(item, zone, words), ...notes], '\n');
}

/** Problems or notes of one day that are shown. */
const SHOWN = 10;

/** Returns the first of several texts; one more gives the number of the others. */
function firstOf<T extends Text>(texts: readonly T[], indent = ''): (T | string)[] {
  const more = texts.length - SHOWN;
  if (more <= 1) return [...texts];
  return [...texts.slice(0, SHOWN), `${indent}and ${more} more, which --json lists`];
}

function outcomeLines(item: RecordItem, zone: string, words: typeof SENT): Text[] {
  const where = item.zoneUsed ? ` (dates in ${zone})` : '';
  const hint = 'hint' in item ? phrase` ${item.hint}` : '';
  switch (item.outcome) {
    case 'pushed':
      return [`${item.date}: ${words.pushed}${where}`];
    case 'skipped':
      return [`${item.date}: unchanged`];
    case 'rejected':
      return [phrase`${item.date}: refused by the service: ${item.message}${hint}`];
    case 'conflict':
      return [phrase`${item.date}: ${words.conflict}. ${item.message} ${item.hint}`];
    case 'failed':
      return [phrase`${item.date}: not sent. ${item.message}${hint}`];
    case 'would-push':
      return [`${item.date}: would be sent${where}`, ...requestLines(item.request)];
  }
}

function requestLines({ method, url, body }: RecordRequest): Text[] {
  return [`  ${method} ${url}`, indentedJson(body)];
}

/** Formats the body of a request as JSON with indented lines. */
export function indentedJson(body: unknown): Text {
  return linesOf(toJson(body, { indent: 2 }).replace(/^/gm, '  '));
}

export function pushSummaryText(kind: RecordKind, summary: PushSummary): string {
  if (summary.total === 0) return `No ${kind} records found.`;
  const parts = [
    [summary.pushed, 'sent'],
    [summary['would-push'], 'would be sent'],
    [summary.skipped, 'unchanged'],
    [summary.invalid, 'not usable'],
    [summary.rejected, 'refused'],
    [summary.conflict, 'to be corrected in the platform'],
    [summary.failed, 'not sent'],
  ] as const;
  const counted = parts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
  const noted = summary.warnings > 0 ? ` ${plural(summary.warnings, 'note')} above.` : '';
  return `${kind}: ${counted.join(', ')}.${noted}`;
}

/** Warns once per run if the zone may not be the athlete's. */
export function warnOfZone({ warn }: AppContext, zones: ReadZones, zoneUsed: boolean): void {
  const { name, from } = zones.zone;
  const [earlier] = zones.earlierZones;
  if (earlier !== undefined) {
    warn(
      phrase`Times that were read before are read in ${zones.earlierZones.join(', ')}, as then, although this machine is in ${name}: ${sync('config', 'set', 'timezone', name)} reads all of them in ${name}.`,
    );
  } else if (zoneUsed && from === 'machine' && isUtc(name)) {
    warn(
      phrase`Days are counted in ${name}, this machine's zone: ${sync('config', 'set', 'timezone', 'Europe/Berlin')} if you live elsewhere.`,
    );
  }
}
