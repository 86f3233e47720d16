import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { watcherPaths } from '../daemon/registry.ts';
import type { ServiceDefinition } from '../os-service/definition.ts';
import type { ServiceKind } from '../os-service/manager.ts';
import { absolutePlaces, programFile, watchArguments } from './daemon-start.ts';
import { type DaemonNeeds, absoluteStateDir } from './daemon.ts';

/** Variables that a service needs to find what this shell finds. None is a secret. */
const CARRIED = [
  'SYNC_BASE_URL',
  'SYNC_CLIENT_ID',
  'SYNC_TIMEZONE',
  'SYNC_TOKEN_STORE',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'TZ',
  'NO_PROXY',
  'no_proxy',
];
/** Addresses, with a password in them at times. */
const PROXIES = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy'];

/** @returns what the service runs, and what had to be left behind, in sentences */
export function defineService(
  folders: readonly string[],
  kind: ServiceKind,
  needs: DaemonNeeds,
): { definition: ServiceDefinition; left: string[] } {
  const { config, deps } = needs;
  const left: string[] = [];
  const env: Record<string, string> = absolutePlaces(needs);
  const carry = (name: string, value: string) => {
    if (value !== '') env[name] = value;
  };
  for (const name of CARRIED) carry(name, deps.env[name] ?? '');
  for (const name of PROXIES) {
    const value = deps.env[name] ?? '';
    if (hasPassword(value)) {
      left.push(`${name} holds a password and is not written into the service.`);
    } else carry(name, value);
  }
  if ((deps.env['SYNC_CLIENT_SECRET'] ?? '') !== '') {
    left.push('SYNC_CLIENT_SECRET stays here: the service uses the secret kept with the login.');
  }
  const program = programFile(deps);
  if (/[\\/]_npx[\\/]/.test(program)) {
    left.push(
      'This is a copy that npx keeps for a while: install it (`npm install -g athlete-sync`), ' +
        'then run this again.',
    );
  }
  // Windows' Task Scheduler starts what then goes on by itself.
  const daemon = kind === 'windows-task' ? ['--daemon'] : [];
  const args = [...watchArguments(config, folders, kind), ...daemon];
  const paths = watcherPaths(absoluteStateDir(needs), config.profile, folders);
  const definition: ServiceDefinition = {
    profile: config.profile,
    folders,
    command: [lastingNode(process.execPath), program, ...args],
    env,
    crashFile: paths.crashFile,
  };
  return { definition, left };
}

function hasPassword(address: string): boolean {
  // Proxies are named without a scheme, too.
  const text = address.includes('://') ? address : `http://${address}`;
  if (!URL.canParse(text)) return address.includes('@');
  const { username, password } = new URL(text);
  return username !== '' || password !== '';
}

/** Folders whose `node` stays where it is when Node is updated. */
const LASTING = [
  '/usr/local/bin',
  '/opt/homebrew/bin',
  '/home/linuxbrew/.linuxbrew/bin',
  '/usr/bin',
];

/**
 * A path to this Node that outlives its next update: package managers keep a link to the version
 * that is current, and delete the one that was.
 */
function lastingNode(node: string): string {
  if (LASTING.includes(dirname(node))) return node;
  const links = LASTING.map((folder) => join(folder, 'node'));
  return (
    links.find((link) => existsSync(link) && realpathSync(link) === realpathSync(node)) ?? node
  );
}
