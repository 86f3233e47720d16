import { type Text, joinTexts, phrase, sync } from '../../base/phrase.ts';
import type { PlatformKind } from '../../config/settings.ts';
import type { DayItem } from '../../ledger/nutrition.ts';
import { UNDONE_NOTE } from '../notes.ts';
import type { JsonObject, PreparedRecord, Warning } from '../types.ts';
import { itemText } from './items.ts';

/** What a push of nutrition says to people. */

type About = Pick<PreparedRecord, 'sources'>;
type Items = readonly { readonly body: JsonObject }[];

/** What is said about items of a day, and what the user can do about it. */
const NOTES = {
  edited: ['changed in the platform, so left as it is there', ' (--force overwrites it)'],
  foreign: ['changed in the platform, and not sent from here, so left as it is there', ''],
  kept: ['changed in the platform, so left as it is there', ' (--force removes it)'],
  removed: ['no longer on the platform, so left out', ' (--replace-day sends it again)'],
  beside: ['a version that was not sent from here, so this one is sent beside it', ''],
  again: ["dropped by another computer's request at the same moment, so sent again", ''],
  earlier: ['an earlier version, not from this computer, is replaced', ''],
  unshown: ['the answer does not show it, so look at the day in the platform', ''],
  elsewhere: [
    'sent before on the day before or after, when the time zone was another one, so not sent again',
    '',
  ],
  moved: ['on the day before or after now, so removed here when it is there', ''],
  gone: ['no longer in the input, so removed from the day', ' (--add keeps them)'],
  goneLater: ['no longer in the input, so would be removed from the day', ' (--add keeps them)'],
  undone: UNDONE_NOTE,
  others: ['not sent from here, so left on the day', ''],
} as const;

export type ItemNote = keyof typeof NOTES;

/** A finding of a look. `adapted`: the platform stored other values than were sent. */
export interface News {
  readonly what: ItemNote | 'adapted';
  readonly body: JsonObject;
  /** The item as the platform stored it, if that was adapted. */
  readonly stored?: JsonObject;
}

/** What is said about a whole day. */
const DAY_NOTES = {
  overruled: 'the platform answers as Coach Watts does, so a day is added to, not replaced',
  partialTotals: 'the total of a part of the day is not sent; the platform adds up the items',
  undone: UNDONE_NOTE.join(''),
  unseen:
    'this platform replaces a day and does not show it: what anyone else wrote on it is erased',
} as const;

/** Lists items: the first few, and the number of the others. */
function listOf(items: Items, most = 3): string {
  const shown = items.slice(0, most).map(({ body }) => `"${itemText(body)}"`);
  const more = items.length > most ? [`${items.length - most} more`] : [];
  return [...shown, ...more].join('; ');
}

function note({ sources }: About, message: string, field = 'items'): Warning {
  return { source: sources[0] ?? '', field, message };
}

export function dayNote(about: About, what: keyof typeof DAY_NOTES, field?: string): Warning {
  return note(about, DAY_NOTES[what], field);
}

/** Returns the note about items, if there are any. */
export function itemNotes(about: About, what: ItemNote, items: Items): readonly Warning[] {
  const [text, hint] = NOTES[what];
  return items.length === 0 ? [] : [note(about, `${text}: ${listOf(items)}${hint}`)];
}

/** Returns the notes about what a look at a day found. */
export function newsNotes(about: About, news: readonly News[]): readonly Warning[] {
  const kinds = Object.keys(NOTES) as ItemNote[];
  const of = (kind: ItemNote) => news.filter(({ what }) => what === kind);
  const adapted = news.flatMap(({ body, stored }) =>
    stored === undefined
      ? []
      : [note(about, `the platform changed "${itemText(body)}"; it stored "${itemText(stored)}"`)],
  );
  return [...kinds.flatMap((kind) => itemNotes(about, kind, of(kind))), ...adapted];
}

/** `sync import` sends days, too, and has no such flag. */
const FORCED = sync('push', 'nutrition', 'FILE', '--force');

/** Says why a day is not as the input has it, and what settles that. */
export interface ConflictText {
  readonly message: string;
  readonly hint: Text;
}

/** @param adds an answer has shown that the platform adds to days */
export function unseenText(date: string, adds: boolean): ConflictText {
  const kind = (name: PlatformKind) => sync('config', 'set', 'platform.kind', name);
  return {
    message: `The platform does not show what it holds on ${date}, so nothing was added to it.`,
    hint: adds
      ? phrase`It adds to a day that is sent again: open ${date} in the platform, and delete what is there twice. Then run ${kind('coach-watts')}, so that sync looks at a day before it sends it, and the same command again.`
      : phrase`If it replaces a day that is sent again, run ${kind('interface')}.`,
  };
}

export function unclearText(date: string): string {
  return `The platform answered without showing ${date}, as it does otherwise.`;
}

export function addText(date: string): ConflictText {
  return {
    message: `--add was refused: the platform replaces ${date} and does not show it, and nothing that it holds was sent from here.`,
    hint: phrase`${sync('push', 'nutrition', 'FILE')} replaces the day.`,
  };
}

export function otherTokenText(date: string): ConflictText {
  return {
    message: `Another access token sent ${date} from here, and the platform does not say whose the tokens are. It would replace that day.`,
    hint: phrase`If this is the same athlete, or that day may go, run ${sync('push', 'nutrition', 'FILE', '--replace-day')}. SYNC_ACCOUNT names the athlete of a token.`,
  };
}

export function unstableText(date: string): ConflictText {
  return {
    message: `${date} changed at the platform each time that it was looked at.`,
    hint: 'Wait until no other device sends this day, then run the same command again.',
  };
}

export function conflictText(
  date: string,
  stuck: Items,
  contested: readonly DayItem[],
): ConflictText {
  const said: string[] = [];
  const hints: Text[] = [];
  if (stuck.length > 0) {
    said.push(`The platform holds ${listOf(stuck)}, and offers no way to correct that from here.`);
    hints.push(
      `In the platform, open ${date} and delete ${listOf(stuck, Infinity)}; then run the same command again.`,
    );
  }
  const [theirs, changed] = [true, false].map((is) =>
    contested.filter(({ foreign }) => (foreign === true) === is),
  ) as [DayItem[], DayItem[]];
  if (changed.length > 0) {
    said.push(`Changed in the platform and in the input: ${listOf(changed)}.`);
    hints.push(phrase`To overwrite the platform's version, run ${FORCED}.`);
  }
  if (theirs.length > 0) {
    said.push(`The platform holds another application's version of ${listOf(theirs)}.`);
    hints.push(phrase`To send yours beside it, run ${FORCED}.`);
  }
  return { message: said.join(' '), hint: joinTexts(hints, ' ') };
}
