/** The start of the line, and of a ready file, which a shell reads with `. FILE`. */
export const EXPORT = 'export SYNC_BASE_URL=';

/** Returns the line that points the commands of a shell at a sandbox. */
export function exportLine(url: string, clientId: string): string {
  return `${EXPORT}${url} SYNC_CLIENT_ID=${clientId}`;
}
