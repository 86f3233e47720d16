import type { DeviceHealth } from '../daemon/registry.ts';
import { plural } from '../terminal/words.ts';

/** Returns where a device is, or what it was unplugged with, as a sentence. */
export function deviceText({ title, state, root, left = 0 }: Omit<DeviceHealth, 'key'>): string {
  if (state === 'plugged-in') return `${title} is plugged in: ${root ?? ''}`;
  if (left === 0) return `${title} was unplugged.`;
  return `${plural(left, 'recording')} ${left === 1 ? 'is' : 'are'} still on the ${title}: plug it in again.`;
}
