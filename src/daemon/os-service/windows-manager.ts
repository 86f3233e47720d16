import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SyncError } from '../../base/errors.ts';
import type { ServiceDefinition, ManagerOptions, ServiceManager } from './definition.ts';
import { readOwnFile, refused, removeOwnFile, writeOwnFile, written } from './files.ts';
import { environmentFile, windowsTask } from './windows-task.ts';

/** Windows' Task Scheduler: a task of the user's own, started when they log on. */
export function windowsManager(
  slug: string,
  { env, stateDir, run }: ManagerOptions,
): ServiceManager {
  const name = `athlete-sync ${slug}`;
  const file = join(stateDir, 'watch', `task-${slug}.xml`);
  const envFile = join(stateDir, 'watch', `task-${slug}.env`);

  const schtasks = async (...args: string[]) => {
    const ran = await run('schtasks', args);
    if (ran.code !== 0) throw refused('schtasks', args, ran);
  };

  const prepare = (definition: ServiceDefinition) => {
    for (const ours of [envFile, file]) readOwnFile(ours);
    return {
      variables: written(({ env: given }) => environmentFile(given), definition),
      task: written(
        (given) => windowsTask(userName(env), withVariables(given, envFile)),
        definition,
      ),
    };
  };

  return {
    kind: 'windows-task',
    name,
    file,
    installed: () => existsSync(file),
    // eslint-disable-next-line @typescript-eslint/require-await
    async check(definition) {
      prepare(definition);
    },
    async install(definition) {
      const { variables, task } = prepare(definition);
      const undoEnv = writeOwnFile(envFile, variables, 'utf8');
      const undo = writeOwnFile(file, task, 'utf16le');
      try {
        await schtasks('/Create', '/TN', name, '/XML', file, '/F');
        await schtasks('/Run', '/TN', name);
      } catch (error) {
        undo();
        undoEnv();
        if (existsSync(file)) await run('schtasks', ['/Create', '/TN', name, '/XML', file, '/F']);
        else await run('schtasks', ['/Delete', '/TN', name, '/F']);
        throw error;
      }
      return ['It starts when you log on.'];
    },
    async stop() {
      await run('schtasks', ['/End', '/TN', name]);
    },
    async uninstall() {
      if (readOwnFile(file) === undefined) return false;
      await run('schtasks', ['/End', '/TN', name]);
      await schtasks('/Delete', '/TN', name, '/F');
      removeOwnFile(file);
      removeOwnFile(envFile);
      return true;
    },
  };
}

/** Node reads the variables from the file before the program starts. */
function withVariables(definition: ServiceDefinition, envFile: string): ServiceDefinition {
  const [node, ...args] = definition.command;
  return { ...definition, command: [node, `--env-file=${envFile}`, ...args] };
}

/** @throws SyncError `CONFIG` */
function userName(env: ManagerOptions['env']): string {
  const { USERDOMAIN: domain, USERNAME: user } = env;
  if (user === undefined || user === '') {
    throw new SyncError('CONFIG', 'Cannot determine the current user: USERNAME is not set.');
  }
  return domain === undefined || domain === '' ? user : `${domain}\\${user}`;
}
