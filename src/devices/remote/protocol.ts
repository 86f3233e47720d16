import type { FileStamp } from '../../ledger/known-files.ts';

/** A request to the child that reads mounts: calls on one mount. Paths are absolute. */
export type RemoteRequest =
  | { readonly do: 'list'; readonly folder: string }
  | { readonly do: 'stat'; readonly paths: readonly string[] }
  /** Opens a folder, which shows if this user may read it. */
  | { readonly do: 'open'; readonly folder: string }
  /** Reads a whole file, of `bytes` at most, or that many bytes of its beginning. */
  | { readonly do: 'read' | 'peek'; readonly path: string; readonly bytes: number };

/** `identity`: changes if another folder is mounted there. */
export interface RemoteStat extends FileStamp {
  readonly kind: 'file' | 'folder' | 'other';
  readonly identity: string;
  /** User ID. */
  readonly owner: number;
}

/** The child's answers to one request: parts of the result, then `done` or `failed`. */
export type RemoteAnswer =
  | { readonly answer: 'names'; readonly names: readonly string[] }
  /** For the next paths of the request, in order; undefined if nothing is there. */
  | { readonly answer: 'stats'; readonly stats: readonly (RemoteStat | undefined)[] }
  | { readonly answer: 'bytes'; readonly bytes: Uint8Array }
  | { readonly answer: 'done' }
  | { readonly answer: 'failed'; readonly code: string | undefined; readonly message: string };
