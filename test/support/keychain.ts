import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * The keyring of a scratch desktop: open, locked, absent, a session bus without a Secret Service, or
 * a Secret Service that never answers.
 */
export type KeychainState = 'unlocked' | 'locked' | 'no-keyring' | 'no-service' | 'silent';

/** A scratch desktop session with a separate home, bus and Secret Service. */
export interface ScratchKeychain {
  /** The environment of processes in this session. */
  readonly env: Readonly<Record<string, string>>;
  /** Restarts its Secret Service as after a reboot: the entries are locked. */
  lock(): Promise<void>;
  /** Restarts it as after a login at the screen. */
  unlock(): Promise<void>;
  /** Ends it; `unlock` starts it again. */
  leave(): Promise<void>;
  /** Makes it stop answering, like a Secret Service with an open unlock prompt. */
  freeze(): void;
  /** Lets it answer again. */
  thaw(): void;
  /** Counts the entries of a service. */
  count(service: string): Promise<number>;
  /** Ends its processes and removes its files. May be called twice. */
  stop(): Promise<void>;
}

const TOOLS = ['dbus-daemon', 'gnome-keyring-daemon', 'gdbus'];

/** Returns why this machine can have no scratch keychain; undefined if it can. */
export function whyNoKeychain(): string | undefined {
  if (process.platform !== 'linux') return 'a scratch Secret Service needs Linux';
  const missing = TOOLS.filter(
    (tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0,
  );
  return missing.length === 0
    ? undefined
    : `not installed: ${missing.join(', ')} (Debian: gnome-keyring dbus libglib2.0-bin)`;
}

/**
 * Configuration of a bus that starts no services. On a usual bus, a missing Secret Service would be
 * started on demand, and an unlock prompt would look for a display.
 */
const busConfig = (socket: string) => `<!DOCTYPE busconfig PUBLIC
 "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=${socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`;

/** @throws Error if its processes do not come up. */
export async function startKeychain(state: KeychainState = 'unlocked'): Promise<ScratchKeychain> {
  const home = mkdtempSync(join(tmpdir(), 'sync-keychain-'));
  const socket = join(home, 'bus');
  const config = join(home, 'bus.conf');
  mkdirSync(join(home, 'run'), { mode: 0o700 });
  writeFileSync(config, busConfig(socket));
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    XDG_RUNTIME_DIR: join(home, 'run'),
    XDG_DATA_HOME: join(home, 'data'),
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}`,
  };
  let daemon: ChildProcess | undefined;
  const restart = async (password: string | undefined) => {
    await end(daemon);
    daemon = await startDaemon(env, password);
  };
  const bus = spawn('dbus-daemon', [`--config-file=${config}`, '--nofork', '--print-address'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const stop = async () => {
    await end(daemon);
    await end(bus);
    rmSync(home, { recursive: true, force: true });
  };
  const keychain: ScratchKeychain = {
    env,
    lock: () => restart(undefined),
    unlock: () => restart(PASSWORD),
    leave: () => end(daemon),
    freeze: () => void daemon?.kill('SIGSTOP'),
    thaw: () => void daemon?.kill('SIGCONT'),
    count: (service) => countItems(env, service),
    stop,
  };
  try {
    await firstLine(bus);
    switch (state) {
      case 'unlocked':
        await keychain.unlock();
        break;
      case 'locked':
        // The first session makes the keyring; the next one does not open it.
        await keychain.unlock();
        await keychain.lock();
        break;
      case 'no-keyring':
        await restart(undefined);
        break;
      case 'silent':
        await keychain.unlock();
        keychain.freeze();
        break;
      case 'no-service':
        break;
    }
    return keychain;
  } catch (error) {
    await stop();
    throw error;
  }
}

const PASSWORD = 'the password of a scratch keyring';

/** @param password opens the keyring, and makes it if there is none; undefined: stays locked. */
async function startDaemon(
  env: Readonly<Record<string, string>>,
  password: string | undefined,
): Promise<ChildProcess> {
  const daemon = spawn(
    'gnome-keyring-daemon',
    ['--foreground', '--components=secrets', ...(password === undefined ? [] : ['--unlock'])],
    { env, stdio: ['pipe', 'ignore', 'ignore'] },
  );
  daemon.stdin.on('error', () => undefined);
  daemon.stdin.end(password ?? '');
  const wait = spawn('gdbus', ['wait', '--session', '--timeout', '20', 'org.freedesktop.secrets'], {
    env,
    stdio: 'ignore',
  });
  const [code] = (await once(wait, 'close')) as [number | null];
  if (code === 0) return daemon;
  await end(daemon);
  throw new Error('gnome-keyring-daemon did not come up');
}

async function countItems(env: Readonly<Record<string, string>>, service: string): Promise<number> {
  const search = spawn(
    'gdbus',
    [
      ...['call', '--session', '--dest', 'org.freedesktop.secrets'],
      ...['--object-path', '/org/freedesktop/secrets'],
      ...['--method', 'org.freedesktop.Secret.Service.SearchItems', `{'service': '${service}'}`],
    ],
    { env, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let found = '';
  search.stdout.on('data', (chunk: Buffer) => (found += chunk.toString()));
  const [code] = (await once(search, 'close')) as [number | null];
  if (code !== 0) throw new Error('the keyring cannot be searched');
  return found.match(/\/org\/freedesktop\/secrets\/collection\//g)?.length ?? 0;
}

async function firstLine(child: ChildProcess): Promise<void> {
  if (child.stdout === null) throw new Error('no stdout to read');
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, 'close').then(() => {
    throw new Error(`${child.spawnfile} ended before it was ready`);
  });
  ended.catch(() => undefined);
  await Promise.race([once(lines, 'line'), ended]);
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}
