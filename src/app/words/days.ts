import { type Text, joinTexts, linesOf, phrase, sync } from '../../base/phrase.ts';
import { toJson } from '../../base/printable.ts';
import { isUtc } from '../../base/zone-name.ts';
import type { RecordItem } from '../../records/deliver.ts';
import type { ReadZones } from '../../records/days/read-zones.ts';
import type { JsonObject, RecordKind, RecordRequest, Warning, Zone } from '../../records/types.ts';
import { show } from '../../records/values.ts';
import { firstOf, plural } from '../../terminal/words.ts';
import type { Config } from '../../config/config.ts';
import type { AppContext } from '../context.ts';
import { zoneToType } from '../platform-zone.ts';
import { type PushItem, type Tally, countsText, outcomesJson } from '../outcomes.ts';

/**
 * Returns a day, or an unusable record, as JSON. `source` is the first of its `sources`; the `zone` is
 * there if it decided about the date or an offset.
 */
export function pushItemJson(item: PushItem, zone?: Zone): Record<string, unknown> {
  if (item.outcome === 'invalid') {
    const { kind, ...rest } = item;
    if (!('hint' in rest)) {
      return { type: kind, ...rest, sources: undefined, warnings: undefined, zoneUsed: undefined };
    }
    const { source, ...whole } = rest;
    const { problem } = rest.problems[0];
    return { type: kind, source, reason: 'unreadable', problem, ...whole };
  }
  const { kind: type, date, outcome, sources, ...rest } = item;
  const where = item.zoneUsed && zone !== undefined ? { zone: zone.name, zoneFrom: zone.from } : {};
  return { type, date, outcome, source: sources[0], sources, ...rest, ...where };
}

export function pushSummaryJson(tally: Tally): Record<string, unknown> {
  const { total, warnings } = tally.counts;
  return { type: 'summary', total, warnings, ...outcomesJson(tally) };
}

const SENT = { pushed: 'sent', conflict: 'not all sent', failed: 'not sent' };

/**
 * Returns the text of a day; undefined if it is unchanged, and has no notes.
 *
 * @param requests show the request of a day that would be sent, and not its values in one line
 */
export function pushItemText(
  item: PushItem,
  zone: string,
  words = SENT,
  requests = true,
): Text | undefined {
  if (item.outcome === 'invalid') {
    const problems = shownOf(problemTexts(item.problems));
    // The problem of an input is a sentence with the input's name in it.
    if ('hint' in item) return phrase`${problems.join('; ')} ${item.hint}`;
    return `${item.source}: not sent: ${problems.join('; ')}`;
  }
  const notes = shownOf<Text>(item.warnings.map(noteText)).map((note) => phrase`  ${note}`);
  const isUnchanged = item.outcome === 'skipped' && item.reason === 'unchanged';
  if (isUnchanged && notes.length === 0) return undefined;
  const [line = '', ...request] = outcomeLines(item, zone, words);
  const lines =
    item.outcome === 'would-push' && !requests
      ? [phrase`${line}: ${valuesText(item.request.body)}`]
      : [line, ...request];
  return joinTexts([...lines, ...notes]);
}

export function noteText({ source, field, message }: Warning): Text {
  const place = [source, field].flatMap((part) => (part ? [`${part}: `] : [])).join('');
  return phrase`note: ${place}${message}`;
}

const SHOWN = 10;

/** A single text more than usual takes no more room than its count. */
function shownOf<T extends Text>(texts: readonly T[]): (T | string)[] {
  return firstOf(texts, texts.length === SHOWN + 1 ? texts.length : SHOWN);
}

export function problemTexts(
  problems: readonly { readonly field?: string; readonly problem: string }[],
): string[] {
  return problems.map(({ field, problem }) =>
    field === undefined ? problem : `${field}: ${problem}`,
  );
}

type SentDay = Exclude<RecordItem, { readonly outcome: 'invalid' }>;

function outcomeLines(item: SentDay, zone: string, words: typeof SENT): Text[] {
  const where = item.zoneUsed ? ` (dates in ${zone})` : '';
  const hint = 'hint' in item && item.hint !== undefined ? phrase` ${item.hint}` : '';
  const lost = item.warnings.flatMap(({ field, unsent }) => (unsent && field ? [field] : []));
  const without = lost.length === 0 ? '' : ` without ${[...new Set(lost)].join(', ')}`;
  switch (item.outcome) {
    case 'pushed':
      return [`${item.date}: ${words.pushed}${without}${where}`];
    case 'undone':
      return [`${item.date}: undone`];
    case 'skipped':
      return item.reason === 'undone'
        ? [
            phrase`${item.date}: not sent, since you undid it. ${sync('push', item.kind, 'FILE', '--force')} sends it again.`,
          ]
        : [`${item.date}: unchanged`];
    case 'rejected':
      return [phrase`${item.date}: refused by the platform: ${item.message}${hint}`];
    case 'conflict':
      return [
        phrase`${item.date}: ${item.attempts === 0 ? words.failed : words.conflict}. ${item.message} ${item.hint}`,
      ];
    case 'failed':
      return [phrase`${item.date}: ${words.failed}. ${item.message}${hint}`];
    case 'would-push':
      return [`${item.date}: would be sent${without}${where}`, ...requestLines(item.request)];
  }
}

/** Lists the values of a day: `restingHr 48, hrv 66.5`; `2 items, waterMl 500`. */
function valuesText(body: JsonObject): string {
  return Object.entries(body)
    .filter(([name]) => name !== 'date' && name !== 'rawJson')
    .map(([name, value]) =>
      Array.isArray(value) ? plural(value.length, 'item') : `${name} ${show(value)}`,
    )
    .join(', ');
}

function requestLines({ method, url, body }: RecordRequest): Text[] {
  return [`  ${method} ${url}`, indentedJson(body)];
}

export function indentedJson(body: unknown): Text {
  return linesOf(toJson(body, { indent: 2 }).replace(/^/gm, '  '));
}

export function pushSummaryText(kind: RecordKind, { counts }: Tally): Text {
  if (counts.total === 0) return `No ${kind} records found.`;
  const noted = counts.warnings > 0 ? ` ${plural(counts.warnings, 'note')} above.` : '';
  return phrase`${kind}: ${joinTexts(countsText(counts), ', ')}.${noted}`;
}

/** Warns once per run if the zone may not be the athlete's. */
export function warnOfZone(
  { warn }: AppContext,
  config: Config,
  {
    zone: { name, from },
    earlierZones = [],
    daysLeft = [],
  }: Pick<ReadZones, 'zone'> & Partial<Pick<ReadZones, 'earlierZones' | 'daysLeft'>>,
  zoneUsed: boolean,
): void {
  const [earlier] = earlierZones;
  const [left] = daysLeft;
  if (left !== undefined) {
    warn(
      phrase`In ${name}, some times are on another day than in the zone before. What was sent for ${daysLeft.join(', ')} stays there. To move food, type ${sync('undo', 'nutrition', left)} and push again with --force; wellness cannot be removed from the platform.`,
    );
  }
  if (earlier !== undefined) {
    warn(
      phrase`Times that were read before are read in ${earlierZones.join(', ')}, as then, although this machine is in ${name}: ${sync('config', 'set', 'timezone', name)} reads all of them in ${name}.`,
    );
  } else if (zoneUsed && from === 'machine' && isUtc(name)) {
    warn(
      phrase`Days are counted in ${name}, this machine's zone: ${sync('config', 'set', 'timezone', zoneToType(config))} if you live elsewhere.`,
    );
  }
}
