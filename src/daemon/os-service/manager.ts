import type { Context } from '../../base/context.ts';
import { SyncError } from '../../base/errors.ts';
import { phrase, sync } from '../../base/phrase.ts';
import { type ManagerOptions, type ServiceManager, WITHOUT_SERVICE } from './definition.ts';
import { launchdManager } from './launchd-manager.ts';
import { systemdManager } from './systemd-manager.ts';
import { windowsManager } from './windows-manager.ts';
import { sha256 } from '../../system/sha256.ts';

/** @throws SyncError `CONFIG` on a system that has no service manager known here */
export function serviceManager(
  context: Pick<Context, 'clock' | 'signal'>,
  profile: string,
  options: ManagerOptions,
): ServiceManager {
  switch (options.platform) {
    case 'linux':
      return systemdManager(profile, options);
    case 'darwin':
      return launchdManager(context, serviceSlug(profile), options);
    case 'win32':
      return windowsManager(serviceSlug(profile), options);
    default:
      throw new SyncError('CONFIG', `No service manager is known for ${options.platform}.`, {
        hint: phrase`Start ${WITHOUT_SERVICE} when you log in, or ${sync('watch', '--once')} from cron.`,
      });
  }
}

/** Returns a name for a profile on systems that ignore case; names that differ only in case differ. */
export function serviceSlug(profile: string): string {
  const lower = profile.toLowerCase();
  if (lower === profile) return profile;
  return `${lower}-${sha256(profile).slice(0, 6)}`;
}
