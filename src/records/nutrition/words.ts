import { type CommandLine, type Text, joinTexts, phrase, sync } from '../../base/phrase.ts';
import { itemList } from './day-plan.ts';
import type { Edited, Outdated, ShownItem } from './day-match.ts';
import { itemText } from './items.ts';
import type { SentItem } from '../../ledger/nutrition.ts';
import type { PreparedRecord, Warning } from '../types.ts';

/** What a push of nutrition says to people. */

type About = Pick<PreparedRecord, 'sources'>;

const bodies = (items: readonly SentItem[]) => items.map(({ body }) => body);

function note({ sources }: About, field: string, message: Text): Warning {
  return { source: sources[0] ?? '', field, message };
}

export function goneNote(about: About, gone: readonly SentItem[], dryRun: boolean): Warning {
  const done = dryRun ? 'would be removed' : 'removed';
  return note(
    about,
    'items',
    `no longer in the input, so ${done} from the day: ${itemList(bodies(gone))} (--add keeps them)`,
  );
}

export function editedNote(about: About, items: readonly Edited[]): Warning {
  const there = itemList(items.map(({ shown }) => shown.body));
  return note(
    about,
    'items',
    `changed in the platform, so left as it is there: ${there} (--force overwrites it)`,
  );
}

/** Names the command that has these flags: `sync import` sends days, too. */
export function pushAgain(flag: '--force' | '--assume-arrived'): CommandLine {
  return sync('push', 'nutrition', 'FILE', flag);
}

export function removedNote(about: About, items: readonly SentItem[]): Warning {
  return note(
    about,
    'items',
    `removed in the platform, so left out: ${itemList(bodies(items))} (--replace-day sends it again)`,
  );
}

export function movedNote(about: About, items: readonly SentItem[]): Warning {
  return note(
    about,
    'items',
    `sent before on the day before or after, when the time zone was another one, so not sent again: ${itemList(bodies(items))}`,
  );
}

export function partialTotalsNote(about: About, names: readonly string[]): Warning {
  return note(
    about,
    names.join(', '),
    'the total of a part of the day is not sent; the platform adds up the items',
  );
}

export function emptiesNote(about: About, date: string): Warning {
  return note(
    about,
    'items',
    `this empties ${date}: if the platform replaces days, it also erases what was entered in its app`,
  );
}

/** @param why what keeps a day from being looked at */
export function opaqueNote(about: About, why: 'not-shown' | 'refused'): Warning {
  const found =
    why === 'refused'
      ? 'the service takes no day without items, so what a day holds cannot be learned'
      : 'the service does not show what a day holds';
  return note(
    about,
    'items',
    `${found}; it is taken to replace a day that is sent again, as its interface says`,
  );
}

export function contradictedNote(about: About, setting: string, kind: string): Warning {
  return note(
    about,
    'items',
    joinTexts(
      [
        `nutritionDelivery is "${setting}", but the service's answers show that it ${kind === 'append' ? 'adds to a day' : 'replaces a day'}:`,
        phrase`${sync('config', 'unset', 'nutritionDelivery')} lets sync find out by itself`,
      ],
      ' ',
    ),
  );
}

export function adaptedNote(about: About, item: SentItem, shown: ShownItem): Warning {
  return note(
    about,
    'items',
    `the service changed "${itemText(item.body)}"; it stored "${itemText(shown.body)}"`,
  );
}

export function notShownNote(about: About, items: readonly SentItem[]): Warning {
  return note(
    about,
    'items',
    `the service took the day, but its answer does not show ${itemList(bodies(items))}: look at the day in the platform`,
  );
}

/** Items that the service holds and that cannot be corrected from here. */
export interface Conflicts {
  /** At the service, to go or to be changed, and it offers no way to do so. */
  readonly stuck: readonly Outdated[];
  /** At the service in a version that was not sent from this computer. */
  readonly foreign: readonly Outdated[];
  /** At the service more often than it should be. */
  readonly extra: readonly ShownItem[];
}

export function conflictText(
  date: string,
  { stuck, foreign, extra }: Conflicts,
): { readonly message: string; readonly hint: Text } {
  const shown = (items: readonly Outdated[], most?: number) =>
    itemList(
      items.map((item) => item.shown.body),
      most,
    );
  const said: string[] = [];
  const hints: Text[] = [];
  if (stuck.length > 0) {
    said.push(`The platform holds ${shown(stuck)}, and offers no way to correct that from here.`);
    hints.push(
      `In the platform, open ${date} and delete ${shown(stuck, Infinity)}; then run the same command again.`,
    );
  }
  if (foreign.length > 0) {
    said.push(`The platform holds another version of an item: ${shown(foreign)}.`);
    hints.push(phrase`To replace it, run ${pushAgain('--force')}.`);
  }
  if (extra.length > 0) {
    said.push(
      `The platform holds an item more than once: ${itemList(extra.map(({ body }) => body))}.`,
    );
    hints.push(
      phrase`Another device may have sent ${date} at the same moment. To remove the copies, run ${pushAgain('--force')}.`,
    );
  }
  return { message: said.join(' '), hint: joinTexts(hints, ' ') };
}
