import { SyncError } from '../base/errors.ts';
import { checkZone } from '../base/zone-name.ts';

/** What a machine says about its time zone. */
export interface MachineZoneSources {
  /** The variable `TZ`; it outweighs the system's setting. */
  readonly tz: string | undefined;
  /** What the runtime made of both; undefined or `Etc/Unknown` where it could not. */
  readonly resolved: () => string | undefined;
  /** Where `/etc/localtime` leads, if it is there. */
  readonly localtime: () => string | undefined;
}

/**
 * The zone of this machine, an IANA name. The runtime is not believed where `TZ` names no zone: it
 * silently takes UTC for a rule such as `CET-1CEST`.
 *
 * @throws SyncError `CONFIG` that says what was found instead of a zone
 */
export function findMachineZone({ tz, resolved, localtime }: MachineZoneSources): string {
  // POSIX: a colon comes before what the system knows by name; glibc looks for it without one, too.
  const wanted = tz?.trim().replace(/^:/, '');
  if (wanted === undefined) {
    const zone = acceptable(resolved()) ?? acceptable(zoneOfFile(localtime()));
    return zone ?? unknown("the system's setting names none");
  }
  // A rule without summer time that says what its name says.
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
  try {
    return checkZone(name);
  } catch {
    return undefined;
  }
}

function unknown(found: string): never {
  throw new SyncError('CONFIG', `This machine does not say which time zone it is in: ${found}.`, {
    hint:
      'Say it: `sync config set timezone Europe/Berlin`, or SYNC_TIMEZONE=Europe/Berlin, ' +
      'or --tz Europe/Berlin (push, seed).',
    details: { setting: 'timezone' },
  });
}
