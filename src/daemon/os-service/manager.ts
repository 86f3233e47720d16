import { existsSync } from 'node:fs';
import { SyncError } from '../../base/errors.ts';
import { phrase, sync } from '../../base/phrase.ts';
import { sha256 } from '../../system/this-process.ts';
import { type ManagerOptions, type ServiceDefinition, WITHOUT_SERVICE } from './definition.ts';
import { type OwnFile, generated, readOwnFile, removeOwnFile, writeOwnFile } from './files.ts';
import { type ServiceSystem, launchd, systemd, windows } from './systems.ts';

export type ServiceManager = Readonly<ReturnType<typeof serviceManager>>;

/**
 * Returns the service manager of the operating system, for the service of one profile.
 *
 * @throws SyncError `CONFIG` on a system that has no service manager known here
 */
export function serviceManager(profile: string, options: ManagerOptions) {
  const system = systemFor(profile, options);
  const { kind, name, files } = system;
  const file = files[0].path;
  const prepare = async (definition: ServiceDefinition) => {
    await system.greet?.();
    for (const { path } of files) readOwnFile(path);
    const write = async (each: OwnFile) => ({ ...each, text: await generated(each, definition) });
    return await Promise.all(files.map(write));
  };
  return {
    kind,
    name,
    file,
    installed: () => existsSync(file),
    /** Checks whether `install` would fail, without changing anything. @throws SyncError as `install` */
    async check(definition: ServiceDefinition): Promise<void> {
      await prepare(definition);
    },
    /**
     * Installs and starts the service, in place of an earlier one. If that fails, restores the earlier
     * state. Returns remarks for the user, as sentences.
     *
     * @throws SyncError `CONFIG` if the system has no such manager, or a path cannot be written for
     *   it; `STORAGE` if the system refuses
     */
    async install(definition: ServiceDefinition): Promise<readonly string[]> {
      const undos = (await prepare(definition)).map(writeOwnFile);
      try {
        await system.start();
      } catch (error) {
        await system.abandon?.();
        for (const undo of undos) undo();
        await system.restore(existsSync(file)).catch(() => undefined);
        throw error;
      }
      return await system.remarks();
    },
    /**
     * Stops the service until the next login, also if it has just crashed and waits for a restart.
     * Never fails: an unreachable manager starts nothing either.
     */
    async stop(): Promise<void> {
      await system.stop();
    },
    /** @returns false if there was none. @throws SyncError `STORAGE` */
    async uninstall(): Promise<boolean> {
      if (readOwnFile(file) === undefined) return false;
      await system.greet?.();
      await system.remove();
      for (const { path } of files) removeOwnFile(path);
      await system.removed?.();
      return true;
    },
  };
}

function systemFor(profile: string, options: ManagerOptions): ServiceSystem {
  switch (options.platform) {
    case 'linux':
      return systemd(profile, options);
    case 'darwin':
      return launchd(serviceSlug(profile), options);
    case 'win32':
      return windows(serviceSlug(profile), options);
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
