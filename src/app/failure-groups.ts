import { type Text, joinTexts, phrase } from '../base/phrase.ts';
import type { Failure } from '../api/batch-breaker.ts';
import type { Output } from '../terminal/output.ts';
import type { UploadItem } from '../upload/report.ts';
import type { PushItem } from './day-words.ts';
import { oneLine, plural } from '../terminal/words.ts';

/** Number of items up to which a group lists them. */
const LISTED = 5;

interface Group {
  readonly failure: Failure;
  readonly names: string[];
  /** Number of items by their noun. */
  readonly counts: Map<string, number>;
}

/** Collects items that were not sent, to report each cause once, with the number of its items. */
export class FailureGroups {
  readonly #groups = new Map<string, Group>();

  /**
   * Adds an item that was not sent for now.
   *
   * @returns false for any other item, which is reported alone
   */
  add(item: UploadItem | PushItem): boolean {
    if (item.outcome !== 'failed') return false;
    // Only the user can find out whether that one day arrived.
    if (item.code === 'FATE_UNKNOWN') return false;
    if ('path' in item) this.#add('recording', item.path, item);
    else this.#add('day', item.date, item);
    return true;
  }

  #add(noun: string, name: string, failure: Failure): void {
    const group: Group = this.#groups.get(failure.message) ?? {
      failure,
      names: [],
      counts: new Map(),
    };
    this.#groups.set(failure.message, group);
    group.names.push(name);
    group.counts.set(noun, (group.counts.get(noun) ?? 0) + 1);
  }

  /**
   * Prints each cause, in the order of occurrence. With `--json`, each item has its own line.
   *
   * @param prefix of each text
   */
  print(output: Output, prefix = ''): void {
    if (output.json) return;
    for (const group of this.#groups.values())
      output.result({}, phrase`${prefix}${groupText(group)}`);
  }
}

function groupText({ failure, names, counts }: Group): Text {
  const why = joinTexts(
    [oneLine(failure.message), ...(failure.hint === undefined ? [] : [failure.hint])],
    ' ',
  );
  const [name = '', ...more] = names.map(oneLine);
  if (more.length === 0) return phrase`${name}: not sent. ${why}`;
  const counted = [...counts].map(([noun, count]) => plural(count, noun)).join(' and ');
  const listed = names.length > LISTED ? [] : [name, ...more].map((each) => `  ${each}`);
  return joinTexts([phrase`${counted} were not sent: ${why}`, ...listed], '\n');
}
