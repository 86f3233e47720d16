import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SyncError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import {
  type ServiceDefinition,
  type ManagerOptions,
  type ServiceManager,
  WITHOUT_SERVICE,
} from './definition.ts';
import { readOwnFile, refused, removeOwnFile, writeOwnFile, written } from './files.ts';
import { systemdUnit } from './systemd.ts';

/** The user's own systemd: units under `~/.config/systemd/user`, no privilege needed. */
export function systemdManager(
  profile: string,
  { env, homeDir, uid, run }: ManagerOptions,
): ServiceManager {
  const name = profile === 'default' ? 'athlete-sync.service' : `athlete-sync-${profile}.service`;
  const configHome = env['XDG_CONFIG_HOME'] || join(homeDir, '.config');
  const file = join(configHome, 'systemd', 'user', name);

  const systemctl = async (...args: string[]) => {
    const all = ['--user', '--no-pager', ...args];
    const ran = await run('systemctl', all);
    if (ran.code !== 0) throw refused('systemctl', all, ran);
    return ran;
  };
  /** Checks that systemd answers, before anything is written. */
  const greet = async () => {
    const ran = await run('systemctl', ['--user', '--no-pager', 'show', '--property=Version']);
    if (ran.code === 0) return;
    const why = ran.code === 'missing' ? 'systemctl is not installed' : ran.stderr.trim();
    throw new SyncError('CONFIG', `No systemd for this user can be reached: ${why}.`, {
      hint: phrase`After \`su\` or \`sudo\` there is none: log in as this user. Without systemd, start ${WITHOUT_SERVICE} when you log in.`,
    });
  };

  const prepare = async (definition: ServiceDefinition) => {
    const unit = written(systemdUnit, definition);
    await greet();
    readOwnFile(file);
    return unit;
  };

  return {
    kind: 'systemd',
    name,
    file,
    installed: () => existsSync(file),
    async check(definition) {
      await prepare(definition);
    },
    async install(definition) {
      const unit = await prepare(definition);
      const undo = writeOwnFile(file, unit, 'utf8');
      try {
        await systemctl('daemon-reload');
        await systemctl('enable', name);
        await systemctl('restart', name);
      } catch (error) {
        const quietly = (...args: string[]) => run('systemctl', ['--user', '--no-pager', ...args]);
        await quietly('disable', '--now', name);
        undo();
        await quietly('daemon-reload');
        if (existsSync(file)) await quietly('enable', '--now', name);
        throw error;
      }
      const linger = await run('loginctl', [
        'show-user',
        String(uid),
        '--property=Linger',
        '--value',
      ]);
      return linger.stdout.trim() === 'yes'
        ? []
        : [
            'It runs while you are logged in. To have it run from boot on, without a login: ' +
              '`loginctl enable-linger` (a keychain stays locked until you log in).',
          ];
    },
    async stop() {
      await run('systemctl', ['--user', '--no-pager', 'stop', name]);
    },
    async uninstall() {
      if (readOwnFile(file) === undefined) return false;
      await greet();
      await systemctl('disable', '--now', name);
      removeOwnFile(file);
      await systemctl('daemon-reload');
      return true;
    },
  };
}
