import type { SeedFiles, SeedItem, SeedSummary } from '../commands/seed.ts';
import type { ExitCode } from '../base/errors.ts';
import { pushItemReport, pushItemText } from './push.ts';
import { uploadItemJson, uploadItemText } from '../commands/upload.ts';
import { plural } from '../terminal/words.ts';

/** Outcomes that need no telling one by one: a seed is a matter of hundreds. */
const QUIET: readonly SeedItem['outcome'][] = ['uploaded', 'duplicate', 'pushed', 'skipped'];

export function seedItemReport(
  item: SeedItem,
  account: string | undefined,
): Record<string, unknown> {
  const report = 'path' in item ? uploadItemJson(item) : pushItemReport(item);
  return account === undefined ? report : { account, ...report };
}

export function seedItemText(item: SeedItem, account: string | undefined): string | undefined {
  if (QUIET.includes(item.outcome)) return undefined;
  const text = 'path' in item ? uploadItemText(item) : pushItemText(item, '');
  return text === undefined || account === undefined ? text : `${account}: ${text}`;
}

export function seedSummaryReport(
  { outcomes, ...summary }: SeedSummary,
  account: string | undefined,
): Record<string, unknown> {
  const named = account === undefined ? {} : { account };
  return { type: 'summary', ...named, ...summary, ...outcomes };
}

export function seedSummaryText(summary: SeedSummary, account: string | undefined): string {
  const { from, until, recordings, records, outcomes } = summary;
  const told = Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`);
  const who = account === undefined ? '' : `${account}: `;
  return `${who}${from} to ${until}: ${plural(recordings, 'recording')}, ${plural(records, 'record')}; ${told.join(', ')}.`;
}

export function seedAccountsReport(codes: readonly ExitCode[]): Record<string, unknown> {
  const good = codes.filter((code) => code === 0).length;
  return {
    type: 'summary',
    accounts: codes.length,
    complete: good,
    incomplete: codes.length - good,
  };
}

export function seedAccountsText(codes: readonly ExitCode[]): string {
  const good = codes.filter((code) => code === 0).length;
  return `${good} of ${plural(codes.length, 'account')} complete.`;
}

export function seedFilesText({ dir, recordings, days }: SeedFiles): string {
  return `${dir}: ${plural(recordings, 'recording')}, and ${plural(days, 'day')} in wellness.json and nutrition.json.`;
}

export function seedFilesHint({ dir }: SeedFiles): string {
  return `Send them with \`sync upload ${dir}\`, \`sync push wellness ${dir}/wellness.json\` and \`sync push nutrition ${dir}/nutrition.json\`.`;
}
