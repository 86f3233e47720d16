import { phrase, renderText } from '../../base/phrase.ts';
import { KINDS } from '../../ledger/records.ts';
import type { ReadZones } from '../../records/days/read-zones.ts';
import type { RecordItem } from '../../records/deliver.ts';
import type { Zone } from '../../records/types.ts';
import type { Output } from '../../terminal/output.ts';
import type { Progress } from '../../terminal/progress.ts';
import { plural } from '../../terminal/words.ts';
import { OUTCOMES, type PushItem, Tally } from '../outcomes.ts';
import { noteText, pushItemJson, pushItemText } from './days.ts';
import { FailureGroups } from './failure-groups.ts';

/** Number of days, or of unusable records, up to which each has a line. */
const LISTED = 10;

const MANY = (['pushed', 'would-push'] as const).flatMap((outcome) =>
  KINDS.map((kind) => [kind, outcome] as const),
);

/** Counts and reports the days of a run: many in one line, equal notes and failures once. */
export class DayReport {
  readonly #output: Output;
  readonly #zone: Zone;
  /** The zones in which times were read; undefined without an account. */
  zones: ReadZones | undefined;
  readonly failures = new FailureGroups();
  readonly tallies = { wellness: new Tally('day'), nutrition: new Tally('day') };
  readonly #days: { readonly item: RecordItem; readonly zone: string }[] = [];
  readonly #unusable: Extract<PushItem, { readonly outcome: 'invalid' }>[] = [];

  /** @param zone of the run */
  constructor(output: Output, zone: Zone) {
    this.#output = output;
    this.#zone = zone;
  }

  add(item: PushItem): void {
    this.tallies[item.kind].add(item);
    const { name: zoneOfRun, from } = this.#zone;
    const date = 'date' in item ? item.date : undefined;
    const name = (date === undefined ? undefined : this.zones?.zoneOf(date)) ?? zoneOfRun;
    if (this.#output.json) this.#output.result(pushItemJson(item, { name, from }));
    else if (this.failures.add(item)) return;
    else if (item.outcome === 'invalid') this.#unusable.push(item);
    else this.#days.push({ item, zone: name });
  }

  /** Returns a function that adds days, and shows how many of them are done. */
  counting(progress: Pick<Progress, 'update'>, total: number): (item: RecordItem) => void {
    let done = 0;
    return (item) => {
      this.add(item);
      done++;
      progress.update({ noun: 'day', done, total });
    };
  }

  /** Prints the days by date, what cannot be sent, and the failures. It may be called again for more. */
  print(): void {
    const output = this.#output;
    // The requests of `--dry-run`, and not the values alone.
    const requests = output.verbose;
    const days = this.#days.splice(0).sort((a, b) => (a.item.date < b.item.date ? -1 : 1));
    const hasNews = ({ outcome, warnings }: RecordItem) =>
      outcome !== 'skipped' || warnings.length > 0;
    const isMany = days.filter(({ item }) => hasNews(item)).length > LISTED;
    const isMixed = days.some(({ item }) => item.kind !== days[0]?.item.kind);
    const isListed = ({ item: { outcome } }: (typeof days)[number]) =>
      !isMany || outcome === 'conflict' || (outcome === 'would-push' && requests);
    for (const { item, zone } of days.filter(isListed)) {
      const text = pushItemText(item, zone, undefined, requests);
      output.text(text && isMixed ? phrase`${item.kind} of ${text}` : text);
    }
    const others = days.filter((day) => !isListed(day));
    for (const [kind, outcome] of MANY) {
      const own = others.filter(({ item }) => item.kind === kind && item.outcome === outcome);
      const [first, last] = [own[0], own.at(-1)];
      if (first === undefined || last === undefined) continue;
      const zoned = own.find(({ item }) => item.zoneUsed);
      const where = zoned === undefined ? '' : ` (dates in ${zoned.zone})`;
      const count = own.length.toLocaleString('en-US');
      output.text(
        `${count} days of ${kind} ${OUTCOMES[outcome].words}, ${first.item.date} to ${last.item.date}${where}`,
      );
    }
    const notes = others.flatMap(({ item }) => item.warnings);
    for (const [note, count] of grouped(notes, ({ field = '', message }) =>
      [field, renderText(message, undefined)].join(),
    ))
      output.text(phrase`${noteText(note)}${count === 1 ? '' : ` (${plural(count, 'time')})`}`);
    const unusable = this.#unusable.splice(0);
    const isFew = unusable.length <= LISTED;
    const groups = isFew
      ? unusable.map((item) => [item, 1] as const)
      : grouped(unusable, ({ problems }) => problems.map(({ problem }) => problem).join());
    for (const [item, count] of groups) {
      const text = pushItemText(item, '') ?? '';
      output.text(count === 1 ? text : phrase`${text} (and ${count - 1} more, which --json lists)`);
    }
    this.failures.print(output);
  }
}

/** Groups items with keys that differ in numbers and quoted texts only. @returns the first of each group, and its size */
function grouped<T>(
  all: readonly T[],
  keyOf: (one: T) => string,
): readonly (readonly [T, number])[] {
  const groups = new Map<string, [T, number]>();
  for (const one of all) {
    const key = keyOf(one).replace(/"[^"]*"|\d+(?:[.,:-]\d+)*/g, '#');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one, 1]);
    else group[1]++;
  }
  return [...groups.values()];
}
