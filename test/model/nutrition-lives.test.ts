import { expect, it } from 'vitest';
import { stream } from '../../src/seed/random.ts';
import { live } from './nutrition-life.ts';

/** `npm run torture -- --kind hands` lives more of them. */
const LIVES = 20;
const STEPS = 20;

/**
 * Lives by seed and number. The last two found a copy beside an athlete's edit, and that an item came back after an
 * update of the platform.
 */
const CHOSEN = [
  ...Array.from({ length: LIVES }, (_, number) => [28, number] as const),
  [28, 29] as const,
  [909, 261] as const,
];

it('nothing of an athlete with many hands is lost, doubled, erased or untruly reported', async () => {
  const found: string[] = [];
  for (const [seed, number] of CHOSEN) {
    const { platform, findings, story } = await live(stream(seed, 'hands', number), number, STEPS);
    for (const { kind, what } of findings) {
      found.push([`${platform}, life ${number}: ${kind}: ${what}`, ...story].join('\n  '));
    }
  }
  expect(found.join('\n')).toBe('');
}, 300_000);
