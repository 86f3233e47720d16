import { documentUrl } from '../../base/version.ts';
import { type Text, phrase } from '../../base/phrase.ts';
import { isDayTotal } from '../fields.ts';
import { WELLNESS_NAMES, plain } from '../names.ts';

/**
 * Tells a wellness diary from other files that have a date and a name such as `weight`: logs of lifted
 * weights, parcels, goods, prices. `push`, `import` and folders follow this rule.
 */

/** Names in the platform's answers, and of columns that any diary may have, as `plain` writes them. */
const NEUTRAL =
  /^(?:id|userid|tsb|custommetrics|(?:created|updated)at|source|(?:local|calendar|measurement)?date(?:time)?|timeofmeasurement|(?:week)?day|week|month|year|time(?:zone)?|notes?|comments?|weather|bmi|height|(?:waist|hips?|chest|neck|thighs?)(?:\(\w+\))?)$/;

/** Words in the names of other values of a body, a night or a diet, which no field reads. */
const OF_ATHLETES =
  /(?<!\p{L})(?:body|height|weight|fat|muscle|bone|lean|visceral|protein|water|metabolic|bmr|whr|trend|target|goal|optimal|ideal|standard|scale|expenditure|calories|kcal|energy|carb(?:s|ohydrates?)|fib(?:er|re)|sugars?|sodium|salt|heart|pulse|hrv?|high|low|sleep|bedtime|wake|naps?|rem|temp(?:erature)?|remarks?|device|no)(?!\p{L})/iu;

/** Words in names that no diary has, or that tell a unit which is not read. */
const FOREIGN =
  /(?<!\p{L})(?:exercises?|workout|lift|reps?|sets?|units?|price|cost|currency|close|ticker|qty|quantity|sku|stock|item|product|invoice|customer|supplier|parcel|shipment|carrier|tracking|recipient|postage|weekly|days.count|end.?date)(?!\p{L})/iu;

/** Returns what to type for a table that is perhaps no diary. */
export function nameSource(source = 'table'): Text {
  return phrase`If its values are yours, add --source ${source}. Otherwise write its values to a file of your own: ${documentUrl('records.md')}`;
}

/** Checks for the name of a field or a neutral one. */
export function isOwnName(name: string): boolean {
  return NEUTRAL.test(plain(name)) || WELLNESS_NAMES.find(name) !== undefined;
}

/** Fields with names that no other log has. */
const SURE: ReadonlySet<string> = new Set([
  ...['restingHr', 'hrv', 'hrvSdnn', 'bodyFat', 'systolic', 'diastolic', 'avgSleepingHr'],
  ...['sleepSecs', 'sleepHours', 'sleepScore', 'sleepDeepSecs', 'sleepRemSecs', 'sleepLightSecs'],
]);

/** Columns that tell rows apart: of persons, goals, or longer times. */
const OF_ROWS =
  /^(?:(?:is|was|has) .*|goals?|targets?|type|kind|period|statistic|label|name|user(?: ?name)?|patient|person|athlete|member|subject|status)$/i;

/** Returns the field that a name in docs/records.md means, also with a unit. */
export function fieldOf(column: string): string | undefined {
  return WELLNESS_NAMES.find(column.replace(/[([,].*/, ''));
}

/** In a table with a time, totals of a day count an hour or a walk; with a week, perhaps the week. */
function hasDayTotal(column: string): boolean {
  return isDayTotal(fieldOf(column) ?? '');
}

/** Foods that sum up others, or are none, by their names. */
const SUM =
  /^(?:(?:grand|dail?y|day|tages|sub|zwischen|breakfast|lunch|dinner|supper|brunch|snacks?|meals?|foods?|calories?|kcal|energy)[ -]?)*(?:(?:sub)?total|totals|sum|summary|average|avg\.?|mean|summe|gesamt(?:summe)?|insgesamt|durchschnitt|moyenne|totaal|gemiddelde|summa|totale|totaux|totales|media|somme|soma|suma|i alt|yhteensä|goal|remaining|left|合計|総計|总计|合计|합계|итого|всего)(?: (?:calories|kcal|kj|energy|food|for the day|du jour|del día|del giorno|do dia))?$/i;

export function isSumName(name: string): boolean {
  return SUM.test(
    name
      .trim()
      .replace(/[:：.]$/, '')
      .trim(),
  );
}

/**
 * Returns the columns of a table that not any diary may have: those that no field reads, and a time or a week
 * beside totals.
 *
 * @param read the columns that a field reads, as `plain` writes them
 */
export function strangeColumns(
  unread: readonly string[],
  read: readonly string[] = [],
): readonly string[] {
  const hasTotal = read.some(hasDayTotal);
  const isSure = read.some((column) => SURE.has(fieldOf(column) ?? ''));
  const isNeutral = (name: string) => {
    const words = wordsOf(name);
    const isOther = FOREIGN.test(words) || OF_ROWS.test(words);
    return isOwnName(name) || (!isOther && (isSure || OF_ATHLETES.test(words)));
  };
  const isStrange = (name: string) =>
    !isNeutral(name) || (hasTotal && /^(?:week|month)$/.test(plain(name)));
  return [...unread.filter(isStrange), ...(hasTotal && read.includes('time') ? ['time'] : [])];
}

/** Divides a name in camel case or with underscores. */
function wordsOf(name: string): string {
  return name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' ');
}

/** Returns the members of an object that contradict a diary: those with a foreign word, a week beside totals. */
export function foreignNames(
  unread: readonly string[],
  read: readonly string[],
): readonly string[] {
  const isForeign = (name: string) => NEUTRAL.test(plain(name)) || FOREIGN.test(wordsOf(name));
  return strangeColumns(unread, read).filter(isForeign);
}
