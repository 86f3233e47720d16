/** A request to the MTP child: calls on one mount. Paths are absolute. */
export type MtpRequest =
  | { readonly do: 'list'; readonly folder: string }
  | { readonly do: 'stat'; readonly paths: readonly string[] }
  /** Reads a whole file. `limit`: upper bound for its size (bytes). */
  | { readonly do: 'read'; readonly path: string; readonly limit: number };

export interface MtpStat {
  readonly kind: 'file' | 'folder' | 'other';
  /** In bytes. */
  readonly size: number;
}

/** The child's answers to one request: parts of the result, then `done` or `failed`. */
export type MtpAnswer =
  | { readonly answer: 'names'; readonly names: readonly string[] }
  /** For each path of the request, in order; undefined if nothing is there. */
  | { readonly answer: 'stat'; readonly stat: MtpStat | undefined }
  | { readonly answer: 'bytes'; readonly bytes: Uint8Array }
  | { readonly answer: 'done' }
  | { readonly answer: 'failed'; readonly code: string | undefined; readonly message: string };
