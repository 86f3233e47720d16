import { expect, it } from 'vitest';
import { stream } from '../../src/seed/random.ts';
import { live } from './nutrition-life.ts';

/** `npm run torture -- --kind hands` lives more of them. */
const LIVES = 50;
const STEPS = 20;

it('nothing of an athlete with many hands is lost, doubled, erased or untruly reported', async () => {
  const found: string[] = [];
  for (let number = 0; number < LIVES; number++) {
    const { platform, findings, story } = await live(stream(28, 'hands', number), number, STEPS);
    for (const { kind, what } of findings) {
      found.push([`${platform}, life ${number}: ${kind}: ${what}`, ...story].join('\n  '));
    }
  }
  expect(found.join('\n')).toBe('');
}, 300_000);
