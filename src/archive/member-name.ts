import { getFileNameLowLevel, type Entry } from 'yauzl';
import { printable } from '../base/printable.ts';

/** Longest shown name of a member (characters); the end of a longer one is kept. */
const MAX_NAME = 300;

/** Members that an operating system adds: resource forks, folder settings, thumbnails. */
const LITTER = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|\._|Thumbs\.db$|desktop\.ini$)/i;

/**
 * Returns the name of a member for reports, with `/` between its parts; undefined for a folder or
 * an operating system's own file. Never use it as a path on the disk.
 */
export function memberName(entry: Entry): string | undefined {
  const name = decoded(entry);
  if (name.endsWith('/') || LITTER.test(name)) return undefined;
  const clean = name
    .split('/')
    .map((part) => printable(part).trim())
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .join('/');
  return clean === '' ? '(no name)' : clean.slice(-MAX_NAME);
}

/** Decodes a name: by the archive's flag, else as UTF-8 if it is valid UTF-8, else as CP437. */
function decoded({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string {
  const UTF8_FLAG = 0x800;
  const text = fileNameRaw.toString('utf8');
  const flag = Buffer.from(text).equals(fileNameRaw) ? UTF8_FLAG : 0;
  return getFileNameLowLevel(generalPurposeBitFlag | flag, fileNameRaw, extraFields, false);
}
