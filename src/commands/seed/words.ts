import { type ActivityView, activityJson, activityText } from '../../app/words/activities.ts';
import { pushItemJson, pushItemText } from '../../app/words/days.ts';
import { profileRequestLines } from '../../app/profile-update.ts';
import { uploadItemJson, uploadItemText } from '../../app/words/uploads.ts';
import { type Text, joinTexts, phrase, sync } from '../../base/phrase.ts';
import type { RecordItem } from '../../records/deliver.ts';
import { plural } from '../../terminal/words.ts';
import type { SeedFiles } from './files.ts';
import type { SeedItem, SeedSummary } from './fill.ts';
import { PROFILE_WORDS, type ProfileItem, isExpected } from './profile.ts';
import type { Leftover, RemovalSummary } from './remove.ts';

/** What `sync seed` says, for people and as JSON. With `--accounts`, each line begins with the account. */

export function prefix(account: string | undefined): string {
  return account === undefined ? '' : `${account}: `;
}

function named(account: string | undefined): { readonly account?: string } {
  return account === undefined ? {} : { account };
}

export function seedItemJson(item: SeedItem, account: string | undefined): Record<string, unknown> {
  return { ...named(account), ...('path' in item ? uploadItemJson(item) : pushItemJson(item)) };
}

/** Outcomes that are only counted: a seed has hundreds of them. */
const QUIET: readonly SeedItem['outcome'][] = ['uploaded', 'duplicate', 'pushed', 'skipped'];

/** Returns the text of an item; undefined if it is only counted. */
export function seedItemText(
  item: SeedItem,
  view: ActivityView,
  account: string | undefined,
): Text | undefined {
  if (QUIET.includes(item.outcome) || isBroken(item)) return undefined;
  const text = 'path' in item ? uploadItemText(item, view) : pushItemText(item, view.zone);
  return text === undefined ? undefined : phrase`${prefix(account)}${text}`;
}

/** Checks that a recording was not sent because it is broken on purpose. */
export function isBroken(item: SeedItem): boolean {
  return item.outcome === 'invalid' && 'fault' in item && item.fault === 'broken';
}

export function seedSummaryJson(
  { outcomes, broken, ...summary }: SeedSummary,
  account: string | undefined,
): Record<string, unknown> {
  const faults = broken === 0 ? {} : { broken };
  return { type: 'summary', ...named(account), ...summary, ...outcomes, ...faults };
}

/** Words for what happened to recordings and records. */
const OUTCOME_WORDS: Readonly<Record<SeedItem['outcome'], string>> = {
  uploaded: 'sent',
  pushed: 'sent',
  'would-upload': 'would be sent',
  'would-push': 'would be sent',
  duplicate: 'already at the service',
  skipped: 'sent before',
  invalid: 'not usable',
  rejected: 'refused',
  conflict: 'to be corrected in the platform',
  failed: 'not sent',
};

export function seedSummaryText(summary: SeedSummary, account: string | undefined): string {
  const { from, until, recordings, records, broken, outcomes } = summary;
  const counts = new Map<string, number>();
  for (const [outcome, count] of Object.entries(outcomes)) {
    const words = OUTCOME_WORDS[outcome as SeedItem['outcome']];
    const meant = outcome === 'invalid' ? count - broken : count;
    if (meant > 0) counts.set(words, (counts.get(words) ?? 0) + meant);
  }
  if (broken > 0) counts.set('broken on purpose, not sent', broken);
  const counted = [...counts].map(([words, count]) => `${count} ${words}`);
  return `${prefix(account)}${from} to ${until}: ${plural(recordings, 'recording')}, ${plural(records, 'record')}; ${counted.join(', ')}.`;
}

export function filesText({ dir, recordings, days }: SeedFiles): string {
  return `${dir}: ${plural(recordings, 'recording')}, and ${plural(days, 'day')} in wellness.json and nutrition.json.`;
}

export function filesHint({ dir }: SeedFiles): Text {
  return phrase`Send them with ${sync('upload', dir)}, ${sync('push', 'wellness', `${dir}/wellness.json`)} and ${sync('push', 'nutrition', `${dir}/nutrition.json`)}.`;
}

export function profileItemJson(
  item: ProfileItem,
  account: string | undefined,
): Record<string, unknown> {
  return { type: 'seed-profile', ...named(account), ...item };
}

