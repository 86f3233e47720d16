import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  rmdirSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAM } from '../../support/program.ts';
import { until } from '../../watch/support.ts';

/** The user that the manager runs for, without any privilege; the bus wants one with a name. */
const UID = Number(spawnSync('id', ['-u', 'nobody'], { encoding: 'utf8' }).stdout);
const SYSTEMD = ['/usr/lib/systemd/systemd', '/lib/systemd/systemd'].find((path) =>
  existsSync(path),
);
const CGROUPS = ['/sys/fs/cgroup/systemd', '/sys/fs/cgroup/unified', '/sys/fs/cgroup'];

/**
 * Returns why no systemd user manager can run here, or undefined if one can. It needs root, to make
 * a separate process namespace and cgroup in which it cannot affect the system.
 */
export function whyNoUserManager(): string | undefined {
  if (process.platform !== 'linux' || SYSTEMD === undefined) return 'no systemd here';
  if (process.getuid?.() !== 0) return 'a systemd user manager of its own needs root';
  for (const tool of ['unshare', 'setpriv', 'dbus-daemon', 'systemctl']) {
    if (spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0) return `no ${tool} here`;
  }
  if (writableCgroups().length === 0) return 'no cgroup may be made here';
  if (spawnSync('unshare', ['-m', '-p', '-f', 'true']).status !== 0) return 'no namespaces here';
  const reads = ['--reuid', String(UID), '--clear-groups', 'test', '-r', PROGRAM];
  return spawnSync('setpriv', reads).status === 0
    ? undefined
    : 'another user may not read the built program';
}

function writableCgroups(): string[] {
  return CGROUPS.filter((path) => {
    try {
      accessSync(join(path, 'cgroup.procs'), constants.W_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** A shell of an unprivileged user who has a systemd user manager, and maybe a keychain. */
export interface UserManager {
  readonly home: string;
  /** Runs a shell command. stdout and stderr as one. */
  run(command: string): Promise<{ code: number; output: string }>;
  /** Ends everything in there. May be called twice. */
  close(): Promise<void>;
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** @param name of the home's folder. @throws Error if the manager does not come up */
export async function startUserManager(
  name: string,
  env: Readonly<Record<string, string>>,
): Promise<UserManager> {
  const around = mkdtempSync(join(tmpdir(), 'sync-user-'));
  const home = join(around, name);
  mkdirSync(home);
  for (const path of [around, home]) chownSync(path, UID, UID);
  const cgroups = writableCgroups().map((path) => join(path, around.replaceAll('/', '_')));
  const user = `
    mkdir -p $XDG_RUNTIME_DIR && cd "$HOME" || exit 1
    dbus-daemon --session --address="$DBUS_SESSION_BUS_ADDRESS" --fork --nopidfile
    ${SYSTEMD ?? ''} --user > ../systemd.log 2>&1 &
    for i in $(seq 100); do systemctl --user show --property=Version > /dev/null 2>&1 && break; sleep 0.1; done
    exec bash --norc --noprofile
  `;
  const root = `
    mount -t tmpfs none /run && mkdir -p /run/systemd/system /run/user || exit 1
    install -d -m 700 -o ${UID} -g ${UID} /run/user/${UID}
    for group in ${cgroups.map(quoted).join(' ')}; do
      mkdir -p "$group" && chown -R ${UID}:${UID} "$group" && echo 0 > "$group/cgroup.procs"
    done
    exec setpriv --reuid=${UID} --regid=${UID} --clear-groups bash -c ${quoted(user)}
  `;
  const child = spawn(
    'unshare',
    ['-m', '-p', '-f', '--mount-proc', '--kill-child', 'bash', '-c', root],
    {
      env: {
        PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`,
        HOME: home,
        XDG_RUNTIME_DIR: `/run/user/${UID}`,
        DBUS_SESSION_BUS_ADDRESS: `unix:path=/run/user/${UID}/bus`,
        ...env,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  const manager = shellOf(child, home, async () => {
    // Its last processes may only just be ending.
    await until(() => cgroups.every((path) => removeCgroup(path)), 'the cgroups are gone');
    rmSync(around, { recursive: true, force: true });
  });
  const { code, output } = await manager.run('systemctl --user show --property=Version');
  if (code === 0) return manager;
  const { output: log } = await manager.run('cat ../systemd.log');
  await manager.close();
  throw new Error(`no user manager: ${output}\n${log}`);
}

function shellOf(child: ChildProcess, home: string, clean: () => Promise<void>): UserManager {
  let output = '';
  let heard: () => void = () => undefined;
  const hear = (text: string) => {
    output += text;
    heard();
  };
  child.stdout?.setEncoding('utf8').on('data', hear);
  child.stderr?.setEncoding('utf8').on('data', hear);
  let over = false;
  const exited = new Promise<void>((resolve) => {
    child.once('close', () => {
      over = true;
      heard();
      resolve();
    });
  });
  let marks = 0;
  return {
    home,
    run: (command) =>
      new Promise((resolve, reject) => {
        const mark = `<<${String(++marks)}:`;
        const end = new RegExp(`${mark}(\\d+)>>`);
        heard = () => {
          const found = end.exec(output);
          if (found === null) {
            if (over) reject(new Error(`the shell ended: ${output}`));
            return;
          }
          const said = output.slice(0, found.index);
          output = '';
          resolve({ code: Number(found[1]), output: said });
        };
        output = '';
        child.stdin?.write(`{ ${command}\n} 2>&1; echo "${mark}$?>>"\n`);
        heard();
      }),
    async close() {
      child.kill('SIGKILL');
      await exited;
      await clean();
    },
  };
}

/** @returns false if the cgroup still contains a process */
function removeCgroup(path: string): boolean {
  if (!existsSync(path)) return true;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory() && !removeCgroup(join(path, entry.name))) return false;
  }
  try {
    rmdirSync(path);
    return true;
  } catch {
    return false;
  }
}
