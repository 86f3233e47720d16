import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type World, openHome } from '../support/acceptance.ts';
import { openComputer } from '../support/computer.ts';
import { codeBlocks, quoted, readDocument, tableRows } from '../support/documents.ts';
import { type Finished, ndjson } from '../support/program.ts';
import { missingTools, runShell, skipNote, writeProgram } from '../support/shell.ts';

const readme = readDocument('README.md');
const unable = process.platform === 'win32' || missingTools('bash').length > 0;
const title = (name: string) => `${name}${skipNote(missingTools('bash'))}`;

/** Commands of the blocks in this part of the README. */
function commandsBetween(from: string, to: string): string[] {
  const [begin, end] = [readme.indexOf(from), readme.indexOf(to)];
  if (begin === -1 || end === -1) throw new Error(`The README has no part "${from}" to "${to}".`);
  return codeBlocks(readme.slice(begin, end))
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.split('\n'))
    .filter((command) => !runsElsewhere(command));
}

/**
 * Installing with npm needs the registry, and `.ci/run` does it. Other tests run the install script and the
 * demo. The tests of systemd install a service: here, the command would reach the user's service manager.
 */
function runsElsewhere(command: string): boolean {
  return /^(?:npm|git|curl) |^sync daemon install/.test(command);
}

/** Checks after a command; without one, exit code 0 is enough. */
const OUTCOMES: Record<string, (run: Finished, world: World) => void> = {
  'sync login': (run) => expect(run.stdout).toContain('Logged in as Ada Lindqvist'),
  'sync upload ride.fit': (_run, world) => expect(held(world).recordings).toHaveLength(1),
  'sync watch --devices': (_run, world) => expect(held(world).recordings).toHaveLength(2),
  'sync import export.zip --dry-run': (run) =>
    expect(run.stdout).toMatch(/own form +1 +1 +2026-05-18 +2026-05-18 +as wellness/),
  'sync import export.zip': (_run, world) => expect(held(world).wellness).toHaveLength(2),
  'sync sources': (run) => expect(run.stdout).toContain('cronometer: '),
  'sync push wellness morning.json': (_run, world) =>
    expect(held(world).wellness).toMatchObject([
      { date: '2026-05-17', record: { restingHr: 48, sleepSecs: 27_000 } },
    ]),
  'sync push nutrition servings.csv': (_run, world) =>
    expect(held(world).nutrition).toMatchObject([{ date: '2026-05-17', record: { carbs: 80 } }]),
  'sync profile --weight 72.5 --ftp 280': (_run, world) =>
    expect(held(world).profile).toMatchObject({ weight: 72.5, ftp: 280 }),
  'sync workouts': (run) => expect(run.stdout.split('\n').length).toBeGreaterThan(2),
  'sync verify': (run) => expect(run.stdout).toContain('2 recordings: 2 are workouts.'),
  'sync inspect ride.fit': (run) => expect(run.stdout).toContain('ride.fit'),
  'sync explain ride.fit': (run) => expect(run.stdout).toContain('uploaded'),
  'sync status': (run) => expect(run.stdout).toContain('Ada Lindqvist'),
  'sync logout': (_run, world) => expect(held(world).logins).toMatchObject([{ revoked: true }]),
  'sync upload rides --json': (run) =>
    expect(ndjson(run.stdout).at(-1)).toMatchObject({ type: 'summary', uploaded: 2 }),
  'sync seed --days 90 --seed 7': (_run, world) => expect(held(world).wellness.length).toBe(3),
};

function held(world: World) {
  const [athlete] = world.sandbox.control.state('athlete-1').athletes;
  if (athlete === undefined) throw new Error('no such athlete');
  return athlete;
}

const RELEASES = 'https://github.com/athlete-sync/athlete-sync/releases';

/** Writes a release with the real install script and a program that only prints its version. */
function publishRelease(folder: string): string {
  const files = join(folder, 'releases/latest/download');
  const name = `athlete-sync-1.0.0-${process.platform}-${process.arch}`;
  mkdirSync(join(files, name, 'bin'), { recursive: true });
  mkdirSync(join(files, name, 'dist'));
  writeFileSync(join(files, name, 'dist/main.cjs'), '');
  for (const program of ['athlete-sync', 'sync']) {
    writeProgram(join(files, name, 'bin', program), 'echo 1.0.0');
  }
  const pack = `tar -czf ${name}.tar.gz ${name} && sha256sum ${name}.tar.gz >SHA256SUMS`;
  execFileSync('bash', ['-c', pack], { cwd: files });
  const script = readDocument('packaging/install.sh');
  expect(script).toContain(`RELEASES=${RELEASES}\n`);
  const releases = join(folder, 'releases');
  writeFileSync(join(files, 'install.sh'), script.replace(RELEASES, `file://${releases}`));
  return releases;
}

