import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { until } from './until.ts';

const FILESYSTEM = join(dirname(fileURLToPath(import.meta.url)), 'mtp-filesystem.py');
/** Debian's, which finds Debian's package python3-fusepy. */
const PYTHON = '/usr/bin/python3';

/** How the device behaves: see mtp-filesystem.py. */
export interface MtpBehaviour {
  /** Of every call (s). */
  readonly delay?: number;
  /** False: every size is 0. */
  readonly sizes?: boolean;
  /** Of every file: the present, or 1970. Absent: `now`. */
  readonly times?: 'now' | 'none';
  /** False: files cannot be opened, as with a device that gives out whole files only. */
  readonly parts?: boolean;
  readonly state?: 'plugged' | 'hanging' | 'gone' | 'unplugged';
  /** The state once this many bytes were read. */
  readonly after?: { readonly bytes: number; readonly state: 'hanging' | 'gone' | 'unplugged' };
}

/** What was called, by path on the device. */
export interface MtpCounts {
  /** By operation. */
  readonly calls: Readonly<Record<string, number>>;
  readonly opens: Readonly<Record<string, number>>;
  readonly bytes: Readonly<Record<string, number>>;
  /** Readers at once. */
  readonly most: number;
  /** Readers that were refused because there was another. */
  readonly refused: number;
}

/** A device over MTP, mounted as GVfs does. */
export interface MtpDevice {
  /** Files on the device: writing to it needs no mount. */
  readonly source: string;
  /** Where they are mounted. */
  readonly mount: string;
  behave(behaviour: MtpBehaviour): void;
  counts(): MtpCounts;
}

/** Why no such device can be mounted here; undefined if one can. */
export function whyNoMtp(): string | undefined {
  if (process.platform !== 'linux') return 'FUSE needs Linux';
  const at = mkdtempSync(join(tmpdir(), 'mtp-'));
  try {
    const script = `import fusepy, sys; fusepy.FUSE(fusepy.Operations(), sys.argv[1])`;
    if (spawnSync(PYTHON, ['-c', script, at], { timeout: 10_000 }).status === 0) return undefined;
    return 'no FUSE mount can be made here: python3-fusepy, /dev/fuse';
  } finally {
    spawnSync('fusermount3', ['-u', '-z', '-q', at]);
    rmSync(at, { recursive: true });
  }
}

/** Mounts a device as GVfs does, until the test ends. */
export async function mountMtp(name = 'Garmin_Edge_840_0000caea38a2'): Promise<MtpDevice> {
  // In the place of `/run/user/1000`.
  const around = mkdtempSync(join(tmpdir(), 'mtp-'));
  const source = join(around, 'device');
  const mount = join(around, 'gvfs', `mtp:host=${name}`);
  const [control, counts] = [join(around, 'control.json'), join(around, 'counts.json')];
  for (const folder of [source, mount]) mkdirSync(folder, { recursive: true });
  const behave = (behaviour: MtpBehaviour) => {
    writeFileSync(`${control}.new`, JSON.stringify(behaviour));
    renameSync(`${control}.new`, control);
  };
  behave({});
  const server: ChildProcess = spawn(PYTHON, [FILESYSTEM, source, mount, control, counts], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  server.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  onTestFinished(() => {
    behave({ state: 'gone' });
    spawnSync('fusermount3', ['-u', '-z', '-q', mount]);
    server.kill('SIGKILL');
    rmSync(around, { recursive: true });
  });
  await until(() => {
    if (server.exitCode !== null) throw new Error(complaint);
    return spawnSync('mountpoint', ['-q', mount]).status === 0;
  });
  return {
    ...{ source, mount, behave },
    counts: () => JSON.parse(readFileSync(counts, 'utf8')) as MtpCounts,
  };
}
