/** A request to the MTP child: calls on one mount. Paths are absolute. */
export type MtpRequest =
  | { readonly do: 'list'; readonly folder: string }
  | { readonly do: 'stat'; readonly paths: readonly string[] }
  /** Reads a whole file. */
  | { readonly do: 'read'; readonly path: string };

/** What a path is, with its size in bytes; undefined if nothing is there. */
export type MtpStat = { readonly kind: 'file' | 'folder' | 'other'; readonly size: number };

/** The child's answers to one request: parts of the result, then `done` or `failed`. */
export type MtpAnswer =
  | { readonly answer: 'names'; readonly names: readonly string[] }
  /** For each path of the request, in order. */
  | { readonly answer: 'stat'; readonly stat: MtpStat | undefined }
  /** The next bytes of the file. */
  | { readonly answer: 'bytes'; readonly bytes: Uint8Array }
  | { readonly answer: 'done' }
  | { readonly answer: 'failed'; readonly code: string | undefined; readonly message: string };
