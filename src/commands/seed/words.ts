import { join } from 'node:path';
import { type ActivityView, activityJson, activityText } from '../../app/words/activities.ts';
import { type Tally, countsText, outcomesJson, sumOf } from '../../app/outcomes.ts';
import { pushItemJson, pushItemText } from '../../app/words/days.ts';
import { METRICS, profileRequestLines } from '../../app/profile-update.ts';
import { undoneJson, uploadItemJson, uploadItemText } from '../../app/words/uploads.ts';
import { groupBy } from '../../base/group-by.ts';
import { type Text, joinTexts, phrase, sync } from '../../base/phrase.ts';
import { plural } from '../../terminal/words.ts';
import type { SeedFiles } from './files.ts';
import type { SeedItem } from './fill.ts';
import { type ProfileItem, isExpected } from './profile.ts';
import type { RemovalItem, RemovalReport } from './remove.ts';

/** What `sync seed` says, for people and as JSON. */

/** What one account got, from the first to the last day. */
interface SeedReport {
  readonly from: string;
  readonly until: string;
  readonly recordings: Tally;
  readonly records: Tally;
}

export function seedItemJson(item: SeedItem): Record<string, unknown> {
  return 'path' in item ? uploadItemJson(item) : pushItemJson(item);
}

/** Outcomes that are only counted: a seed has hundreds of them. */
const QUIET: readonly SeedItem['outcome'][] = ['uploaded', 'duplicate', 'pushed', 'skipped'];

/** Returns the text of an item; undefined if it is only counted. */
export function seedItemText(item: SeedItem, view: ActivityView): Text | undefined {
  if (QUIET.includes(item.outcome)) return undefined;
  return 'path' in item ? uploadItemText(item, view) : pushItemText(item, view.zone);
}

export function seedSummaryJson(report: SeedReport): Record<string, unknown> {
  const { from, until, recordings, records } = report;
  const found = Object.entries(outcomesJson(recordings, records)).filter(([, count]) => count > 0);
  return {
    type: 'summary',
    from,
    until,
    recordings: recordings.counts.total,
    records: records.counts.total,
    ...Object.fromEntries(found),
  };
}

export function seedSummaryText(report: SeedReport): Text {
  const { from, until, recordings, records } = report;
  const counted = countsText(sumOf([recordings, records]));
  const files = plural(recordings.counts.total, 'recording');
  const total = `${files}, ${plural(records.counts.total, 'record')}`;
  return phrase`${from} to ${until}: ${total}; ${joinTexts(counted, ', ')}.`;
}

export function filesText({ dir, recordings, days }: SeedFiles): string {
  return `${dir}: ${plural(recordings, 'recording')}, wellness.json and nutrition.json of ${plural(days, 'day')}.`;
}

export function filesHint({ dir }: SeedFiles): Text {
  return phrase`Send them with ${sync('upload', dir)}, ${sync('push', 'wellness', join(dir, 'wellness.json'))} and ${sync('push', 'nutrition', join(dir, 'nutrition.json'))}.`;
}

/** Returns the text of a profile; undefined if there is nothing to say, or nothing but failures for now. */
export function profileItemText(item: ProfileItem): Text | undefined {
  if (item.outcome === 'would-update') {
    const lines = profileRequestLines(item.requests);
    return joinTexts(['profile: would be set, where it differs', ...lines]);
  }
  const amount = (field: keyof typeof METRICS, value: number | null | undefined) =>
    typeof value === 'number' ? `${value} ${METRICS[field].unit}` : 'none';
  const set = item.set.map((field) => {
    const before = amount(field, item.before?.[field]);
    return `${METRICS[field].noun} ${amount(field, item[field])} (before: ${before})`;
  });
  // Fields often fail for one reason.
  const reasons = groupBy(item.unset.filter(isExpected), ({ message }) => message);
  const unset = [...reasons].map(([message, failures]) => {
    const fields = failures.map(({ field }) => METRICS[field].noun).join(' and ');
    return phrase`${fields} not set. ${message} ${failures[0]?.hint ?? ''}`;
  });
  if (set.length === 0 && unset.length === 0) return undefined;
  return phrase`profile: ${joinTexts([...(set.length === 0 ? [] : [set.join(', ')]), ...unset], '; ')}`;
}

export function removalItemJson(item: RemovalItem): Record<string, unknown> {
  if ('outcome' in item) return pushItemJson(item);
  if ('removed' in item) {
    const { removed, workoutId } = item;
    return undoneJson(removed, {
      outcome: workoutId === undefined ? 'would-undo' : 'undone',
      workoutId,
    });
  }
  if (item.kind === 'wellness') return { type: 'leftover', ...item };
  const activity = activityJson(item.activity);
  return { type: 'leftover', ...item, activity };
}

/** Words for a day of nutrition, as in `sync undo nutrition`. */
const REMOVED = { pushed: 'removed', conflict: 'not all removed', failed: 'not removed' };

/** Returns the text of an item; undefined if it is only counted. */
export function removalItemText(item: RemovalItem, view: ActivityView): Text | undefined {
  if ('outcome' in item) {
    return item.outcome === 'pushed' ? undefined : pushItemText(item, view.zone, REMOVED);
  }
  if ('removed' in item || item.kind === 'wellness') return undefined;
  return `${activityText(item.activity, item.path, view)}  stays`;
}

/** Words for days of nutrition by their outcome. */
const REMOVAL_WORDS = [
  ['pushed', 'removed'],
  ['would-push', 'would be removed'],
  ['rejected', 'not removed: the platform refused it'],
  ['conflict', 'to be corrected in the platform'],
  ['failed', 'not removed yet'],
] as const;

export function removalSummaryJson(report: RemovalReport): Record<string, unknown> {
  const { from, until, left, recordings, nutrition } = report;
  const counted = ['skipped', 'rejected', 'conflict', 'failed', 'would-push'] as const;
  const found = counted.map((outcome) => [outcome, nutrition[outcome]] as const);
  return {
    type: 'summary',
    from,
    until,
    removed: nutrition.pushed,
    recordings,
    left,
    ...Object.fromEntries(found.filter(([, count]) => count > 0)),
  };
}

export function removalSummaryText(report: RemovalReport): Text {
  const { from, until, left, recordings, dryRun, nutrition } = report;
  const some = (count: number, text: (count: number) => string) => (count > 0 ? [text(count)] : []);
  const fate = dryRun ? 'would be removed, if the platform offers it' : 'removed';
  const done = [
    ...some(recordings, (count) => `${plural(count, 'recording')} ${fate}`),
    ...REMOVAL_WORDS.flatMap(([outcome, words]) =>
      some(nutrition[outcome], (count) => `nutrition of ${plural(count, 'day')} ${words}`),
    ),
  ];
  const stays = [
    ...some(left.recording, (count) => plural(count, 'recording')),
    ...some(left.wellness, (count) => `wellness of ${plural(count, 'day')}`),
  ];
  if (done.length === 0 && stays.length === 0) {
    return phrase`${from} to ${until}: nothing that this seed sent is recorded on this machine. If another machine sent it, run ${sync('seed')} with the same arguments first: it recognises what is there.`;
  }
  const sentences = [
    ...some(done.length, () => `${done.join(', ')}.`),
    ...some(
      stays.length,
      () =>
        `The platform keeps ${stays.join(' and ')}, and does not delete that for applications: delete it on its pages.`,
    ),
    'Weight and FTP stay as they are.',
  ];
  return phrase`${from} to ${until}: ${joinTexts(sentences, ' ')}`;
}
