/** Returns whether a file is named like a zip archive. */
export function isZipName(name: string): boolean {
  return /\.zip$/i.test(name);
}
