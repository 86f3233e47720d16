import { SyncError, attempt } from '../base/errors.ts';
import { phrase, sync } from '../base/phrase.ts';
import { checkZone, isUtc } from '../base/zone-name.ts';

export interface MachineZoneSources {
  /** The variable `TZ`, which wins over the system's setting. */
  readonly tz: string | undefined;
  /** The runtime's zone; undefined or `Etc/Unknown` if it found none. */
  readonly resolved: () => string | undefined;
  /** Target of `/etc/localtime`, if it exists. */
  readonly localtime: () => string | undefined;
}

/**
 * Returns the machine's zone, an IANA name. Ignores the runtime's answer if `TZ` is set, because the
 * runtime silently uses UTC for a rule such as `CET-1CEST`.
 *
 * @throws SyncError `CONFIG` that states the invalid setting
 */
export function findMachineZone({ tz, resolved, localtime }: MachineZoneSources): string {
  // POSIX: a colon precedes an implementation-defined name; glibc accepts the name without one, too.
  const wanted = tz?.trim().replace(/^:/, '');
  if (wanted === undefined) {
    const linked = zoneOfFile(localtime());
    // The runtime, too, calls Etc/UTC and the like UTC.
    if (linked !== undefined && isUtc(linked)) return 'UTC';
    // The link comes first: asking the runtime takes 25 ms and 7 MB of memory.
    const zone = acceptable(linked) ?? acceptable(resolved());
    return zone ?? unknown("the system's setting names none");
  }
  // A rule without summer time, equal to its name.
  if (/^(?:UTC|GMT)0$/i.test(wanted)) return 'UTC';
  const name =
    wanted === '/etc/localtime' ? zoneOfFile(localtime()) : (zoneOfFile(wanted) ?? wanted);
  return acceptable(name) ?? unknown(tz === '' ? 'TZ is set, but empty' : `TZ is "${tz}"`);
}

/** `/usr/share/zoneinfo/posix/Europe/Berlin` -> `Europe/Berlin` */
function zoneOfFile(path: string | undefined): string | undefined {
  return path === undefined
    ? undefined
    : /^(?:.*\/zoneinfo\/)?(?:(?:posix|right)\/)?(.+)$/.exec(path)?.[1];
}

function acceptable(name: string | undefined): string | undefined {
  if (name === undefined || name === 'Etc/Unknown') return undefined;
  return attempt(() => checkZone(name));
}

function unknown(found: string): never {
  throw new SyncError('CONFIG', `This machine does not say which time zone it is in: ${found}.`, {
    hint: phrase`Say it: ${sync('config', 'set', 'timezone', 'Europe/Berlin')}, or SYNC_TIMEZONE=Europe/Berlin, or --tz Europe/Berlin (push, seed).`,
    details: { setting: 'timezone' },
  });
}
