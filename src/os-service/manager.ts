import { createHash } from 'node:crypto';
import type { Env } from '../base/env.ts';
import { SyncError } from '../base/errors.ts';
import type { Clock } from '../base/time.ts';
import type { ServiceDefinition } from './definition.ts';
import { launchdManager } from './launchd-manager.ts';
import type { Run } from './runner.ts';
import { systemdManager } from './systemd-manager.ts';
import { windowsManager } from './windows-manager.ts';

export type ServiceKind = 'systemd' | 'launchd' | 'windows-task';

/** The system's own keeper of programs, for the service of one profile. */
export interface ServiceManager {
  readonly kind: ServiceKind;
  /** What the system calls the service. */
  readonly name: string;
  /** Where it is described. */
  readonly file: string;
  /** Is that file there? */
  installed(): boolean;
  /**
   * Finds out, as far as can be known without changing anything, whether {@link install} would fail.
   * @throws SyncError as `install`
   */
  check(definition: ServiceDefinition): Promise<void>;
  /**
   * Describes the service to the system, and starts it; one that is there already is replaced.
   * Where that fails everything is as before.
   *
   * @returns what a person should know, in sentences
   * @throws SyncError `CONFIG` where there is no such system, or a path cannot be written down for
   *   it; `STORAGE` when the system refuses
   */
  install(definition: ServiceDefinition): Promise<readonly string[]>;
  /**
   * Keeps the service from being started again until the next login, should it have crashed just
   * now; ends it where it runs. Never fails: what cannot be reached starts nothing either.
   */
  stop(): Promise<void>;
  /**
   * Ends the service and takes it away.
   * @returns false: there was none
   * @throws SyncError `STORAGE` when the system refuses, or the file is somebody else's
   */
  uninstall(): Promise<boolean>;
}

export interface ManagerNeeds {
  readonly platform: NodeJS.Platform;
  readonly env: Env;
  readonly homeDir: string;
  readonly stateDir: string;
  /** Of the user; undefined on Windows. */
  readonly uid: number | undefined;
  readonly run: Run;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** @throws SyncError `CONFIG` on a system that has no service manager known here */
export function serviceManager(profile: string, needs: ManagerNeeds): ServiceManager {
  switch (needs.platform) {
    case 'linux':
      return systemdManager(profile, needs);
    case 'darwin':
      return launchdManager(serviceSlug(profile), needs);
    case 'win32':
      return windowsManager(serviceSlug(profile), needs);
    default:
      throw new SyncError('CONFIG', `No service manager is known for ${needs.platform}.`, {
        hint: 'Start `sync watch DIR --daemon` when you log in, or `sync watch DIR --once` from cron.',
      });
  }
}

/** A profile's name where case does not count; names that differ in case alone stay apart. */
export function serviceSlug(profile: string): string {
  const lower = profile.toLowerCase();
  if (lower === profile) return profile;
  return `${lower}-${createHash('sha256').update(profile).digest('hex').slice(0, 6)}`;
}
