import { type Text, phrase, sync } from '../../base/phrase.ts';
import type { InvalidReason } from '../../upload/report.ts';

/**
 * Returns the command that may help with a file that cannot be uploaded; undefined if there is none, as
 * for an archive and its members.
 *
 * @param wellness there is wellness in the FIT file
 */
export function invalidHint(
  path: string,
  reason: InvalidReason,
  wellness = false,
): Text | undefined {
  if (/\.zip(?:[/\\]|$)/i.test(path)) return undefined;
  switch (reason) {
    case 'incomplete':
    case 'corrupt':
      return /\.(?:gz|gpx|tcx)$/i.test(path)
        ? undefined
        : phrase`If it stays like this, ${sync('repair', path)} saves what can be read.`;
    case 'not-fit':
      return recordsHint(path);
    case 'not-an-activity':
      return wellness ? phrase`${sync('push', 'wellness', path)} sends its wellness.` : undefined;
    case 'unreadable':
      return undefined;
  }
}

function recordsHint(path: string): Text | undefined {
  if (!/\.(?:json|ndjson|jsonl|csv|tsv|xml)(?:\.gz)?$/i.test(path)) return undefined;
  const kind = /wellness|nutrition/i.exec(path.split(/[/\\]/).at(-1) ?? '')?.[0].toLowerCase();
  return kind === undefined
    ? phrase`If it is an export, ${sync('import', path)} shows what can be sent, and sends it.`
    : phrase`${sync('push', kind, path)} sends it.`;
}
