/*
 * The child process that makes every call on an MTP mount. A call on a device that does not answer may
 * hang for ever, so the program itself never makes one: it kills this process, or leaves it behind.
 */
import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  opendirSync,
  readSync,
  readdirSync,
} from 'node:fs';
import { messageOf, systemCode } from '../../base/errors.ts';
import { ChildError } from '../../system/child-call.ts';
import { answer, onRequest } from '../../system/child-side.ts';
import type { RemoteAnswer, RemoteRequest, RemoteStat } from './protocol.ts';

/** Size of a read (bytes): the kernel asks FUSE for at most this much at once. */
const CHUNK_BYTES = 128 * 1024;
/** Longest time before the statuses that are known are sent (ms). */
const BATCH_MS = 200;
const AT_ONCE = constants.O_RDONLY | constants.O_NONBLOCK;

const tell: (part: RemoteAnswer) => Promise<void> = answer;

// The parent waits for the last answer before the next request. If the parent ends, the channel closes,
// and with it this process.
onRequest(serve);

async function serve(request: RemoteRequest): Promise<void> {
  try {
    await perform(request);
    await tell({ answer: 'done' });
  } catch (error) {
    await tell({
      answer: 'failed',
      code: systemCode(error),
      message: messageOf(error),
    });
  }
}

async function perform(request: RemoteRequest): Promise<void> {
  switch (request.do) {
    case 'list':
      // With `withFileTypes`, Node reads the status of every file, because these mounts tell no types.
      await tell({ answer: 'names', names: readdirSync(request.folder) });
      return;
    case 'stat':
      await stat(request.paths);
      return;
    case 'open':
      opendirSync(request.folder).closeSync();
      return;
    case 'peek':
    case 'read':
      await read(request.path, request.bytes, request.do === 'peek');
  }
}

/** Answers in batches: a device takes seconds for some files, a disk none for thousands. */
async function stat(paths: readonly string[]): Promise<void> {
  let stats: (RemoteStat | undefined)[] = [];
  let since = performance.now();
  for (const path of paths) {
    stats.push(statOf(path));
    if (performance.now() - since < BATCH_MS) continue;
    await tell({ answer: 'stats', stats });
    stats = [];
    since = performance.now();
  }
  await tell({ answer: 'stats', stats });
}

function statOf(path: string): RemoteStat | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other';
  const { size, mtimeMs, ctimeMs, dev, ino, birthtimeMs, uid: owner } = stats;
  return { kind, size, mtimeMs, ctimeMs, identity: `${dev}:${ino}:${birthtimeMs}`, owner };
}

/** Reads a file once, from its start to its end, or its beginning alone. */
async function read(path: string, limit: number, isPeek: boolean): Promise<void> {
  const descriptor = openSync(path, AT_ONCE);
  try {
    let total = 0;
    for (;;) {
      const bytes = Buffer.allocUnsafe(isPeek ? limit : CHUNK_BYTES);
      const size = readSync(descriptor, bytes);
      if (size === 0) return;
      total += size;
      if (total > limit) throw new ChildError('EFBIG', `it has more than ${limit} bytes`);
      await tell({ answer: 'bytes', bytes: bytes.subarray(0, size) });
      if (isPeek) return;
    }
  } finally {
    closeSync(descriptor);
  }
}
