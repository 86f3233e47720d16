import type { RecordItem } from '../records/deliver.ts';
import { pushItemText } from './push.ts';

export function undoText(item: RecordItem): string | undefined {
  if (item.outcome === 'skipped') return `${item.date}: nothing on it was sent from here.`;
  const text = pushItemText(item, '');
  return text
    ?.replace(`${item.date}: sent`, `${item.date}: what was sent from here is removed`)
    .replace(`${item.date}: not all sent`, `${item.date}: not all removed`);
}
