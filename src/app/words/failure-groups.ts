import { type Text, hinted, joinTexts, phrase } from '../../base/phrase.ts';
import type { Failure } from '../../base/errors.ts';
import type { Output } from '../../terminal/output.ts';
import type { UploadItem } from '../../upload/report.ts';
import type { PushItem } from '../outcomes.ts';
import { firstOf, plural } from '../../terminal/words.ts';

/** Number of items up to which a group of unsent items lists them: the same command sends them. */
const LISTED = 5;
/** Number of refused items that a group lists, and of unusable files with one problem. */
const REFUSED_LISTED = 20;

/** Limits the different problems of unusable files that are counted: an archive may have a million such files. */
const MOST_PROBLEMS = 1_000;

type Verdict = 'not sent' | 'refused by the platform';

interface Group {
  readonly verdict: Verdict;
  readonly why: Pick<Failure, 'message' | 'hint'>;
  readonly names: string[];
  readonly counts: Map<string, number>;
}

/** Collects items that did not arrive, to report each cause once, with the number of its items. */
export class FailureGroups {
  readonly #groups = new Map<string, Group>();
  readonly #unusable = new Map<string, number>();

  /**
   * Adds an item that was not sent for now, or that the service refused, or an unusable file after many
   * with the same problem.
   *
   * @returns false for any other item, which is reported alone
   */
  add(item: UploadItem | PushItem): boolean {
    if (item.outcome === 'invalid' && 'detail' in item) {
      const before = this.#unusable.get(item.detail);
      if (before === undefined && this.#unusable.size === MOST_PROBLEMS) return false;
      const count = (before ?? 0) + 1;
      this.#unusable.set(item.detail, count);
      return count > REFUSED_LISTED;
    }
    if (item.outcome !== 'failed' && item.outcome !== 'rejected') return false;
    // The notes of a day may explain why the service refused it.
    const isNoted = 'warnings' in item && item.warnings.length > 0;
    if (item.outcome === 'rejected' && isNoted) return false;
    const verdict = item.outcome === 'failed' ? 'not sent' : 'refused by the platform';
    if ('path' in item) this.#add(verdict, 'recording', item.path, item);
    else this.#add(verdict, 'day', item.date, item);
    return true;
  }

  /** Adds something other than a recording or a day, by its noun, that was not sent for now. */
  addUnsent(noun: string, why: Failure): void {
    this.#add('not sent', noun, noun, why);
  }

  #add(verdict: Verdict, noun: string, name: string, why: Group['why']): void {
    const key = `${verdict}: ${why.message}`;
    const group: Group = this.#groups.get(key) ?? { verdict, why, names: [], counts: new Map() };
    this.#groups.set(key, group);
    group.names.push(name);
    group.counts.set(noun, (group.counts.get(noun) ?? 0) + 1);
  }

  /**
   * Prints each cause, in the order of occurrence, and forgets it. With `--json`, each item has its own
   * line.
   */
  print(output: Output): void {
    if (output.json) return;
    for (const [problem, count] of this.#unusable) {
      const more = count - REFUSED_LISTED;
      if (more <= 0) continue;
      const files = plural(more, 'more file');
      output.text(`${files} not sent. ${problem} (--json lists all.)`);
    }
    for (const group of this.#groups.values()) output.text(groupText(group));
    this.#unusable.clear();
    this.#groups.clear();
  }
}

function groupText({ verdict, why: failure, names, counts }: Group): Text {
  const why = hinted(failure.message, failure.hint);
  const isRefused = verdict === 'refused by the platform';
  const [name = '', ...more] = names;
  if (more.length === 0) return phrase`${name}: ${verdict}${isRefused ? ':' : '.'} ${why}`;
  const nouns = [...counts].map(([noun, count]) => plural(count, noun));
  const counted = [nouns.slice(0, -1).join(', '), ...nouns.slice(-1)].filter(Boolean).join(' and ');
  const listed = isRefused ? firstOf(names, REFUSED_LISTED) : names.length > LISTED ? [] : names;
  return joinTexts([
    phrase`${counted} were ${verdict}: ${why}`,
    ...listed.map((line) => `  ${line}`),
  ]);
}
