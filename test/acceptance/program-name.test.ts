import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome } from '../support/acceptance.ts';
import { PROGRAM } from '../support/program.ts';

/** The program as a user has it, in a folder: returns the launcher of a name. */
const INSTALLATIONS: Readonly<Record<string, (folder: string, name: string) => string>> = {
  'a link of npm': (folder, name) => {
    const link = join(folder, name);
    symlinkSync(resolve('bin/sync.js'), link);
    return link;
  },
  'a launcher of an archive': archiveLauncher,
  'a link to a launcher of an archive, under another name': (folder, name) => {
    const link = join(folder, 'training');
    symlinkSync(archiveLauncher(folder, name), link);
    return link;
  },
};

function archiveLauncher(folder: string, name: string): string {
  const launcher = join(folder, 'archive', 'bin', name);
  mkdirSync(dirname(launcher), { recursive: true });
  cpSync('packaging/launcher.sh', launcher);
  chmodSync(launcher, 0o755);
  symlinkSync(process.execPath, join(folder, 'archive', 'node'));
  symlinkSync(dirname(PROGRAM), join(folder, 'archive', 'dist'));
  return launcher;
}

describe.each(Object.keys(INSTALLATIONS))('the program, started by %s', (installation) => {
  it.each(['sync', 'athlete-sync'])('calls itself %s if the user typed that', (name) => {
    const home = openHome();
    const launcher = INSTALLATIONS[installation]?.(home.dir, name) ?? '';
    const run = (...args: readonly string[]) => {
      const options = { cwd: home.dir, env: home.env, encoding: 'utf8' } as const;
      const { stdout, stderr } = spawnSync(launcher, args, options);
      return stdout + stderr;
    };
    expect(run('status')).toContain(`Run \`${name} login\`, or set SYNC_BASE_URL.`);
    const help = run('--help');
    expect(help).toContain(`Usage: ${name} [options] [command]`);
    expect(help).toContain(`Begin with \`${name} login\`, then \`${name} upload ride.fit\`.`);
  });
});

it('calls itself as the variable says in the manual page', () => {
  const env = { ...process.env, ATHLETE_SYNC_NAME: 'athlete-sync' };
  const page = execFileSync(process.execPath, ['dist/manual.cjs'], { env, encoding: 'utf8' });
  expect(page).toContain('.SS "athlete\\-sync upload [options] path...');
});
