import { APPS, type AppPlatform, variableOf } from './apps.ts';
import type { MountReader } from './mount-reader.ts';
import type { SearchRequest } from './protocol.ts';
import type { Device, MountPattern } from './types.ts';

/** Finds the apps that keep recordings on this machine. @throws NoAnswer */
export async function findApps(
  reader: MountReader,
  request: SearchRequest,
  expand: (pattern: MountPattern) => Promise<readonly string[]>,
): Promise<readonly Device[]> {
  const found: Device[] = [];
  for (const { name, title, folders } of APPS) {
    const recordings = new Set<string>();
    for (const template of folders[request.platform as AppPlatform] ?? []) {
      const pattern = patternOf(template, request);
      if (pattern === undefined) continue;
      for (const folder of await expand(pattern)) {
        if ((await reader.names(folder)) === undefined) continue;
        // Wine links its `Documents` to that of the user.
        recordings.add((await reader.realPath(folder)) ?? folder);
      }
    }
    const [root] = recordings;
    if (root === undefined) continue;
    const folder = { root, recordings: [...recordings], wellness: [] };
    found.push({ key: `path:${root}`, kind: 'app', title, maker: name, ...folder, access: 'disk' });
  }
  return found;
}

function patternOf(
  template: string,
  { env, homeDir }: Pick<SearchRequest, 'env' | 'homeDir'>,
): MountPattern | undefined {
  const [, ...below] = template.split('/');
  const variable = variableOf(template);
  const root = variable === undefined ? homeDir : env[variable];
  return root ? { root, below } : undefined;
}
