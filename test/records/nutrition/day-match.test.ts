import { expect, test } from 'vitest';
import type { ItemState, SentItem } from '../../../src/ledger/nutrition.ts';
import {
  type CompareOptions,
  type ShownItem,
  compareDay,
} from '../../../src/records/nutrition/day-match.ts';
import type { JsonObject } from '../../../src/records/types.ts';

const OURS = 'oauth:app-1';

/** `gel 25`: a name and grams of carbs, at 10:00. */
function body(text: string): JsonObject {
  const [name = '', carbs] = text.split(' ');
  return { name, carbs: Number(carbs), logged_at: '2026-02-15T10:00:00+01:00' };
}

/** Parses an item of the ledger: `gel 25#1 fresh`, with the ID from the answer and its state. */
function sent(text: string): SentItem {
  const [, what = '', id, state] = /^(\w+ \d+)(?:#(\w+))?(?: (\w+))?$/.exec(text) ?? [];
  return {
    body: body(what),
    inputs: [{ kind: 'file', name: 'a' }],
    ...(id === undefined ? {} : { id }),
    ...(state === undefined ? {} : { state: state as ItemState }),
  };
}

/** An item as a service shows it: `gel 25#1`, from us; `gel 25#1 manual` from another source. */
function shown(text: string): ShownItem {
  const [what = '', rest] = text.split('#');
  const [id = '', source = OURS] = rest?.split(' ') ?? [];
  return { id, source, meal: 'lunch', body: body(what) };
}

const textOf = ({ body: { name, carbs }, id }: Pick<ShownItem, 'id' | 'body'>) =>
  `${name as string} ${carbs as number}${id === undefined ? '' : `#${id}`}`;
const sentText = (item: SentItem) =>
  `${textOf(item)}${item.state === undefined ? '' : ` ${item.state}`}` +
  (item.edited === undefined ? '' : ` edited ${item.edited['carbs'] as number}`);

interface Case extends Partial<CompareOptions> {
  readonly ledger: readonly string[];
  readonly there: readonly string[];
  readonly others?: readonly string[];
}

/** What a comparison found, without what is empty. */
function compare({ ledger, there, others = [], ...options }: Case): Record<string, string[]> {
  const day = { items: ledger.map(sent), others };
  const found = compareDay(day, there.map(shown), {
    ...{ sources: [OURS], force: false, isFirst: true, isSettled: true },
    ...options,
  });
  const { items, surplus, gone, others: left, news } = found;
  const lists = Object.entries({ surplus, others: left, gone });
  const all: [string, string[]][] = lists.map(([name, list]) => [name, list.map(textOf)]);
  for (const what of [
    'edited',
    'kept',
    'removed',
    'unshown',
    'again',
    'earlier',
    'adapted',
  ] as const) {
    const bodies = news.filter((each) => each.what === what);
    all.push([what, bodies.map(({ body: of, stored = of }) => textOf({ body: stored }))]);
  }
  all.push(['items', items.map(sentText)]);
  return Object.fromEntries(all.filter(([, list]) => list.length > 0));
}

test.each<[what: string, day: Case, expected: Record<string, readonly string[]>]>([
  ['a new item is sent', { ledger: ['gel 25 new'], there: [] }, { items: ['gel 25 new'] }],
  [
    'an unanswered item that arrived is not sent again',
    { ledger: ['gel 25 unanswered'], there: ['gel 25#1'] },
    { items: ['gel 25#1 fresh'] },
  ],
  [
    'an item that is there gets its ID',
    { ledger: ['gel 25 new'], there: ['gel 25#1'] },
    { items: ['gel 25#1'] },
  ],
  [
    'an item that the athlete removed stays away',
    { ledger: ['gel 25#1'], there: [] },
    { items: ['gel 25#1 removed'], removed: ['gel 25'] },
  ],
  [
    'an item that the athlete removed is not the other version of another computer',
    { ledger: ['gel 25#1 removed'], there: ['gel 30#2'] },
    { items: ['gel 25#1 removed'], others: ['gel 30#2'] },
  ],
  [
    'a fresh item that is missing was removed, if nobody else has written',
    { ledger: ['gel 25#1 fresh'], there: ['tea 1#9'], others: ['9'] },
    { items: ['gel 25#1 removed'], removed: ['gel 25'], others: ['tea 1#9'] },
  ],
  [
    'a fresh item that is missing beside a new one of another computer is sent again',
    { ledger: ['gel 25#1 fresh'], there: ['tea 1#9'] },
    { items: ['gel 25 unanswered'], again: ['gel 25'], others: ['tea 1#9'] },
  ],
  [
    'a fresh item beside a copy of our other one, from another computer, is sent again',
    { ledger: ['gel 25#1 fresh', 'bar 40#2 fresh'], there: ['bar 40#9'] },
    { items: ['gel 25 unanswered', 'bar 40#9'], again: ['gel 25'] },
  ],
  [
    'an edited item stays as it is there',
    { ledger: ['gel 25#1'], there: ['gel 30#1'] },
    { items: ['gel 25#1 edited 30'], edited: ['gel 30'] },
  ],
  [
    'an edited item is replaced with force',
    { ledger: ['gel 25#1'], there: ['gel 30#1'], force: true },
    { items: ['gel 25 new', 'gel 30#1 dropped'], surplus: ['gel 30#1'] },
  ],
  [
    'a dropped item goes',
    { ledger: ['gel 25#1 dropped'], there: ['gel 25#1'] },
    { items: ['gel 25#1 dropped'], surplus: ['gel 25#1'], gone: ['gel 25#1'] },
  ],
  [
    'a dropped item whose ID is gone takes no equal one of another computer along',
    { ledger: ['gel 25#1 dropped'], there: ['gel 25#2'] },
    { others: ['gel 25#2'] },
  ],
  ...([true, false] as const).map((isSettled): [string, Case, Record<string, string[]>] => [
    `a removed item is known until a later run has looked (settled: ${String(isSettled)})`,
    { ledger: ['gel 25#1 gone'], there: [], isSettled },
    isSettled ? {} : { items: ['gel 25#1 gone'] },
  ]),
  [
    'a removed item that another request brought back goes again, without a word',
    { ledger: ['gel 25#1 gone'], there: ['gel 25#1'] },
    { items: ['gel 25#1 gone'], surplus: ['gel 25#1'] },
  ],
  [
    'a changed item replaces its earlier version',
    { ledger: ['gel 30 new', 'gel 25#1 dropped'], there: ['gel 25#1'] },
    { items: ['gel 25#1 dropped', 'gel 30 new'], surplus: ['gel 25#1'] },
  ],
  [
    'an item that was changed in both places is contested',
    { ledger: ['gel 30 new', 'gel 25#1 dropped'], there: ['gel 40#1'] },
    { items: ['gel 30#1 new edited 40'] },
  ],
  [
    'an item that the athlete edited while its new version was on its way is contested',
    {
      ledger: ['gel 30 unanswered', 'gel 25#1 dropped'],
      ...{ there: ['gel 40#1', 'gel 30#2'], isAnswer: true },
    },
    { items: ['gel 30#1 new edited 40'], surplus: ['gel 30#2'] },
  ],
  [
    'an item that the input drops after the athlete edited it stays',
    { ledger: ['gel 25#1 dropped'], there: ['gel 40#1'] },
    { items: ['gel 25#1 gone edited 40'], kept: ['gel 40'], others: ['gel 40#1'] },
  ],
  [
    'a version that was never sent from here is replaced',
    { ledger: ['gel 25 new'], there: ['gel 30#1'] },
    { items: ['gel 25 new', 'gel 30#1 dropped'], surplus: ['gel 30#1'], earlier: ['gel 30'] },
  ],
  [
    'of copies the one with the smallest ID stays',
    { ledger: ['gel 25#2'], there: ['gel 25#2', 'gel 25#1', 'gel 25#3'] },
    { items: ['gel 25#1'], surplus: ['gel 25#2', 'gel 25#3'] },
  ],
  [
    'two equal items of the input stay two',
    { ledger: ['gel 25 new', 'gel 25 new'], there: ['gel 25#1', 'gel 25#2'] },
    { items: ['gel 25#1', 'gel 25#2'] },
  ],
  [
    'an equal food of another source counts as none',
    { ledger: ['gel 25 new'], there: ['gel 25#1 manual'] },
    { items: ['gel 25 new'] },
  ],
  [
    'an answer that lacks an item that was sent is noted',
    { ledger: ['gel 25 unanswered'], there: [], isAnswer: true },
    { items: ['gel 25 fresh'], unshown: ['gel 25'] },
  ],
  [
    'an answer with other values shows how the platform stored the item',
    { ledger: ['gel 25 unanswered'], there: ['gel 26#1'], isAnswer: true },
    { items: ['gel 25#1 fresh'], adapted: ['gel 26'] },
  ],
])('%s', (_what, day, expected) => {
  expect(compare(day)).toEqual(expected);
});
