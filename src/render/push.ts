import type { PushItem, PushSummary } from '../commands/push.ts';
import type { RecordRequest } from '../records/deliver.ts';
import type { RecordKind } from '../records/types.ts';
import { oneLine, plural } from '../terminal/words.ts';

/**
 * A day, or an unusable record, for programs. `source` is the first of its `sources`; the `zone` is
 * named where it mattered.
 */
export function pushItemReport(item: PushItem, zone?: string): Record<string, unknown> {
  if (item.outcome === 'invalid') {
    const { kind, ...rest } = item;
    if (!('hint' in rest)) return { type: kind, ...rest };
    const { source, ...whole } = rest;
    const { problem } = rest.problems[0];
    return { type: kind, source, reason: 'unreadable', problem, ...whole };
  }
  const { kind: type, date, outcome, sources, ...rest } = item;
  const where = item.zoneUsed && zone !== undefined ? { zone } : {};
  return { type, date, outcome, source: sources[0], sources, ...rest, ...where };
}

export function pushSummaryReport(summary: PushSummary): Record<string, unknown> {
  const { 'would-push': wouldPush, unclear, ...counts } = summary;
  return {
    type: 'summary',
    ...counts,
    ...(unclear > 0 ? { unclear } : {}),
    ...(wouldPush > 0 ? { 'would-push': wouldPush } : {}),
  };
}

/**
 * The text of each day for people. What keeps many days from being sent (no login, no connection) is
 * told with the first of them; the others are only named.
 */
export function pushItemTexts(zone: string): (item: PushItem) => string | undefined {
  const told = new Set<string>();
  return (item) => {
    if (item.outcome !== 'failed') return pushItemText(item, zone);
    if (told.has(item.message)) return `${item.date}: not sent.`;
    told.add(item.message);
    return pushItemText(item, zone);
  };
}

/** A day for people; nothing for what needs no telling one by one. */
export function pushItemText(item: PushItem, zone: string): string | undefined {
  if (item.outcome === 'invalid') {
    const problems = item.problems.map(({ field, problem }) =>
      field === undefined ? problem : `${field}: ${problem}`,
    );
    // What is wrong with a whole input is a sentence with its name in it.
    if ('hint' in item) return oneLine(`${problems.join('; ')} ${item.hint}`);
    return oneLine(`${item.source}: not sent. ${problems.join('; ')}`);
  }
  const notes = item.warnings.map(
    ({ source, field, message }) =>
      `  note: ${oneLine([source, field, message].filter(Boolean).join(': '))}`,
  );
  const where = item.zoneUsed ? ` (dates in ${zone})` : '';
  switch (item.outcome) {
    case 'pushed':
      return [`${item.date}: sent${where}`, ...notes].join('\n');
    case 'skipped':
      return notes.length === 0 ? undefined : [`${item.date}: unchanged`, ...notes].join('\n');
    case 'rejected': {
      const hint = item.hint === undefined ? '' : ` ${item.hint}`;
      return [
        `${item.date}: refused by the service: ${oneLine(item.message)}${hint}`,
        ...notes,
      ].join('\n');
    }
    case 'conflict':
      return [
        `${item.date}: not all sent. ${oneLine(`${item.message} ${item.hint}`)}`,
        ...notes,
      ].join('\n');
    case 'failed':
      return [
        `${item.date}: ${item.code === 'FATE_UNKNOWN' ? 'unclear' : 'not sent'}. ${item.message}${item.hint === undefined ? '' : ` ${item.hint}`}`,
        ...notes,
      ].join('\n');
    case 'would-push': {
      const shown = (request: RecordRequest) => [
        `  ${request.method} ${request.url}`,
        ...(request.body === undefined
          ? []
          : [`  ${JSON.stringify(request.body, null, 2).replaceAll('\n', '\n  ')}`]),
      ];
      const { first, removals = [], request } = item;
      return [
        `${item.date}: would be sent${where}`,
        ...(first === undefined
          ? shown(request)
          : [
              '  to learn what the day holds:',
              ...shown(first),
              ...(removals.length === 0
                ? []
                : ['  then, if the service offers it:', ...removals.flatMap(shown)]),
              '  then, without the items that it holds already:',
              ...shown(request),
            ]),
        ...notes,
      ].join('\n');
    }
  }
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
    [summary.unclear, 'unclear; look at the platform first'],
    [summary.failed - summary.unclear, 'not delivered; the same command again continues'],
  ] as const;
  const told = parts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
  const noted = summary.warnings > 0 ? ` ${plural(summary.warnings, 'note')} above.` : '';
  return `${kind}: ${told.join(', ')}.${noted}`;
}
