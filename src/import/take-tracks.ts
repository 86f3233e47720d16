import type { Context } from '../base/context.ts';
import type { InputFile } from '../inputs/input-files.ts';
import { zoneRules } from '../records/days/zone.ts';
import { coverOf, type CoveringRide } from '../upload/rides.ts';
import { type TrackEntry, inOrder, newRoom, tracksIn } from '../upload/send-tracks.ts';
import { sendableOf } from '../upload/sendable.ts';
import type { UploadItem } from '../upload/report.ts';
import { type RecordingParts, leaveRecording } from './take-recordings.ts';

/** The kind of row that `import` sends only with `--include`. */
export const PHONE_TRACKS = 'phone-tracks';

/** Scans GPX and TCX files: keeps where the activities to send are. */
export class TrackScan {
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #parts: RecordingParts;
  readonly #withPhones: boolean;
  readonly #choice = { room: newRoom() };
  readonly #found = new Map<string, TrackEntry>();

  constructor(
    context: Pick<Context, 'clock' | 'signal'>,
    parts: RecordingParts,
    withPhones: boolean,
  ) {
    this.#context = context;
    this.#parts = parts;
    this.#withPhones = withPhones;
  }

  /** @throws the signal's reason if it is aborted */
  async add({ from }: InputFile): Promise<void> {
    const { table, known } = this.#parts;
    const file = sendableOf(from);
    const tables = { ledger: known?.uploads, known: known?.known };
    const report = (item: UploadItem) => this.#leave(item);
    for (const entry of await tracksIn(this.#context, file, tables, report, this.#choice)) {
      if (!this.#found.has(entry.key)) this.#found.set(entry.key, entry);
      else table.leave('copies', 'Recordings found twice', 'the same recording is sent once');
    }
  }

  /**
   * Adds the rows, and returns the activities to send, with the covered ones: the platform may refuse a recording that
   * covers one.
   *
   * @param rides that the run sends before
   */
  take(rides: readonly CoveringRide[]): TrackEntry[] {
    const { table, known, since, zone } = this.#parts;
    const taken = [...rides];
    const entries: TrackEntry[] = [];
    for (const entry of inOrder([...this.#found.values()])) {
      const { path, shape, isPhone } = entry;
      const day = new Date(zoneRules(zone).wallAt(shape.startedAt)).toISOString().slice(0, 10);
      const days = [day];
      const sent = (known?.uploads.rides(shape) ?? []).filter(({ state }) => state === 'confirmed');
      if (since !== undefined && day < since) {
        table.leave('too-early', 'Earlier recordings', `before ${since} (--since)`, days);
      } else if (coverOf(shape, [...taken, ...sent]) !== undefined) {
        table.leave('covered', 'GPX and TCX of the same rides', COVERED, days);
        entries.push(entry);
      } else if (isPhone && !this.#withPhones) {
        table.leave(PHONE_TRACKS, 'GPX and TCX of a phone', ASKED, days);
      } else {
        const kind = isPhone ? PHONE_TRACKS : 'tracks';
        table.add({ kind, title: TITLES[kind], sends: true }, { days });
        taken.push({ path, isConverted: true, shape });
        entries.push(entry);
      }
    }
    return entries;
  }

  #leave(item: UploadItem): void {
    if (item.outcome === 'skipped' && item.reason === 'not-an-activity') {
      const title = 'GPX and TCX without an activity';
      this.#parts.table.leave('no-activity', title, 'routes, plans and the like');
    } else leaveRecording(this.#parts, item);
  }
}

const COVERED = 'recordings of the same rides have all of it';
const ASKED = `of Google Fit or Apple Health; --include ${PHONE_TRACKS} sends them`;
const TITLES = { tracks: 'GPX and TCX files', [PHONE_TRACKS]: 'GPX and TCX of a phone' } as const;
