import { SyncError, attempt } from './errors.ts';

/**
 * Abbreviations that the runtime maps to an arbitrary zone (`BST` to Dhaka, `ACT` to Darwin, `IST` to
 * Kolkata), although IANA has no such zones. Users often mean another zone.
 */
const AMBIGUOUS = new Set(
  (
    'ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST ' +
    'JST MIT NET NST PLT PNT PRT PST SST VST'
  ).split(' '),
);

/** Names that IANA withdrew, and the runtime still takes. */
const WITHDRAWN = /^(?:SystemV\/.*|US\/Pacific-New|Canada\/East-Saskatchewan)$/i;

/**
 * Returns a zone's name in its usual capitals.
 *
 * @param name an IANA name such as `Europe/Berlin`; case does not matter.
 * @throws SyncError `CONFIG` with similar names if there is no such zone.
 */
export function checkZone(name: string): string {
  const wanted = name.trim();
  const known = Intl.supportedValuesOf('timeZone');
  const same = (zone: string): boolean => zone.toLowerCase() === wanted.toLowerCase();
  const usual = known.find(same) ?? ['UTC', 'GMT'].find(same);
  if (usual !== undefined) return usual;
  if (/^(?:UTC|GMT|Z)?\s?[+-]\d/i.test(wanted)) {
    throw new SyncError('CONFIG', `'${name}' is an offset, not a time zone.`, {
      hint: 'An offset knows no summer time. Name the place instead, such as Europe/Berlin.',
    });
  }
  if (!AMBIGUOUS.has(wanted.toUpperCase()) && !WITHDRAWN.test(wanted) && isZone(wanted))
    return wanted;
  throw new SyncError('CONFIG', `There is no time zone '${name}'.`, { hint: zoneHint(wanted) });
}

/** Places that the runtime lists under their older names only. */
const RENAMED = [
  'America/Argentina/Buenos_Aires',
  'America/Nuuk',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Europe/Kyiv',
];

/** Returns the names of zones that are offered to complete what the user types. */
export function zoneNames(): readonly string[] {
  return [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), ...RENAMED])].sort();
}

/** Checks if a zone is UTC under one of its names: the zone of machines for which none was chosen. */
export function isUtc(name: string): boolean {
  return /^(?:Etc\/)?(?:UTC|UCT|GMT|GMT[+-]?0|Universal|Zulu|Greenwich)$/.test(name);
}

function isZone(name: string): boolean {
  return attempt(() => new Intl.DateTimeFormat('en-US', { timeZone: name })) !== undefined;
}

function zoneHint(wanted: string): string {
  const place = wanted.toLowerCase().replace(/\s+/g, '_').split('/').at(-1) ?? '';
  const alike =
    place.length < 3
      ? []
      : Intl.supportedValuesOf('timeZone').filter((zone) => zone.toLowerCase().includes(place));
  return alike.length === 0
    ? 'Name a zone by its region and city, such as Europe/Berlin or America/New_York.'
    : `Did you mean ${alike.slice(0, 3).join(' or ')}?`;
}
