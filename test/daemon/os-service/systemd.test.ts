import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemdUnit } from '../../../src/daemon/os-service/systemd.ts';
import { ODD_FOLDERS, definitionOf, noteWithout, present } from './support.ts';
import { scratchDir } from '../../support/scratch-dir.ts';

/** What the system's own reader has to say about a unit; nothing, if it is fine. */
function verify(unit: string): { status: number | null; said: string } {
  const dir = scratchDir();
  const path = join(dir, 'athlete-sync.service');
  writeFileSync(path, unit);
  const { status, stdout, stderr } = spawnSync(
    'systemd-analyze',
    ['verify', '--user', '--man=no', path],
    { encoding: 'utf8', env: { ...process.env, XDG_RUNTIME_DIR: dir } },
  );
  return { status, said: (stdout + stderr).trim() };
}

/** Returns a unit with an existing program, because systemd checks it. */
const runnable = (folders: readonly string[]) =>
  definitionOf(folders, { command: [process.execPath, '/opt/x.cjs', 'watch', ...folders] });

describe('the systemd unit', () => {
  it('keeps a dollar sign and a percent sign of an argument', () => {
    const unit = systemdUnit(
      definitionOf(['/x'], { command: ['/opt/$1/node', '/opt/x.cjs', '/mnt/${HOME} $USER 5%'] }),
    );
    // A program's own path knows no variables.
    expect(unit).toContain('ExecStart="/opt/$1/node" "/opt/x.cjs" "/mnt/$${HOME} $$USER 5%%"\n');
  });

  it('has the expected text', () => {
    expect(
      systemdUnit(
        definitionOf(['/home/ann/Garmin', '/mnt/100% rides'], {
          command: [
            '/usr/bin/node',
            '/opt/sync/dist/main.cjs',
            'watch',
            '/home/ann/Garmin',
            '/mnt/100% rides',
            '--profile',
            'default',
          ],
        }),
      ),
    ).toBe(`# Written by "sync daemon install"; "sync daemon uninstall" removes it.
[Unit]
Description=Uploads new recordings from /home/ann/Garmin, /mnt/100%% rides (sync, profile default)
ConditionFileIsExecutable=/usr/bin/node
ConditionPathExists=/opt/sync/dist/main.cjs
StartLimitIntervalSec=0

[Service]
Type=notify
NotifyAccess=all
WatchdogSec=300
ExecStart="/usr/bin/node" "/opt/sync/dist/main.cjs" "watch" "/home/ann/Garmin" "/mnt/100%% rides" "--profile" "default"
Environment="SYNC_STATE_DIR=/home/ann/.local/state/athlete-sync"
WorkingDirectory=/
Restart=on-failure
RestartSec=30
RestartPreventExitStatus=2 4
SuccessExitStatus=130
TimeoutStopSec=15
KillMode=mixed
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictNamespaces=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
UMask=0077
LimitCORE=0

[Install]
WantedBy=default.target
`);
  });

  it.skipIf(!present('systemd-analyze'))(
    `is skipped if Node or the program was uninstalled${noteWithout('systemd-analyze')}`,
    () => {
      const folder = join(scratchDir(), 'a "unit" %h $HOME \\ ');
      mkdirSync(folder);
      const command = [join(folder, 'node'), join(folder, 'x.cjs')] as const;
      const unit = systemdUnit(definitionOf(['/rides'], { command }));
      const conditions = unit.match(/^Condition.*$/gm) ?? [];
      const isMet = () => spawnSync('systemd-analyze', ['condition', ...conditions]).status === 0;
      expect(isMet()).toBe(false);
      for (const file of command) writeFileSync(file, '', { mode: 0o700 });
      expect(isMet()).toBe(true);
      for (const file of command) {
        rmSync(file);
        expect(isMet(), `without ${file}`).toBe(false);
        writeFileSync(file, '', { mode: 0o700 });
      }
    },
  );

  it('keeps a path with a line break on one line', () => {
    const unit = systemdUnit(definitionOf(['/a\nExecStart=/bin/false\t\u007f']));
    expect(unit.match(/^ExecStart=.*/gm)).toEqual([
      'ExecStart="/usr/bin/node" "/opt/sync/dist/main.cjs" "watch" "/a\\u000aExecStart=/bin/false\\u0009\\u007f"',
    ]);
    expect(unit).toContain(
      '\nDescription=Uploads new recordings from /a ExecStart=/bin/false (sync, ',
    );
  });

  it.skipIf(!present('systemd-analyze'))(
    `passes systemd-analyze verify for any folder names${noteWithout('systemd-analyze')}`,
    () => {
      expect(verify(systemdUnit(runnable(['/home/ann/Garmin'])))).toEqual({ status: 0, said: '' });
      expect(verify(systemdUnit(runnable([...ODD_FOLDERS, '/a\nb\tc'])))).toEqual({
        status: 0,
        said: '',
      });
    },
  );

  it.each([
    ['a backslash', ['/rides\\']],
    ['a backslash after another folder', ['/a', '/b\\']],
    ['a line break', ['/rides\n']],
    ['a backslash and a line break', ['/rides\\\n']],
    ["a single quote's backslash", ["/rides\\'"]],
    ['a comment', ['/rides #', '; x']],
    ['an escape sequence', ['/rides\u001b]0;x\u0007']],
    ['a C1 control character', ['/rides\u009b31m']],
    ['a carriage return', ['/rides\r']],
    ['100 long names', Array.from({ length: 100 }, (_, each) => `/${each}${'x'.repeat(250)}`)],
  ])('has the lines of any other unit for a folder whose name ends with %s', (_what, folders) => {
    const keys = (unit: string) => unit.split('\n').map((line) => line.replace(/=.*$/, '='));
    const unit = systemdUnit(runnable(folders));
    expect(keys(unit)).toEqual(keys(systemdUnit(runnable(['/rides']))));
    expect(unit.split('\n').filter((line) => line.endsWith('\\'))).toEqual([]);
    // eslint-disable-next-line no-control-regex
    expect(unit).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    const [description = ''] = /^Description=.*$/m.exec(unit) ?? [];
    expect(description.length).toBeLessThan(300);
    if (!present('systemd-analyze')) return;
    expect(verify(unit)).toEqual({ status: 0, said: '' });
    // A line that is swallowed is one that a spelling mistake in it does not show in.
    const misspelt = verify(unit.replace('StartLimitIntervalSec', 'StartLimitIntervalSek'));
    expect(misspelt.said).toContain("'StartLimitIntervalSek'");
  });
});
