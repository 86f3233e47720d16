import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { SECRET_VARIABLES } from '../../src/base/env.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { wrongJsonLine } from '../support/json-lines.ts';
import { openHome, openTerminal, terminals } from '../support/acceptance.ts';
import { writeProgram } from '../support/shell.ts';

const PROGRAM = resolve('bin/sync.js');

/** A home in which Node.js claims to be another version. */
function withVersion(version: string) {
  const home = openHome();
  const preload = join(home.dir, 'version.cjs');
  const versions = JSON.stringify({ ...process.versions, node: version });
  writeFileSync(preload, `Object.defineProperty(process, 'versions', { value: ${versions} });`);
  const env = { NODE_OPTIONS: `--require=${preload}` };
  const run = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
      cwd: home.dir,
      env: { ...home.env, ...env },
      encoding: 'utf8',
    });
    return { code: status, stdout, stderr };
  };
  return { home, env, run };
}

const message = (version: string) => `sync needs Node.js 20.19, 22.3 or newer, not ${version}.`;
const HINT = [
  `This Node.js is ${process.execPath}.`,
  "Get a newer one at https://nodejs.org, or use sync's",
  'standalone archive or .deb, which need no Node.js.',
];
const shown = (version: string) => `Error: ${message(version)}\n  ${HINT.join('\n  ')}\n`;

describe('a Node.js that is too old', () => {
  it('has the versions that package.json excludes', () => {
    expect(manifest.engines.node).toBe('^20.19.0 || >=22.3.0');
  });

  it.each(['0.12.18', '16.20.2', '18.20.8', '20.18.3', '21.7.3', '22.2.0'])(
    'is reported with its version and path, exit code 2 and the way out: %s',
    (version) => {
      const { run } = withVersion(version);
      for (const args of [['status'], ['--version'], ['upload', 'ride.fit'], ['nonsense']]) {
        const result = run(...args);
        expect([args, result]).toEqual([args, { code: 2, stdout: '', stderr: shown(version) }]);
      }
    },
  );

  it.each(['20.19.0', '20.20.2', '22.3.0', '24.0.0', '100.0.0'])('is not %s', (version) => {
    expect(withVersion(version).run('--version')).toEqual({
      code: 0,
      stdout: `${manifest.version}\n`,
      stderr: '',
    });
  });

  it('is reported as an error line with --json', () => {
    const { stdout } = withVersion('18.20.8').run('status', '--json');
    expect(wrongJsonLine(stdout)).toBeUndefined();
    expect(JSON.parse(stdout)).toMatchObject({
      type: 'error',
      code: 'CONFIG',
      message: message('18.20.8'),
      hint: HINT.join(' '),
    });
  });

  it('knows every command, so that a file of that name does not hide the report', () => {
    const { home, run } = withVersion('18.20.8');
    for (const name of [...COMMANDS.map((command) => command.name), 'help']) {
      writeFileSync(join(home.dir, name), '');
      expect([name, run(name).code]).toEqual([name, 2]);
    }
    const source = readFileSync(resolve('bin/old-node.js'), 'utf8');
    const [, names = ''] = /COMMANDS = \[([^\]]*)\]/.exec(source) ?? [];
    expect(names.match(/\w+/g)).toHaveLength(COMMANDS.length + 1);
  });

  it("passes no secret on to the system's sync", () => {
    const source = readFileSync(resolve('bin/old-node.js'), 'utf8');
    const [, names = ''] = /SECRET_VARIABLES = \[([^\]]*)\]/.exec(source) ?? [];
    expect(names.match(/\w+/g)).toEqual([...SECRET_VARIABLES]);
    const { home, env } = withVersion('18.20.8');
    writeProgram(join(home.dir, 'sync'), '/usr/bin/env');
    const secrets = Object.fromEntries(SECRET_VARIABLES.map((name) => [name, 'hush']));
    const { stdout, status } = spawnSync(process.execPath, [PROGRAM], {
      env: { ...home.env, ...env, ...secrets, PATH: home.dir },
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    expect(stdout).toContain(`HOME=${home.dir}`);
    expect(stdout).not.toContain('hush');
  });

  it.runIf(terminals.present)("is reported after the system's sync, with its code", async () => {
    const { home, env } = withVersion('18.20.8');
    writeFileSync(join(home.dir, 'ride.fit'), '');
    for (const args of [[], ['ride.fit']]) {
      const { code, stdout } = await openTerminal({ home }, args, env, PROGRAM).finished;
      expect([code, stdout.replaceAll('\r\n', '\n')]).toEqual([0, shown('18.20.8')]);
    }
    const flushed = await openTerminal({ home }, ['-f', '.'], env, PROGRAM).finished;
    expect([flushed.code, flushed.stdout]).toEqual([0, '']);
  });
});
