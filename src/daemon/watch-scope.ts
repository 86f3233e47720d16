export interface WatchScope {
  /** Absolute paths, as the user gave them. */
  readonly folders: readonly string[];
  /** Watches every known device that is plugged in, too. Absent: it does not. */
  readonly devices?: boolean;
}

/** Returns the scope alone, without `devices: false`. */
export function scopeOf({ folders, devices }: WatchScope): WatchScope {
  return { folders, ...(devices === true ? { devices } : {}) };
}

/** Names all devices that a watcher may find. */
export const ANY_DEVICE = 'any known device';

export function scopeNames({ folders, devices }: WatchScope): string {
  return [...(devices === true ? [ANY_DEVICE] : []), ...folders].join(', ');
}

/** Returns a scope as `sync watch` takes it. */
export function scopeArguments({ folders, devices }: WatchScope): string[] {
  return [...folders, ...(devices === true ? ['--devices'] : [])];
}
