import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome } from '../support/acceptance.ts';
import { whyNoMount } from '../support/disk.ts';
import { type Home, PROGRAM } from '../support/program.ts';

const noMount = whyNoMount();
const note = noMount === undefined ? '' : ` (skipped: ${noMount})`;

/** Runs the program where `/etc` is another folder: with this file for all users, and the accounts. */
function withEtc(home: Home, file: string) {
  const etc = join(home.dir, 'etc');
  mkdirSync(join(etc, 'athlete-sync'), { recursive: true, mode: 0o755 });
  for (const name of ['passwd', 'group']) copyFileSync(join('/etc', name), join(etc, name));
  writeFileSync(join(etc, 'athlete-sync', 'config.json'), file, { mode: 0o644 });
  return (...args: readonly string[]) => {
    const mounted = ['--mount', 'sh', '-c', `mount --bind '${etc}' /etc && exec "$@"`, 'sh'];
    const { status, stdout, stderr } = spawnSync(
      'unshare',
      [...mounted, process.execPath, PROGRAM, ...args],
      { env: home.env, cwd: home.dir, encoding: 'utf8' },
    );
    return { code: status, stdout, stderr };
  };
}

describe.skipIf(noMount !== undefined)(`/etc/athlete-sync/config.json${note}`, () => {
  it('presets the service, as docs/operators.md shows', () => {
    const page = readFileSync(resolve('docs/operators.md'), 'utf8');
    const [, example = ''] = /```json\n([^]*?)```/.exec(page) ?? [];
    const run = withEtc(openHome(), example);
    const { code, stdout } = run('config', 'list');
    expect(code).toBe(0);
    const rows = stdout.split('\n').filter((line) => line.includes('(set in'));
    expect(rows.map((row) => row.replace(/ +/g, ' '))).toEqual([
      'baseUrl https://training.example.com/ (set in /etc/athlete-sync/config.json)',
      'clientId athlete-sync (set in /etc/athlete-sync/config.json)',
      'redirectPort 8917 (set in /etc/athlete-sync/config.json)',
    ]);
    expect(run('status').stderr).not.toContain('No platform is set up');
  });

  it('stops commands that need a service if it is damaged, with its line', () => {
    const run = withEtc(openHome(), '{\n  "clientId": "a",\n  "client": "b"\n}');
    for (const args of [
      ['upload', '.'],
      ['login', '--no-browser'],
      ['config', 'list'],
    ]) {
      const { code, stderr } = run(...args);
      expect([args, code, stderr]).toEqual([
        args,
        2,
        expect.stringContaining(
          'Error: /etc/athlete-sync/config.json, line 3: there is no setting "client".\n',
        ),
      ]);
    }
    expect(run('config', 'get', 'timezone').code).toBe(0);
  });
});
