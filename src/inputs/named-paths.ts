import { existsSync, readdirSync } from 'node:fs';
import { join, parse, resolve } from 'node:path';

/** The argument that stands for stdin. */
export const STDIN = '-';

/**
 * Replaces patterns such as `rides/*.fit` by the matching names: cmd.exe and PowerShell do not
 * expand patterns. `*` and `?` are special in the last part of a path alone. A path that exists, or a
 * pattern without a match, is returned unchanged.
 */
export function namedPaths(paths: readonly string[], cwd: string): string[] {
  return paths.flatMap((path) => {
    const { dir, base } = parse(path);
    if (!/[*?]/.test(base) || existsSync(resolve(cwd, path))) return [path];
    const matching = namesIn(resolve(cwd, dir)).filter((name) => matches(name, base));
    return matching.length === 0 ? [path] : matching.map((name) => join(dir, name));
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    // The command reports the pattern as a file that does not exist.
    return [];
  }
}

/** As in a shell, a pattern matches a hidden file only if it begins with a dot. */
function matches(name: string, pattern: string): boolean {
  if (name.startsWith('.') && !pattern.startsWith('.')) return false;
  const source = pattern
    .replace(/[\\^$.+()[\]{}|]/g, String.raw`\$&`)
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 'iu').test(name);
}
