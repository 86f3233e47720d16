import { createHash } from 'node:crypto';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { knownFiles } from '../../src/ledger/known-files.ts';
import { uploadLedger } from '../../src/ledger/uploads.ts';
import type { SendOptions } from '../../src/upload/known-outcome.ts';
import { uploadBatch } from '../../src/upload/pipeline.ts';
import type { UploadItem, UploadProgress } from '../../src/upload/report.ts';
import { markIn, openIn } from '../ledger/support.ts';
import { testContext } from '../support/context.ts';
import { clientOf, hastyClock, openSandbox } from '../support/delivery.ts';
import { scratchDir } from '../support/scratch-dir.ts';

export { scratchDir };

/** Writes a file (and the folders to it) that was last written an hour ago. @returns its path */
export function put(dir: string, name: string, contents: Uint8Array | string = ''): string {
  const path = join(dir, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
  const before = new Date(Date.now() - 3_600_000);
  utimesSync(path, before, before);
  return path;
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export interface BatchOptions extends Partial<SendOptions> {
  readonly jobs?: number;
  readonly signal?: AbortSignal;
  readonly client?: ReturnType<typeof clientOf>['client'];
  readonly onProgress?: (progress: UploadProgress) => void;
  readonly onItem?: (item: UploadItem) => void;
}

/** A folder, a ledger and a sandbox, and runs over them. */
export async function openUploads(sandboxOptions: Parameters<typeof openSandbox>[0] = {}) {
  const sandbox = await openSandbox(sandboxOptions);
  const [dir, state, temp] = [scratchDir(), scratchDir(), scratchDir()];
  const database = openIn(state);
  const ledger = uploadLedger(database, 'athlete:1', markIn(state), Date.now);
  const known = knownFiles(database, 'athlete:1', () => Date.now() + 60_000);
  const { client, asked } = clientOf(sandbox);
  const run = async (paths: string[], options: BatchOptions = {}) => {
    const items: UploadItem[] = [];
    const progress: UploadProgress[] = [];
    const elsewhere: number[] = [];
    const archives: string[] = [];
    sandbox.control.clearRequests();
    const { jobs = 4, signal, onProgress, onItem, ...rest } = options;
    let failed: unknown;
    await uploadBatch(
      testContext({ clock: hastyClock, ...(signal === undefined ? {} : { signal }) }),
      paths,
      { force: false, anyType: false, metadata: {}, dryRun: false, jobs, ...rest },
      {
        cwd: dir,
        filePart: 'file',
        tempFolder: temp,
        ledger,
        known,
        client: options.client ?? client,
        url: () => new URL('/api/workouts/upload-fit', sandbox.url),
        report: (item) => {
          items.push(item);
          onItem?.(item);
        },
        progress: (now) => {
          progress.push(now);
          onProgress?.(now);
        },
        onBusy: (count) => elsewhere.push(count),
        onArchive: (path) => archives.push(path),
      },
    ).catch((error: unknown) => (failed = error));
    const byPath = Object.fromEntries(items.map(({ path, ...item }) => [path, item]));
    return {
      items,
      byPath,
      progress,
      failed,
      elsewhere,
      archives,
      requests: sandbox.control.requests(),
    };
  };
  const recordings = () => sandbox.control.state().athletes[0]?.recordings ?? [];
  return { sandbox, dir, state, temp, database, ledger, known, asked, run, recordings };
}

/** `OUTCOME REASON` of each path. */
export const outcomes = (items: readonly UploadItem[]) =>
  Object.fromEntries(
    items.map((item) => [
      item.path,
      [item.outcome, ...('reason' in item ? [item.reason] : [])].join(' '),
    ]),
  );