describe('the README', () => {
  it.skipIf(unable)(title('has working commands for athletes'), async () => {
    const { world, type } = await openComputer();
    const example = codeBlocks(readme).find(({ language }) => language === 'json');
    world.write('morning.json', example?.text ?? '');
    const table = tableRows(readme, 'you type').flatMap(([command = '']) => quoted(command));
    const commands = [
      ...commandsBetween('## Your first upload', '## More commands'),
      ...table,
      ...commandsBetween('## Update and remove', '## For developers'),
    ];
    expect(commands[0]).toBe('sync login');
    expect(commands).toContain('sync explain ride.fit');
    for (const command of commands) {
      // A watch in the foreground runs until Ctrl-C.
      const watches = /^sync watch (?!.*--daemon)/.test(command);
      // A script cannot answer the question of these commands.
      const asks = ['sync import export.zip', 'sync undo upload ride.fit'].includes(command);
      const typed = asks ? `${command} --yes` : command;
      const run = await type(typed, watches ? /uploaded/ : undefined);
      // Ctrl-C is for the shell, too.
      const good = watches ? [0, null] : [0];
      expect(good, `${command}\n${run.stdout}${run.stderr}`).toContain(run.code);
      OUTCOMES[command]?.(run, world);
    }
    // Each recording arrived once, however often the README sends it; one was taken back.
    expect(held(world).recordings.map(({ receivedCount }) => receivedCount)).toEqual([1]);
  });

  it.skipIf(unable)(title('has working commands for developers'), async () => {
    const { world, type } = await openComputer();
    const [sandbox, ...rest] = commandsBetween('## For developers', 'Licence:');
    expect(sandbox).toBe('sync sandbox --auto-approve');
    // Another port than the usual one, which may be taken here.
    const running = await type(`${sandbox} --port 0`, /SYNC_CLIENT_ID=/);
    expect(running.stdout).toMatch(
      /^export SYNC_BASE_URL=http:\/\/127\.0\.0\.1:\d+ SYNC_CLIENT_ID=sandbox-client$/m,
    );
    await type('sync login');
    expect(rest.length).toBeGreaterThan(1);
    for (const command of rest) {
      // The same steps in less time.
      const run = await type(command.replace('--days 90', '--days 3'));
      expect(run.code, `${command}\n${run.stdout}${run.stderr}`).toBe(0);
      expect(OUTCOMES, command).toHaveProperty([command]);
      OUTCOMES[command]?.(run, world);
    }
  });

  const forInstaller = missingTools('bash', 'curl', 'tar', 'sha256sum');
  it.skipIf(unable || forInstaller.length > 0)(
    `has working commands to install and remove a release${skipNote(forInstaller)}`,
    async () => {
      const commands = codeBlocks(readme)
        .flatMap(({ text }) => text.split('\n'))
        .filter((line) => line.startsWith('curl '));
      expect(commands).toHaveLength(2);
      const home = openHome();
      const releases = `file://${publishRelease(home.dir)}`;
      const installed = () => existsSync(join(home.dir, '.local/bin/athlete-sync'));
      for (const [at, command] of commands.entries()) {
        const here = command.replace(RELEASES, releases);
        expect(here).toContain(`${releases}/latest/download/install.sh`);
        const { code, stderr } = await runShell(here, { home });
        expect(stderr).toBe('');
        expect(code).toBe(0);
        expect(installed()).toBe(at === 0);
      }
    },
  );

  it('names existing npm scripts and the repository of the package', () => {
    const { scripts, repository } = JSON.parse(readDocument('package.json')) as {
      scripts: Record<string, string>;
      repository: { url: string };
    };
    const named = [...readme.matchAll(/npm (?:run ([a-z]+)|(test))/g)].map(
      ([, run, test]) => run ?? test,
    );
    expect(named).toEqual(expect.arrayContaining(['demo', 'test', 'lint', 'types', 'bench']));
    for (const name of named) expect(scripts).toHaveProperty(name ?? '');
    expect(readme).toContain(`git clone ${repository.url.replace('git+', '')} `);
  });
});
