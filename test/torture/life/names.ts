import type { Random } from '../../../src/seed/random.ts';

const FOLDERS = [
  '',
  '',
  'Activities',
  'GARMIN/ACTIVITY',
  'a/b/c/d/e',
  'with space',
  '-rf',
  'ünï',
  'x.fit',
] as const;

/** Folders that are not searched. */
const HIDDEN_FOLDERS = ['.Trash', 'TEMPFIT', 'GARMIN/NewFiles'] as const;

const ENDS: readonly [string, ...string[]] = [
  ...(['.fit', '.fit', '.fit', '.FIT', '.Fit', '.fIt'] as const),
  ...(['.gpx', '.tcx'] as const),
];

/** Returns a path below a watched folder. `id` makes it unlike all others. */
export function anyPath(random: Random, id: string, end = random.pick(ENDS)): string {
  return inFolder(random.pick(FOLDERS), anyName(random, id, end));
}

/** Returns a path that no watcher looks at. */
export function hiddenPath(random: Random, id: string): string {
  if (random.chance(0.5)) return inFolder(random.pick(HIDDEN_FOLDERS), `${id}.fit`);
  return random.pick([`.${id}.fit`, `._${id}.fit`, `${id}.fit.part`, `${id}.fit.tmp`]);
}

function inFolder(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** Names as devices, people and attackers choose them. */
function anyName(random: Random, id: string, end: string): string {
  const names = [
    `${id}${end}`,
    `2026-02-15 08.30.00 ${id}${end}`,
    `-${id}${end}`,
    `--help ${id}${end}`,
    `${id}\nuploaded everything${end}`,
    `${id}\u001b]52;c;aGk=\u0007\u001b[2J${end}`,
    `${id}\u009b31m\u202e${end}`,
    `${id} Ausfahrt über Köln 🚴${end}`,
    `${id}'"$(reboot);*${end}`,
    `${id}\\..\\${end}`,
    `${id}.fit.zip${end}`,
    `${id}${'x'.repeat(255 - id.length - end.length)}${end}`,
  ] as const;
  return random.chance(0.5) ? names[0] : random.pick(names);
}

/** A name of bytes that are not UTF-8. */
export function latin1Name(id: string): Buffer {
  return Buffer.from(`${id}-\xfcbung.fit`, 'latin1');
}