/** Returns the text of a profile; undefined if there is nothing to say, or nothing but failures for now. */
export function profileItemText(item: ProfileItem, account: string | undefined): Text | undefined {
  const head = `${prefix(account)}profile:`;
  if (item.outcome === 'would-update') {
    const lines = profileRequestLines(item.requests);
    return joinTexts([`${head} would be set, where it differs`, ...lines], '\n');
  }
  const amount = (field: keyof typeof PROFILE_WORDS, value: number | null | undefined) =>
    typeof value === 'number' ? `${value} ${PROFILE_WORDS[field].unit}` : 'none';
  const set = item.set.map((field) => {
    const before = amount(field, item.before?.[field]);
    return `${PROFILE_WORDS[field].noun} ${amount(field, item[field])} (before: ${before})`;
  });
  // Fields often fail for one reason.
  const reasons = new Map<string, typeof item.unset>();
  for (const failure of item.unset.filter(isExpected)) {
    reasons.set(failure.message, [...(reasons.get(failure.message) ?? []), failure]);
  }
  const unset = [...reasons].map(([message, failures]) => {
    const fields = failures.map(({ field }) => PROFILE_WORDS[field].noun).join(' and ');
    return phrase`${fields} not set. ${message} ${failures[0]?.hint ?? ''}`;
  });
  if (set.length === 0 && unset.length === 0) return undefined;
  return phrase`${head} ${joinTexts([...(set.length === 0 ? [] : [set.join(', ')]), ...unset], '; ')}`;
}

export function removalItemJson(
  item: Leftover | RecordItem,
  account: string | undefined,
): Record<string, unknown> {
  if ('outcome' in item) return { ...named(account), ...pushItemJson(item) };
  if (item.kind === 'wellness') return { type: 'leftover', ...named(account), ...item };
  const { activity, ...rest } = item;
  const json = activityJson(activity);
  return { type: 'leftover', ...named(account), ...rest, ...(json && { activity: json }) };
}

/** Words for a day of nutrition, as in `sync undo nutrition`. */
const REMOVED = { pushed: 'removed', conflict: 'not all removed' };

/** Returns the text of an item; undefined if it is only counted. */
export function removalItemText(
  item: Leftover | RecordItem,
  view: ActivityView,
  account: string | undefined,
): Text | undefined {
  if ('outcome' in item) {
    if (item.outcome === 'pushed') return undefined;
    const text = pushItemText(item, view.zone, REMOVED);
    return text === undefined ? undefined : phrase`${prefix(account)}${text}`;
  }
  if (item.kind === 'wellness') return undefined;
  return `${prefix(account)}${activityText(item.activity, item.path, view)}  stays`;
}

export function removalSummaryJson(
  { left, outcomes, ...summary }: RemovalSummary,
  account: string | undefined,
): Record<string, unknown> {
  return { type: 'summary', ...named(account), ...summary, left, ...outcomes };
}

/** Words for days of nutrition that were not removed. */
const NOT_REMOVED: Readonly<Partial<Record<RecordItem['outcome'], string>>> = {
  'would-push': 'would be removed',
  rejected: 'not removed: the service refused it',
  conflict: 'to be corrected in the platform',
  failed: 'not removed yet',
};

export function removalSummaryText(
  { from, until, removed, left, outcomes }: RemovalSummary,
  account: string | undefined,
): Text {
  const head = `${prefix(account)}${from} to ${until}:`;
  const others = Object.entries(outcomes).flatMap(([outcome, count]) => {
    const words = NOT_REMOVED[outcome as RecordItem['outcome']];
    return words === undefined ? [] : [[count, words] as const];
  });
  const nutrition = [[removed, 'removed'] as const, ...others]
    .filter(([count]) => count > 0)
    .map(([count, words]) => `nutrition of ${plural(count, 'day')} ${words}`);
  const stays = [
    ...(left.recording === 0 ? [] : [plural(left.recording, 'recording')]),
    ...(left.wellness === 0 ? [] : [`wellness of ${plural(left.wellness, 'day')}`]),
  ];
  if (nutrition.length === 0 && stays.length === 0) {
    return phrase`${head} nothing that this seed sent is recorded on this machine. If another machine sent it, run ${sync('seed')} with the same arguments first: it recognises what is there.`;
  }
  const sentences: Text[] = [];
  if (nutrition.length > 0) sentences.push(`${nutrition.join(', ')}.`);
  if (stays.length > 0) {
    sentences.push(
      `${stays.join(' and ')} ${left.recording + left.wellness === 1 ? 'stays' : 'stay'}: the service offers no way to delete them. Delete them in the platform.`,
    );
  }
  sentences.push(
    phrase`Weight and FTP stay as they are: ${sync('profile', '--weight', 'KG', '--ftp', 'WATTS')} sets others.`,
  );
  return phrase`${head} ${joinTexts(sentences, ' ')}`;
}
