import { type DeliveryOptions, type DeliveryTarget, deliverRecords } from '../records/deliver.ts';
import { BatchSender } from '../upload/batch-sender.ts';
import type { RunTarget } from '../upload/batch-sender.ts';
import { extname } from 'node:path';
import type { Archives } from '../archive/archives.ts';
import type { Context } from '../base/context.ts';
import type { Source } from '../records/sources/types.ts';
import type { RecordKind, RecordOptions, Zone } from '../records/types.ts';
import { isRecordingName, isRepairedCopy, isTrackName } from '../inputs/recording-names.ts';
import type { UploadItem } from '../upload/report.ts';
import { ImportTable } from './import-table.ts';
import { type KnownRecordings, RecordingStock } from './take-recordings.ts';
import { KINDS } from '../ledger/records.ts';
import { RecordStock } from './take-records.ts';
import { PHONE_TRACKS, TrackStock } from './take-tracks.ts';
import type { SendOptions } from '../upload/known-outcome.ts';
import { sendTracks } from '../upload/send-tracks.ts';
import { type Piece, type UnreadablePiece, walk } from '../inputs/pieces.ts';

export type Stock = Readonly<Awaited<ReturnType<typeof takeStock>>>;

export interface StockOptions extends Omit<RecordOptions, 'sources'> {
  readonly zone: Zone;
  /** Earliest day (`YYYY-MM-DD`) of recordings and records. */
  readonly since: string | undefined;
  readonly sources: readonly Source[];
  /** Kinds of rows that `import` sends only with `--include`. */
  readonly include: readonly string[];
}

export interface StockTools {
  readonly cwd: string;
  readonly archives: Archives;
  /** Absent without an account: every recording counts as new. */
  readonly known: KnownRecordings | undefined;
  /** Called for each recording that cannot be used. */
  readonly report: (item: UploadItem) => void;
  /** Called for each other file, and each archive, that cannot be read. */
  readonly reportUnreadable: (piece: UnreadablePiece) => void;
  readonly progress: (files: number, path: string) => void;
}

/**
 * Looks at every file of these paths, in folders and archives. Reads recordings one at a time, and the
 * files of known sources to their end; never reads the rest in full.
 *
 * @throws SyncError `STORAGE` if the ledger fails; the signal's reason if it is aborted.
 */
export async function takeStock(
  context: Pick<Context, 'clock' | 'signal'>,
  paths: readonly string[],
  options: StockOptions,
  { cwd, archives, known, report, reportUnreadable, progress }: StockTools,
) {
  const { signal } = context;
  const { since, zone, sources } = options;
  const table = new ImportTable();
  const records = new RecordStock(table, sources, reportUnreadable);
  const recordings = new RecordingStock({
    table,
    since,
    known,
    report,
    zone: zone.name,
    wellness: records,
  });
  const tracks = new TrackStock(context, {
    ...{ table, since, known, report, zone: zone.name },
    withPhones: options.include.includes(PHONE_TRACKS),
  });
  const copies: Piece[] = [];
  let files = 0;
  for await (const piece of walk(paths, cwd, archives)) {
    signal.throwIfAborted();
    progress(++files, piece.path);
    if ('problem' in piece) {
      table.leaveUnreadable();
      reportUnreadable(piece);
    } else if (isRepairedCopy(piece.name)) copies.push(piece);
    else if (isRecordingName(piece.name)) await recordings.add(piece);
    else if (isTrackName(piece.name)) await tracks.add(piece);
    else if (!(await records.add(piece))) addOther(table, piece);
  }
  // An archive may have an original behind its copy.
  for (const piece of copies) await recordings.addRepaired(piece);
  const entries = tracks.take(recordings.rides);
  const read = (kind: RecordKind) => {
    progress(files, kind);
    return records.read(kind, options, since, signal);
  };
  const [wellness, nutrition] = [await read('wellness'), await read('nutrition')];
  return {
    rows: table.all,
    files: recordings.files,
    members: recordings.members,
    /** Activities of GPX and TCX files, also those that recordings of the same rides cover. */
    tracks: entries,
    /** Size of `files` and `members`. */
    bytes: recordings.bytes,
    /** Days to send, and what cannot be used. */
    records: { wellness, nutrition },
  };
}

/**
 * Sends everything of a stock: recordings, then wellness, then nutrition. Reports each recording and
 * each day once.
 *
 * @throws SyncError `STORAGE` if the ledger fails; the signal's reason if it is aborted.
 */
export async function sendStock(
  context: Context,
  { files, members, tracks, bytes, records }: Stock,
  options: DeliveryOptions & Pick<SendOptions, 'sameRide'>,
  recordings: RunTarget,
  days: DeliveryTarget,
): Promise<void> {
  const { jobs, dryRun, sameRide } = options;
  const total = tracks.length > 0 ? undefined : { count: files.length + members.length, bytes };
  const sender = new BatchSender(context, { jobs, dryRun, sameRide }, recordings, total);
  await sender.sendFiles(files);
  await sender.sendMembers(members);
  await sendTracks(context, tracks, sender, recordings);
  for (const kind of KINDS) await deliverRecords(context, records[kind].records, options, days);
}

function addOther(table: ImportTable, { name }: Piece): void {
  const extension = extname(name).toLowerCase().slice(0, 12);
  const title = extension === '' ? 'Files without an extension' : `${extension} files`;
  table.leave('not-understood', title, 'of no known source');
}
