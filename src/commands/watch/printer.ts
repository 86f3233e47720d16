import { basename, join, relative } from 'node:path';
import type { AppContext } from '../../app/context.ts';
import { type Text, phrase } from '../../base/phrase.ts';
import { isOnMtp, pathOn } from '../../system/mtp-path.ts';
import { plural, wallTime } from '../../terminal/words.ts';
import { isBelow } from '../../system/mounts.ts';
import type { WatchNotice } from '../../watch/report.ts';
import { deliveredText, watchNoticeJson, watchNoticeText } from './words.ts';

/** Where notices go: `once` has no times, a `log` has dates and full paths, a `terminal` neither. */
export type NoticeStyle = 'once' | 'terminal' | 'log';

export interface PrinterOptions {
  readonly folders: readonly string[];
  readonly style: NoticeStyle;
  /** The zone of activities without their own offset. */
  readonly zone: string;
}

/** Time without a notice after which a group of equal notices is counted (ms). */
const GROUP_MS = 1_000;

/**
 * Prints the notices of one watcher. People see the first of several equal failures in a row, and then
 * how many more there were; programs get a line each.
 */
export class NoticePrinter {
  readonly #context: Pick<AppContext, 'clock' | 'signal' | 'output'>;
  readonly #options: PrinterOptions;
  /** The cause of the last notice, and how many more had it. */
  #cause: string | undefined;
  #more = 0;
  /** The titles of devices, by where they were plugged in. */
  readonly #devices = new Map<string, string>();
  #day: string | undefined;

  constructor(context: Pick<AppContext, 'clock' | 'signal' | 'output'>, options: PrinterOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** @param time of the notice */
  print(notice: WatchNotice, time = new Date(this.#context.clock.now())): void {
    const { output } = this.#context;
    this.#noteDevice(notice);
    const { style } = this.#options;
    const at = style === 'once' ? undefined : time;
    if (this.#isSaid(notice)) {
      output.result(watchNoticeJson(notice, at));
      return;
    }
    const isGrouped = isSkipped(notice) ? style !== 'once' : style !== 'log';
    const cause = isGrouped ? causeOf(notice) : undefined;
    const isRepeated = cause !== undefined && cause === this.#cause;
    if (isRepeated) this.#countLater();
    else this.flush();
    this.#cause = cause;
    const text = isRepeated ? undefined : this.#text(notice);
    const timed = text === undefined ? undefined : phrase`${this.#prefix(at)}${text}`;
    output.result(watchNoticeJson(notice, at), timed);
  }

  #text(notice: WatchNotice): Text | undefined {
    const { style, zone } = this.#options;
    const view = { zone, now: this.#context.clock.now(), aligned: false };
    const shown = this.#shown(notice);
    const delivered =
      style === 'log' && shown.event === 'upload' ? deliveredText(shown.item, view) : undefined;
    return delivered ?? watchNoticeText(shown, view);
  }

  /** Prints how many notices were like the last one. */
  flush(): void {
    const { clock, output } = this.#context;
    const more = this.#more;
    this.#more = 0;
    if (more === 0 || output.json) return;
    const at = this.#options.style === 'once' ? undefined : new Date(clock.now());
    output.text(phrase`${this.#prefix(at)}The same for ${plural(more, 'more recording')}.`);
  }

  #countLater(): void {
    const { clock, signal } = this.#context;
    this.#more++;
    if (this.#more > 1) return;
    const flush = () => this.flush();
    clock.sleep(GROUP_MS, signal).then(flush, flush);
  }

  #prefix(at: Date | undefined): Text {
    if (at === undefined) return '';
    const time = wallTime(at);
    if (this.#options.style === 'log') return `${time}  `;
    const day = time.slice(0, 10);
    const heading = this.#day === undefined || this.#day === day ? '' : phrase`${day}\n`;
    this.#day = day;
    return phrase`${heading}${time.slice(11, 16)}  `;
  }

  /** Returns the notice with the paths that people read. */
  #shown(notice: WatchNotice): WatchNotice {
    if (notice.event === 'upload') {
      return { ...notice, item: { ...notice.item, path: this.#short(notice.item.path) } };
    }
    if (!('path' in notice)) return notice;
    return { ...notice, path: this.#short(notice.path) };
  }

  #noteDevice(notice: WatchNotice): void {
    if (notice.event !== 'device' || notice.root === undefined) return;
    this.#devices.set(notice.root, notice.title);
  }

  /** Returns whether the notice of an upload or of a folder's device, or the summary, says the same. */
  #isSaid(notice: WatchNotice): boolean {
    if (isSkipped(notice)) return this.#options.style === 'once';
    if (notice.event === 'kept') return this.#options.style === 'terminal';
    if (notice.event !== 'folder' || notice.state !== 'watching') return false;
    return [...this.#devices.keys()].some((root) => isBelow(notice.folder, root));
  }

  /** Returns a path over MTP by its device and, in a terminal, any other relative to the watched folder. */
  #short(path: string): string {
    if (this.#options.style !== 'terminal' && !isOnMtp(path)) return path;
    const [root, title] = [...this.#devices].find(([each]) => isBelow(path, each)) ?? [];
    if (root !== undefined && title !== undefined) return pathOn(title, relative(root, path));
    const { folders } = this.#options;
    const folder = folders.find((each) => isBelow(path, each));
    if (folder === undefined || isOnMtp(folder)) return path;
    const inside = relative(folder, path);
    const isOnly = folders.length === 1 && this.#devices.size === 0;
    return isOnly ? inside : join(basename(folder), inside);
  }
}

function isSkipped(notice: WatchNotice): boolean {
  return notice.event === 'upload' && notice.item.outcome === 'skipped';
}

/** Returns what notices about different recordings may share; undefined for all other notices. */
function causeOf(notice: WatchNotice): string | undefined {
  switch (notice.event) {
    case 'kept':
      return notice.event;
    case 'problem':
      return notice.path === undefined ? undefined : notice.message;
    case 'upload':
      if (notice.item.outcome === 'skipped') return notice.item.reason;
      return 'message' in notice.item ? notice.item.message : undefined;
    default:
      return undefined;
  }
}
