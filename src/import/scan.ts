import { type DeliveryOptions, type DeliveryTarget, deliverRecords } from '../records/deliver.ts';
import { BatchSender } from '../upload/batch-sender.ts';
import type { RunTarget } from '../upload/batch-sender.ts';
import { extname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Archives, UnreadableFile } from '../archive/archives.ts';
import type { Context } from '../base/context.ts';
import type { RecordKind, RecordOptions, SourceOptions, Zone } from '../records/types.ts';
import { isRecordingName, isRepairedCopy, isTrackName } from '../inputs/recording-names.ts';
import type { UploadItem } from '../upload/report.ts';
import { ImportTable } from './import-table.ts';
import { type KnownRecordings, RecordingScan } from './take-recordings.ts';
import { KINDS } from '../ledger/records.ts';
import { StravaTitles } from './strava-titles.ts';
import { RecordScan } from './take-records.ts';
import { PHONE_TRACKS, TrackScan } from './take-tracks.ts';
import type { SendOptions } from '../upload/known-outcome.ts';
import { sendTracks } from '../upload/send-tracks.ts';
import { type InputFile, inputFiles } from '../inputs/input-files.ts';

export type Scan = Readonly<Awaited<ReturnType<typeof scanInputs>>>;

export interface ScanOptions extends RecordOptions {
  readonly zone: Zone;
  /** Earliest day (`YYYY-MM-DD`) of recordings and records. */
  readonly since: string | undefined;
  readonly sources: SourceOptions;
  /** Kinds of rows that `import` sends only with `--include`. */
  readonly include: readonly string[];
}

export interface ScanTools {
  readonly cwd: string;
  readonly archives: Archives;
  /** Absent without an account: every recording counts as new. */
  readonly known: KnownRecordings | undefined;
  /** Called for each recording that cannot be used. */
  readonly report: (item: UploadItem) => void;
  /** Called for each other file, and each archive, that cannot be read. */
  readonly reportUnreadable: (inputFile: UnreadableFile) => void;
  readonly progress: (files: number, path: string) => void;
}

/**
 * Looks at every file of these paths, in folders and archives. Reads recordings one at a time, and the
 * files of known sources to their end; never reads the rest in full.
 *
 * @throws SyncError `STORAGE` if the ledger fails; the signal's reason if it is aborted.
 */
export async function scanInputs(
  context: Pick<Context, 'clock' | 'signal'>,
  paths: readonly string[],
  options: ScanOptions,
  { cwd, archives, known, report, reportUnreadable, progress }: ScanTools,
) {
  const { signal } = context;
  const { since, zone, sources } = options;
  const table = new ImportTable();
  const records = new RecordScan(table, sources, reportUnreadable);
  const parts = { table, since, known, report, zone: zone.name };
  const recordings = new RecordingScan(parts, records);
  const tracks = new TrackScan(context, parts, options.include.includes(PHONE_TRACKS));
  const titles = new StravaTitles();
  const copies: InputFile[] = [];
  let files = 0;
  for await (const inputFile of inputFiles(paths, cwd, archives)) {
    // Lets a signal in: reading a small file waits for nothing.
    await setImmediate();
    signal.throwIfAborted();
    progress(++files, inputFile.path);
    if ('problem' in inputFile) {
      table.leaveUnreadable();
      reportUnreadable(inputFile);
    } else if (isRepairedCopy(inputFile.name)) copies.push(inputFile);
    else if (isRecordingName(inputFile.name)) await recordings.add(inputFile);
    else if (isTrackName(inputFile.name)) await tracks.add(inputFile);
    else if (await titles.add(inputFile)) {
      table.leave(
        'titles',
        'Strava account export: list of activities',
        'recordings get its titles',
      );
    } else if (!(await records.add(inputFile))) addOther(table, inputFile);
  }
  // An archive may have an original behind its copy.
  for (const inputFile of copies) await recordings.addRepaired(inputFile);
  const entries = tracks.take(recordings.rides);
  const read = (kind: RecordKind) => {
    progress(files, kind);
    return records.read(kind, options, since, signal);
  };
  const [wellness, nutrition] = [await read('wellness'), await read('nutrition')];
  return {
    rows: table.all,
    recordings: recordings.recordings.map((recording) => titles.titled(recording)),
    /** Activities of GPX and TCX files, also those that recordings of the same rides cover. */
    tracks: entries.map((entry) => titles.titled(entry)),
    /** Size of `recordings`. */
    bytes: recordings.bytes,
    /** Days to send, and what cannot be used. */
    records: { wellness, nutrition },
  };
}

/**
 * Sends everything of a scan: recordings, then wellness, then nutrition. Reports each recording and
 * each day once.
 *
 * @throws SyncError `STORAGE` if the ledger fails; the signal's reason if it is aborted.
 */
export async function sendScan(
  context: Context,
  { recordings, tracks, bytes, records }: Scan,
  options: DeliveryOptions & Pick<SendOptions, 'sameRide'>,
  target: RunTarget,
  days: DeliveryTarget,
): Promise<void> {
  const { jobs, dryRun, sameRide } = options;
  const total = tracks.length > 0 ? undefined : { count: recordings.length, bytes };
  const sender = new BatchSender(context, { jobs, dryRun, sameRide }, target, total);
  await sender.send(recordings);
  await sendTracks(context, tracks, sender, target);
  for (const kind of KINDS) await deliverRecords(context, records[kind].records, options, days);
}

function addOther(table: ImportTable, { name }: InputFile): void {
  const extension = extname(name).toLowerCase().slice(0, 12);
  const title = extension === '' ? 'Files without an extension' : `${extension} files`;
  table.leave('not-understood', title, 'of no known source');
}
