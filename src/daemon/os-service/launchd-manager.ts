import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../base/context.ts';
import type { ServiceDefinition, ManagerOptions, ServiceManager } from './definition.ts';
import { readOwnFile, refused, removeOwnFile, writeOwnFile, written } from './files.ts';
import { launchdPlist } from './launchd.ts';

/**
 * `bootout` returns before launchd has released the agent's name. Until then `bootstrap` fails (5,
 * input/output error; 37, operation in progress), for about 5 s.
 */
const SETTLE_MS = 20_000;
const RETRY_MS = 500;

/** The user's launchd: an agent in the login session, where the keychain is. */
export function launchdManager(
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
  slug: string,
  { homeDir, uid, run }: ManagerOptions,
): ServiceManager {
  const name = `athlete-sync.${slug}`;
  const file = join(homeDir, 'Library', 'LaunchAgents', `${name}.plist`);
  const domain = `gui/${String(uid)}`;
  const target = `${domain}/${name}`;

  const bootstrap = async () => {
    const args = ['bootstrap', domain, file];
    const deadline = clock.monotonic() + SETTLE_MS;
    for (;;) {
      const ran = await run('launchctl', args);
      if (ran.code === 0) return;
      const settling = ran.code === 5 || ran.code === 37;
      if (!settling || clock.monotonic() >= deadline) throw refused('launchctl', args, ran);
      await clock.sleep(RETRY_MS, signal);
    }
  };

  const prepare = (definition: ServiceDefinition) => {
    readOwnFile(file);
    return written((given) => launchdPlist(name, given), definition);
  };

  return {
    kind: 'launchd',
    name,
    file,
    installed: () => existsSync(file),
    // eslint-disable-next-line @typescript-eslint/require-await
    async check(definition) {
      prepare(definition);
    },
    async install(definition) {
      const plist = prepare(definition);
      const undo = writeOwnFile(file, plist, 'utf8');
      try {
        // An earlier agent; "no such process" is fine.
        await run('launchctl', ['bootout', target]);
        // It may have been disabled by hand: then it would not be loaded.
        await run('launchctl', ['enable', target]);
        await bootstrap();
      } catch (error) {
        undo();
        if (existsSync(file)) await bootstrap().catch(() => undefined);
        throw error;
      }
      return [
        'macOS asks before a program may read Documents, Downloads, the Desktop or a removable ' +
          'disk. If the log says that a folder may not be read, allow it for node under System ' +
          'Settings, Privacy & Security, Full Disk Access.',
      ];
    },
    async stop() {
      await run('launchctl', ['bootout', target]);
    },
    async uninstall() {
      if (readOwnFile(file) === undefined) return false;
      await run('launchctl', ['bootout', target]);
      removeOwnFile(file);
      return true;
    },
  };
}
