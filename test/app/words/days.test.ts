import { expect, it } from 'vitest';
import { type PushItem, Tally } from '../../../src/app/outcomes.ts';
import { pushSummaryText } from '../../../src/app/words/days.ts';
import { renderText } from '../../../src/base/phrase.ts';

const DAY = {
  kind: 'nutrition',
  date: '2026-05-17',
  sources: ['meals.json'],
  warnings: [],
  zoneUsed: false,
} as const;
const PUSHED: PushItem = { ...DAY, outcome: 'pushed', attempts: 1 };
const FAILED: PushItem = { ...DAY, outcome: 'failed', code: 'NETWORK', message: 'No.' };
const CONFLICT: PushItem = {
  ...DAY,
  outcome: 'conflict',
  stored: [],
  intended: [],
  message: 'No.',
  hint: 'Look.',
  attempts: 1,
};

function tallyOf(items: readonly PushItem[]): Tally {
  const tally = new Tally('day');
  for (const item of items) tally.add(item);
  return tally;
}

it.each([
  [[PUSHED, FAILED, FAILED], 'nutrition: 1 sent, 2 not sent.'],
  [[PUSHED, CONFLICT], 'nutrition: 1 sent, 1 to be corrected in the platform.'],
])('the summary of a push names each outcome that there is: %#', (items, text) => {
  expect(renderText(pushSummaryText('nutrition', tallyOf(items)), undefined)).toBe(text);
});
