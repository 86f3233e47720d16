import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns whether a process has not ended. A zombie has: its parent did not read its exit code yet. Its first
 * thread may be one before the others end, which hold files and locks.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== 'linux') return true;
  const status = readProc(pid, 'status');
  return (
    status !== undefined && !(/^State:\s+[ZX]/m.test(status) && /^Threads:\s+1$/m.test(status))
  );
}

/** Returns the command line of a process, with blanks between its words; empty if it has ended or is about to. */
export function commandLine(pid: number): string {
  // Slim images of Node.js lack `ps`.
  if (process.platform === 'linux') return words(readProc(pid, 'cmdline') ?? '');
  const { stdout } = spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], {
    encoding: 'utf8',
  });
  return stdout.includes('<defunct>') ? '' : stdout.trim();
}

/** Returns the watchers that run in a home, foreground and daemon. */
export function watchersIn(home: string): number[] {
  const dir = join(home, 'state', 'watch');
  if (!existsSync(dir)) return [];
  return readdirSync(dir)
    .map((id) => pidIn(join(dir, id, 'watcher.json')))
    .filter((pid) => pid !== undefined && commandLine(pid).includes(home)) as number[];
}

/** Kills the watchers that run in a home. */
export function endWatchers(home: string): void {
  for (const pid of watchersIn(home)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

/** Returns the process of a record; undefined if it is not whole yet, damaged, or the pipe of a test. */
function pidIn(record: string): number | undefined {
  try {
    if (!statSync(record).isFile()) return undefined;
    return (JSON.parse(readFileSync(record, 'utf8')) as { pid: number }).pid;
  } catch {
    return undefined;
  }
}

/** Pause between two looks of {@link watchProcesses} (ms). */
const INTERVAL_MS = 5;

/** Collects the command lines of all processes of this machine. Needs /proc. */
export function watchProcesses() {
  const seen = new Set<string>();
  const look = () => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      seen.add(words(readProc(Number(pid), 'cmdline') ?? ''));
    }
  };
  const timer = setInterval(look, INTERVAL_MS);
  return { seen: () => seen, stop: () => clearInterval(timer) };
}

function words(line: string): string {
  return line.replaceAll('\0', ' ').trim();
}

/** Returns a file of a process; undefined if it has ended. */
function readProc(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${String(pid)}/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}
