import { createHash } from 'node:crypto';
import type { Context } from '../base/context.ts';
import type { Env } from '../base/env.ts';
import { SyncError } from '../base/errors.ts';
import { phrase, sync } from '../base/phrase.ts';
import type { ServiceDefinition } from './definition.ts';
import { launchdManager } from './launchd-manager.ts';
import type { Run } from './runner.ts';
import { systemdManager } from './systemd-manager.ts';
import { windowsManager } from './windows-manager.ts';

export type ServiceKind = 'systemd' | 'launchd' | 'windows-task';

/** The service manager of the operating system, for the service of one profile. */
export interface ServiceManager {
  readonly kind: ServiceKind;
  /** The service's name in the system. */
  readonly name: string;
  /** The file with its definition. */
  readonly file: string;
  /** Returns whether that file exists. */
  installed(): boolean;
  /**
   * Checks whether {@link install} would fail, without changing anything.
   * @throws SyncError as `install`
   */
  check(definition: ServiceDefinition): Promise<void>;
  /**
   * Installs and starts the service, in place of an earlier one. If that fails, restores the earlier
   * state.
   *
   * @returns remarks for the user, as sentences
   * @throws SyncError `CONFIG` if the system has no such manager, or a path cannot be written for it;
   *   `STORAGE` if the system refuses
   */
  install(definition: ServiceDefinition): Promise<readonly string[]>;
  /**
   * Stops the service until the next login, also if it has just crashed and waits for a restart. Never
   * fails: an unreachable manager starts nothing either.
   */
  stop(): Promise<void>;
  /**
   * Stops and removes the service.
   *
   * @returns false if there was none
   * @throws SyncError `STORAGE` if the system refuses, or the file is another program's
   */
  uninstall(): Promise<boolean>;
}

export interface ManagerOptions {
  readonly platform: NodeJS.Platform;
  readonly env: Env;
  readonly homeDir: string;
  readonly stateDir: string;
  /** Of the user; undefined on Windows. */
  readonly uid: number | undefined;
  readonly run: Run;
}

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
        hint: phrase`Start ${sync('watch', 'DIR', '--daemon')} when you log in, or ${sync('watch', 'DIR', '--once')} from cron.`,
      });
  }
}

/** Returns a name for a profile on systems that ignore case; names that differ only in case differ. */
export function serviceSlug(profile: string): string {
  const lower = profile.toLowerCase();
  if (lower === profile) return profile;
  return `${lower}-${createHash('sha256').update(profile).digest('hex').slice(0, 6)}`;
}
