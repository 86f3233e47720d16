import { resolve } from 'node:path';
import { STDIN_PATH } from '../inputs/find-files.ts';
import { STDIN, type Input, fileInput } from '../records/read/input.ts';
import type { RecordKind, SourceOptions } from '../records/types.ts';
import { isFolder } from '../system/plain-file.ts';
import type { FolderInputs, FolderTools } from './folder-inputs.ts';

export type NamedInputs = Awaited<ReturnType<typeof namedInputs>>;

/**
 * Returns the inputs of files, folders and zip archives. Of a folder or an archive, the files with records
 * of this kind count; one without such files is an input that cannot be read.
 */
export async function namedInputs(
  paths: readonly string[],
  kind: RecordKind,
  sources: SourceOptions,
  tools: FolderTools & { readonly readStdin: () => AsyncIterable<Uint8Array> },
) {
  let folders: FolderInputs | undefined;
  const inputs: Input[] = [];
  for (const path of paths) {
    if (path === STDIN_PATH) {
      inputs.push({ name: STDIN, chunks: tools.readStdin(), isStream: true });
    } else if (!holdsFiles(path, tools.cwd))
      inputs.push({ ...fileInput(resolve(tools.cwd, path)), name: path });
    else {
      const { folderInputs } = await import('./folder-inputs.ts');
      folders ??= folderInputs(kind, sources, tools);
      inputs.push(...(await folders.in(path)));
    }
  }
  return { inputs, close: async () => await folders?.close() };
}

/** Checks for a folder, or a file with the name of an archive or a packed FIT file. */
function holdsFiles(path: string, cwd: string): boolean {
  if (/\.(?:zip|fit\.gz)$/i.test(path)) return true;
  return isFolder(resolve(cwd, path));
}
