import type { DeviceHealth } from '../../daemon/health.ts';
import { isOnMtp } from '../../system/mtp-path.ts';
import { plural } from '../../terminal/words.ts';

/** Describes the state of a device in a sentence: its mount point, or its unsent recordings. */
export function deviceText({
  title,
  state,
  root = '',
  left = 0,
}: Omit<DeviceHealth, 'key'>): string {
  if (state === 'plugged-in') return `${title} is plugged in: ${isOnMtp(root) ? 'MTP' : root}`;
  if (left === 0) return `${title} was unplugged.`;
  return `${plural(left, 'recording')} ${left === 1 ? 'is' : 'are'} still on the ${title}: plug it in again.`;
}
