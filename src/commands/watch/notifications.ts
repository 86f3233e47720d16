import { basename } from 'node:path';
import { briefActivity } from '../../app/words/activities.ts';
import { OUTCOMES } from '../../app/outcomes.ts';
import { invalidHint } from '../../app/words/invalid-hint.ts';
import type { Context } from '../../base/context.ts';
import { type Text, hinted, phrase, sync } from '../../base/phrase.ts';
import type { NotificationMode } from '../../config/settings.ts';
import { plural } from '../../terminal/words.ts';
import type { RecordItem } from '../../records/deliver.ts';
import type { UploadItem } from '../../upload/report.ts';
import type { WatchNotice } from '../../watch/report.ts';
import { deviceText } from '../../app/words/devices.ts';

/** Time after the last of a burst in which another recording joins its notification (ms). */
const QUIET_MS = 3_000;
/** The same while recordings wait: a slow connection may need this for one (ms). */
const PATIENCE_MS = 60_000;
/** Longest time for which a notification is held back (ms). */
const LONGEST_MS = 600_000;

/** What one notification says about one or more recordings, and what it advises if there are several. */
const TOPICS = {
  arrived: { title: 'sync' },
  refused: { title: 'sync: refused by the platform', advice: sync('status') },
  damaged: { title: 'sync: damaged or incomplete recording' },
  missing: { title: 'sync: uploads without a workout', advice: sync('verify') },
} as const;
type Topic = keyof typeof TOPICS;

/** One recording in a notification. */
interface NoteEntry {
  readonly topic: Topic;
  readonly name: string;
  /** What a notification about this recording alone says. */
  readonly text: Text;
  /** Its outcome, if several of them are only counted. */
  readonly outcome?: string;
}

export interface Note {
  /** Words of this program: some desktops read markup in a title. */
  readonly title: string;
  readonly text: Text;
}

export interface NotificationOptions {
  readonly mode: NotificationMode;
  readonly show: (note: Note) => void;
}

/**
 * Shows desktop notifications. A burst of recordings is one notification, after the last one: a device
 * may hold a month of them. If the user has to act and nothing is sent until then, it is shown at once.
 */
export class Notifications {
  readonly #clock: Context['clock'];
  readonly #options: NotificationOptions;
  #entries: NoteEntry[] = [];
  /** When the first entry was added (monotonic clock, ms). */
  #since = 0;
  #timer: AbortController | undefined;

  constructor({ clock }: Pick<Context, 'clock'>, options: NotificationOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  /** @param waiting recordings that are still to be sent */
  report(notice: WatchNotice, waiting: number): void {
    const { mode, show } = this.#options;
    if (mode === 'off') return;
    const urgent = urgentNote(notice);
    if (urgent !== undefined) show(urgent);
    const entry = entryOf(notice);
    if (entry !== undefined && (entry.topic !== 'arrived' || mode === 'on')) {
      if (this.#entries.length === 0) this.#since = this.#clock.monotonic();
      this.#entries.push(entry);
    }
    // Any outcome may be the last of the burst.
    if (entry !== undefined || notice.event === 'upload') this.#wait(waiting);
  }

  flush(): void {
    this.#timer?.abort();
    for (const topic of Object.keys(TOPICS) as Topic[]) {
      const [first, ...more] = this.#entries.filter((entry) => entry.topic === topic);
      if (first === undefined) continue;
      this.#options.show({ title: TOPICS[topic].title, text: burstText(first, more) });
    }
    this.#entries = [];
  }

  #wait(waiting: number): void {
    this.#timer?.abort();
    if (this.#entries.length === 0) return;
    const heldMs = this.#clock.monotonic() - this.#since;
    const ms = Math.min(waiting === 0 ? QUIET_MS : PATIENCE_MS, LONGEST_MS - heldMs);
    const timer = new AbortController();
    this.#timer = timer;
    this.#clock.sleep(Math.max(0, ms), timer.signal).then(
      () => this.flush(),
      () => undefined,
    );
  }
}

/** Returns a notification that is shown at once: nothing is sent until the user acts. */
function urgentNote(notice: WatchNotice): Note | undefined {
  switch (notice.event) {
    case 'login-needed': {
      const text = phrase`${notice.message} ${notice.hint ?? phrase`Run ${sync('login')}.`}`;
      return { title: 'sync: recordings wait for a login', text };
    }
    case 'login-ending': {
      const text = phrase`It ends in ${plural(notice.daysLeft, 'day')}. Run ${sync('login')} before that.`;
      return { title: 'sync: the login ends soon', text };
    }
    case 'obstacle': {
      // Without a connection, or while the service fails, waiting is all there is to do.
      if (notice.obstacle === 'offline' || notice.obstacle === 'service') return undefined;
      return { title: 'sync: recordings wait', text: hinted(notice.message, notice.hint) };
    }
    case 'device':
      return notice.left === undefined ? undefined : { title: LEFT, text: deviceText(notice) };
    case 'folder': {
      const { folder, reason = '', left } = notice;
      return left === undefined ? undefined : { title: LEFT, text: `${folder}: ${reason}` };
    }
    default:
      return undefined;
  }
}

const LEFT = 'sync: a device left with recordings';

function entryOf(notice: WatchNotice): NoteEntry | undefined {
  switch (notice.event) {
    case 'upload':
      return uploadEntry(notice.item);
    case 'unfinished': {
      const { path, detail, reason } = notice;
      const name = basename(path);
      const text = hinted(`${name}: ${detail}`, invalidHint(path, reason));
      return { topic: 'damaged', name, text };
    }
    case 'day':
      return dayEntry(notice.item);
    case 'missing': {
      const name = basename(notice.path);
      return { topic: 'missing', name, text: phrase`${name}. Run ${TOPICS.missing.advice}.` };
    }
    default:
      return undefined;
  }
}

function uploadEntry(item: UploadItem): NoteEntry | undefined {
  switch (item.outcome) {
    case 'uploaded':
    case 'duplicate': {
      const name = briefActivity(item.activity, basename(item.path));
      const outcome = OUTCOMES[item.outcome].words;
      return { topic: 'arrived', name, text: `${name}: ${outcome}`, outcome };
    }
    case 'rejected': {
      const name = briefActivity(item.activity, basename(item.path));
      return { topic: 'refused', name, text: `${name}: ${item.message}` };
    }
    default:
      return undefined;
  }
}

function dayEntry(item: RecordItem): NoteEntry | undefined {
  if (item.outcome !== 'rejected') return undefined;
  const name = `Wellness of ${item.date}`;
  return { topic: 'refused', name, text: `${name}: ${item.message}` };
}

function burstText(first: NoteEntry, more: readonly NoteEntry[]): Text {
  if (more.length === 0) return first.text;
  if (first.outcome !== undefined) return countsText([first, ...more]);
  const topic = TOPICS[first.topic];
  const advice = 'advice' in topic ? phrase` Run ${topic.advice}.` : '';
  return phrase`${first.name} and ${more.length} more.${advice}`;
}

/** Counts outcomes: `32 recordings uploaded`, `3 recordings uploaded, 1 already at the service`. */
function countsText(entries: readonly NoteEntry[]): string {
  const counts = new Map<string, number>();
  for (const { outcome = '' } of entries) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return [...counts]
    .map(([outcome, count], at) => `${at === 0 ? plural(count, 'recording') : count} ${outcome}`)
    .join(', ');
}
