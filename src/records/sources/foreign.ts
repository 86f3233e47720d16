import { documentUrl } from '../../base/documents.ts';
import { phrase } from '../../base/phrase.ts';
import { WELLNESS_FIELDS } from '../fields.ts';
import { Names, plain } from '../names.ts';

/**
 * Tells a wellness diary from other files that have a date and a name such as `weight`: logs of lifted
 * weights, parcels, goods, prices. `push`, `import` and folders follow this rule.
 */

/** Names in the platform's answers, and of columns that any diary may have, as `plain` writes them. */
const NEUTRAL =
  /^(?:id|userid|tsb|custommetrics|(?:created|updated)at|source|(?:local|calendar)?date|(?:week)?day|week|month|year|time(?:zone)?|notes?|comments?|weather)$/;

/** Words in names that no diary has, or that tell a unit which is not read. */
const FOREIGN =
  /(?<!\p{L})(?:exercises?|workout|lift|reps?|sets?|units?|price|cost|currency|close|ticker|qty|quantity|sku|stock|item|product|invoice|customer|supplier|parcel|shipment|carrier|tracking|recipient|postage)(?!\p{L})/iu;

/** What to type for a table that is perhaps no diary. */
export const NAME_SOURCE = phrase`If its values are yours, add --source table. Otherwise describe the file for --map: ${documentUrl('sources.md')}`;

const names = new Names(WELLNESS_FIELDS);

/** Checks for the name of a field or a neutral one. */
export function isOwnName(name: string): boolean {
  return NEUTRAL.test(plain(name)) || names.find(name) !== undefined;
}

/**
 * Returns the names that contradict a diary: those with a foreign word, or all if they are as many as the
 * columns that are fields.
 */
export function foreignNames(unread: readonly string[], fields = Infinity): readonly string[] {
  const others = unread.filter((name) => !NEUTRAL.test(plain(name)));
  const foreign = others.filter((name) =>
    FOREIGN.test(name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')),
  );
  return foreign.length > 0 || others.length < fields ? foreign : others;
}
