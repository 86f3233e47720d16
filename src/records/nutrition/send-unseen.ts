import type { DayOutcome, DayState } from './day-state.ts';
import type { Outdated } from './day-match.ts';
import { sameJson } from '../digest.ts';
import { instantOf, itemIdentity, sameInput } from './items.ts';
import { KeyIndex } from './key-index.ts';
import { outgoing } from './service.ts';

/**
 * Sends a day to a service that shows no items in its answers. The whole day is sent, as the interface
 * says. If the user's setting is `append`, only items are sent that the ledger does not know.
 */
export async function sendUnseen(day: DayState): Promise<DayOutcome> {
  const { service, ledger } = day.target;
  const { date } = day.record;
  const { items, fields } = outgoing(day.content);
  const left = new Set(day.stored.items);
  const byInstant = new KeyIndex(left, ({ body }) => instantOf(body));
  const known = new Set(
    items.filter(({ body }) => {
      if (left.size === 0) return false;
      const found = byInstant.first(instantOf(body), (item) => sameInput(item.body, body));
      return found !== undefined && left.delete(found);
    }),
  );
  const appends = service.kind === 'append';
  const stale = appends
    ? [...left].map((item): Outdated => {
        const next = items.find(({ body }) => itemIdentity(item.body) === itemIdentity(body));
        return { shown: { body: item.body }, ...(next === undefined ? {} : { next }) };
      })
    : [];
  const held = new Set(stale.map(({ next }) => next));
  const news = appends ? items.filter((item) => !known.has(item) && !held.has(item)) : items;
  const fieldsWait = !sameJson(fields, day.stored.fields);
  const conflicts = { stuck: stale, foreign: [], extra: [] };
  const after = [...(appends ? known : []), ...news, ...(appends ? left : [])];
  if (appends && news.length === 0 && !fieldsWait) return day.finish(after, conflicts);
  if (news.length > 0) ledger.nutrition.markUnclear(date);
  const repeatable = news.length > 0 ? 'unless-acted-on' : 'always';
  const posted = await day.post({ items: news, fields }, repeatable);
  switch (posted.kind) {
    case 'taken':
      return day.finish(after, conflicts);
    case 'rejected':
      day.restore();
      return day.rejected(posted);
    case 'failed':
      day.restore();
      return day.unsettled(posted.failure);
    case 'unclear':
      return day.unclear(news);
  }
}
