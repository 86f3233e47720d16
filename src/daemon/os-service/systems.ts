import { join } from 'node:path';
import { SyncError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { xdgFolder } from '../../config/paths.ts';
import { NOTIFY_TOOL } from '../keep-alive.ts';
import {
  type ManagerOptions,
  type ServiceDefinition,
  type ServiceKind,
  WITHOUT_SERVICE,
} from './definition.ts';
import { type OwnFile, refused } from './files.ts';
import { launchdPlist } from './launchd.ts';
import { systemdUnit } from './systemd.ts';
import { environmentFile, windowsTask } from './windows-task.ts';

/** What a service manager needs beside its files: its commands. */
export interface ServiceSystem {
  readonly kind: ServiceKind;
  readonly name: string;
  /** The definition, then others. */
  readonly files: readonly [OwnFile, ...OwnFile[]];
  /** Checks that the manager answers, before anything changes. @throws SyncError `CONFIG` */
  greet?(): Promise<void>;
  /** Loads the definition, in place of an earlier one, and starts it. @throws SyncError `STORAGE` */
  start(): Promise<void>;
  /** After a failed start: stops what it loaded. Its files are still there. */
  abandon?(): Promise<unknown>;
  /** After that: starts the earlier service, if its files are there again. Failures are ignored. */
  restore(hasEarlier: boolean): Promise<unknown>;
  stop(): Promise<unknown>;
  /** @throws SyncError `STORAGE` */
  remove(): Promise<unknown>;
  removed?(): Promise<unknown>;
  /** Returns remarks for the user after an installation. */
  remarks(): Promise<string[]> | string[];
}

/** Runs a command. @throws SyncError `STORAGE` if it fails */
async function must({ run }: ManagerOptions, program: string, ...args: string[]): Promise<void> {
  const ran = await run(program, args);
  if (ran.code !== 0) throw refused(program, args, ran);
}

/** The user's own systemd: units under `~/.config/systemd/user`, no privilege needed. */
export function systemd(profile: string, options: ManagerOptions): ServiceSystem {
  const { env, homeDir, uid, run } = options;
  const name = profile === 'default' ? 'athlete-sync.service' : `athlete-sync-${profile}.service`;
  const configHome = xdgFolder(env['XDG_CONFIG_HOME'], join(homeDir, '.config'));
  const path = join(configHome, 'systemd', 'user', name);
  const systemctl = (...args: string[]) =>
    must(options, 'systemctl', '--user', '--no-pager', ...args);
  const quietly = (...args: string[]) => run('systemctl', ['--user', '--no-pager', ...args]);
  const generate = async (definition: ServiceDefinition) =>
    systemdUnit(definition, (await run(NOTIFY_TOOL, ['--version'])).code === 0);
  return {
    kind: 'systemd',
    name,
    files: [{ path, encoding: 'utf8', generate }],
    async greet() {
      const ran = await quietly('show', '--property=Version');
      if (ran.code === 0) return;
      const why = ran.code === 'missing' ? 'systemctl is not installed' : ran.stderr.trim();
      throw new SyncError('CONFIG', `No systemd for this user can be reached: ${why}.`, {
        hint: phrase`After \`su\` or \`sudo\` there is none: log in as this user. Without systemd, start ${WITHOUT_SERVICE} when you log in.`,
      });
    },
    async start() {
      await systemctl('daemon-reload');
      await systemctl('enable', name);
      await systemctl('restart', name);
    },
    abandon: () => quietly('disable', '--now', name),
    async restore(hasEarlier) {
      await quietly('daemon-reload');
      if (hasEarlier) await quietly('enable', '--now', name);
    },
    stop: () => quietly('stop', name),
    remove: () => systemctl('disable', '--now', name),
    removed: () => systemctl('daemon-reload'),
    async remarks() {
      const linger = ['show-user', String(uid), '--property=Linger', '--value'];
      if ((await run('loginctl', linger)).stdout.trim() === 'yes') return [];
      return [
        'It runs while you are logged in. To have it run from boot on, without a login: ' +
          '`loginctl enable-linger` (a keychain stays locked until you log in).',
      ];
    },
  };
}

/**
 * `bootout` returns before launchd has released the agent's name. Until then `bootstrap` fails (5,
 * input/output error; 37, operation in progress), for about 5 s.
 */
const SETTLE_MS = 20_000;
const RETRY_MS = 500;

/** The user's launchd: an agent in the login session, where the keychain is. */
export function launchd(slug: string, options: ManagerOptions): ServiceSystem {
  const { clock, signal, homeDir, uid, run } = options;
  const name = `athlete-sync.${slug}`;
  const path = join(homeDir, 'Library', 'LaunchAgents', `${name}.plist`);
  const domain = `gui/${String(uid)}`;
  const target = `${domain}/${name}`;
  const bootout = () => run('launchctl', ['bootout', target]);
  const bootstrap = async () => {
    const args = ['bootstrap', domain, path];
    const deadline = clock.monotonic() + SETTLE_MS;
    for (;;) {
      const ran = await run('launchctl', args);
      if (ran.code === 0) return;
      const settling = ran.code === 5 || ran.code === 37;
      if (!settling || clock.monotonic() >= deadline) throw refused('launchctl', args, ran);
      await clock.sleep(RETRY_MS, signal);
    }
  };
  return {
    kind: 'launchd',
    name,
    files: [{ path, encoding: 'utf8', generate: (given) => launchdPlist(name, given) }],
    async start() {
      // An earlier agent; "no such process" is fine.
      await bootout();
      // It may have been disabled by hand: then it would not be loaded.
      await run('launchctl', ['enable', target]);
      await bootstrap();
    },
    async restore(hasEarlier) {
      if (hasEarlier) await bootstrap();
    },
    stop: bootout,
    remove: bootout,
    remarks: () => [
      'macOS asks before a program may read Documents, Downloads, the Desktop or a removable ' +
        'disk. If the log says that a folder may not be read, allow it for node under System ' +
        'Settings, Privacy & Security, Full Disk Access.',
    ],
  };
}

/** Windows' Task Scheduler: a task of the user's own, started when they log on. */
export function windows(slug: string, options: ManagerOptions): ServiceSystem {
  const { env, stateDir, run } = options;
  const name = `athlete-sync ${slug}`;
  const path = join(stateDir, 'watch', `task-${slug}.xml`);
  const envFile = join(stateDir, 'watch', `task-${slug}.env`);
  const create = ['/Create', '/TN', name, '/XML', path, '/F'];
  const remove = ['/Delete', '/TN', name, '/F'];
  const end = () => run('schtasks', ['/End', '/TN', name]);
  return {
    kind: 'windows-task',
    name,
    files: [
      {
        path,
        encoding: 'utf16le',
        generate: (given) => windowsTask(userName(env), withVariables(given, envFile)),
      },
      { path: envFile, encoding: 'utf8', generate: (given) => environmentFile(given.env) },
    ],
    async start() {
      await must(options, 'schtasks', ...create);
      await must(options, 'schtasks', '/Run', '/TN', name);
    },
    restore: (hasEarlier) => run('schtasks', hasEarlier ? create : remove),
    stop: end,
    async remove() {
      await end();
      await must(options, 'schtasks', ...remove);
    },
    remarks: () => ['It starts when you log on.'],
  };
}

/** Node reads the variables from the file before the program starts. */
function withVariables(definition: ServiceDefinition, envFile: string): ServiceDefinition {
  const [node, ...args] = definition.command;
  return { ...definition, command: [node, `--env-file=${envFile}`, ...args] };
}

/** @throws SyncError `CONFIG` */
function userName({ USERDOMAIN: domain, USERNAME: user }: ManagerOptions['env']): string {
  if (user === undefined || user === '') {
    throw new SyncError('CONFIG', 'Cannot determine the current user: USERNAME is not set.');
  }
  return domain === undefined || domain === '' ? user : `${domain}\\${user}`;
}
