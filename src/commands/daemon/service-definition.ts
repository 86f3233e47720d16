import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AppContext } from '../../app/context.ts';
import { DEVICE_FOLDERS } from '../../app/device-places.ts';
import { NAME_VARIABLE, programName } from '../../base/phrase.ts';
import type { Config } from '../../config/config.ts';
import { SETTINGS } from '../../config/settings.ts';
import { scopeNames, watcherPaths } from '../../daemon/registry.ts';
import type { WatchScope } from '../../daemon/state-file.ts';
import type { ServiceDefinition, ServiceKind } from '../../daemon/os-service/definition.ts';
import { hasPassword } from '../../system/environment.ts';
import { thisProcess } from '../../system/this-process.ts';
import { placeVariables, programFile, watchArguments } from './daemons.ts';

/** Variables that a service needs to find what this shell finds. None is a secret. */
const CARRIED = [
  ...Object.values(SETTINGS).flatMap(({ env = [] }) => env),
  DEVICE_FOLDERS,
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'TZ',
  'NO_PROXY',
  'no_proxy',
];
const PROXIES = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy'];

/**
 * Returns the service's definition, and sentences about variables that are left out of it.
 *
 * @param passOn flags of `sync watch`
 */
export function defineService(
  context: Pick<AppContext, 'env' | 'programDir'>,
  config: Config,
  scope: WatchScope,
  kind: ServiceKind,
  passOn: readonly string[],
): { definition: ServiceDefinition; left: string[] } {
  const left: string[] = [];
  const env: Record<string, string> = {
    ...placeVariables(config),
    [NAME_VARIABLE]: programName(),
  };
  const carry = (name: string, value: string) => {
    if (value !== '') env[name] = value;
  };
  for (const name of CARRIED) carry(name, context.env[name] ?? '');
  for (const name of PROXIES) {
    const value = context.env[name] ?? '';
    if (hasPassword(value)) {
      left.push(`${name} holds a password and is not written into the service.`);
    } else carry(name, value);
  }
  if ((context.env['SYNC_CLIENT_SECRET'] ?? '') !== '') {
    left.push('SYNC_CLIENT_SECRET stays here: the service uses the secret kept with the login.');
  }
  const program = programFile(context);
  if (/[\\/]_npx[\\/]/.test(program)) {
    left.push(
      'This is a copy that npx keeps for a while: install it (`npm install -g athlete-sync`), ' +
        'then run this again.',
    );
  }
  // On Windows the task only starts the daemon.
  const daemon = kind === 'windows-task' ? ['--daemon'] : [];
  const args = [...watchArguments(config, scope, kind), ...passOn, ...daemon];
  const paths = watcherPaths(config.paths.stateDir, config.profile, scope);
  const definition: ServiceDefinition = {
    profile: config.profile,
    watches: scopeNames(scope),
    command: [lastingNode(thisProcess.nodePath), program, ...args],
    env,
    crashFile: paths.crashFile,
  };
  return { definition, left };
}

/** Folders in which an update of Node replaces `node` in place. */
const LASTING = [
  '/usr/local/bin',
  '/opt/homebrew/bin',
  '/home/linuxbrew/.linuxbrew/bin',
  '/usr/bin',
];

/**
 * Returns a path to this Node that outlives an update: package managers keep a link to the current
 * version, and delete the earlier one.
 */
function lastingNode(node: string): string {
  if (LASTING.includes(dirname(node))) return node;
  const links = LASTING.map((folder) => join(folder, 'node'));
  return (
    links.find((link) => existsSync(link) && realpathSync(link) === realpathSync(node)) ?? node
  );
}
