import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type World, openHome } from '../support/acceptance.ts';
import { openComputer } from '../support/computer.ts';
import { ROOT, codeBlocks, quoted, readDocument, tableRows } from '../support/documents.ts';
import { type Finished, ndjson } from '../support/program.ts';
import { missingTools, runShell, skipNote, writeProgram } from '../support/shell.ts';

const readme = readDocument('README.md');
const unable = process.platform === 'win32' || missingTools('bash').length > 0;
const title = (name: string) => `${name}${skipNote(missingTools('bash'))}`;

/** Returns the commands of the shell blocks of a text, without their comments. */
function shellCommands(text: string): string[] {
  return codeBlocks(text)
    .filter(({ language }) => language === 'sh')
    .flatMap((block) => block.text.split('\n'))
    .map((line) => line.replace(/ +#.*/, ''));
}

/**
 * Returns the commands of the README's blocks and table, in the order of the page; after them those that try
 * the sandbox, and those that remove the program, of the pages that the README names for them.
 */
function documentedSession(): string[] {
  const at = readme.indexOf('| you type');
  const end = readme.indexOf('## For developers');
  const [sandbox = ''] = readDocument('docs/sandbox.md').split('\n## ');
  const [, removal = ''] = readDocument('docs/install.md').split('\n## Update and uninstall\n');
  return [
    ...shellCommands(readme.slice(0, at)),
    ...tableRows(readme, 'you type').flatMap(([command = '']) => quoted(command)),
    ...shellCommands(sandbox),
    ...shellCommands(readme.slice(end)),
    ...shellCommands(removal.slice(0, removal.indexOf('\n## '))),
  ];
}

/** Commands that this test does not run, and the file that runs them. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'npm ci && npm run demo': 'test/acceptance/demo.test.ts',
  'npm ci && npm test': '.ci/run',
  // The tests of systemd install a service: here, the command would reach the user's service manager.
  'sync daemon install --devices': 'test/acceptance/daemon-systemd.test.ts',
};

/** How a command is typed here: as it is, but for what a script cannot answer or would wait for. */
function typedHere(command: string): string {
  // A script cannot answer the question of these commands.
  if (['sync import export.zip', 'sync undo upload ride.fit'].includes(command)) {
    return `${command} --yes`;
  }
  return (
    command
      // Built already; nothing is asked of the registry.
      .replace('npm run build && npm install', 'npm install --offline')
      // The sandbox of this test has another address, which the environment names.
      .replace(/login (?:sandbox|coach-watts)/, 'login')
      // Another port than the usual one, which may be taken here.
      .replace(/^sync sandbox .*/, '$& --port 0')
      // The same steps in less time.
      .replace(/--days (?:90|7)/, '--days 3')
  );
}

/** What ends a command that runs until Ctrl-C. */
const RUNS: readonly (readonly [RegExp, RegExp])[] = [
  [/^sync watch (?!.*--daemon)/, /uploaded/],
  [/^sync sandbox/, /SYNC_CLIENT_ID=sandbox-client$/m],
];

/** Checks after a command; without one, exit code 0 is enough. */
const OUTCOMES: Record<string, (run: Finished, world: World) => void> = {
  'npm run build && npm install --global .': (_run, world) =>
    expect(existsSync(join(world.home.dir, '.npm-global/bin/athlete-sync'))).toBe(true),
  'npm uninstall --global athlete-sync': (_run, world) =>
    expect(existsSync(join(world.home.dir, '.npm-global/bin/athlete-sync'))).toBe(false),
  'sync login coach-watts': (run) => expect(run.stdout).toContain('Logged in as Ada Lindqvist'),
  'sync upload ride.fit': (_run, world) => expect(held(world).recordings).toHaveLength(1),
  'sync watch --devices': (_run, world) => expect(held(world).recordings).toHaveLength(2),
  'sync import export.zip --dry-run': (run) =>
    expect(run.stdout).toMatch(/JSON records +1 +1 +2026-05-18 +2026-05-18 +as wellness/),
  'sync import export.zip': (_run, world) => expect(held(world).wellness).toHaveLength(2),
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
  'sync logout': (_run, world) =>
    expect(new Set(held(world).logins.map(({ revoked }) => revoked))).toEqual(new Set([true])),
  'sync upload rides --json': (run) =>
    expect(ndjson(run.stdout).at(-1)).toMatchObject({ type: 'summary', failed: 0 }),
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
  it.skipIf(unable)(
    title('has working commands, with those of the pages for the sandbox and for removal'),
    async () => {
      const { world, type } = await openComputer();
      const example = codeBlocks(readme).find(({ language }) => language === 'json');
      world.write('morning.json', example?.text ?? '');
      const commands = documentedSession();
      expect(commands.slice(0, 2)).toEqual(['npm ci && npm run demo', 'npm ci && npm test']);
      expect(commands.filter((each) => ELSEWHERE[each] !== undefined)).toEqual(
        Object.keys(ELSEWHERE),
      );
      const npm = `export npm_config_prefix="$HOME/.npm-global"; cd '${ROOT}' && `;
      for (const command of commands) {
        if (command in ELSEWHERE) continue;
        const [, until] = RUNS.find(([pattern]) => pattern.test(command)) ?? [];
        const run = await type(
          `${command.startsWith('npm ') ? npm : ''}${typedHere(command)}`,
          until,
        );
        // Ctrl-C is for the shell, too.
        const good = until === undefined ? [0] : [0, null];
        expect(good, `${command}\n${run.stdout}${run.stderr}`).toContain(run.code);
        OUTCOMES[command]?.(run, world);
      }
      expect(commands).toEqual(expect.arrayContaining(Object.keys(OUTCOMES)));
      // Each recording arrived once, however often the README sends it; one was undone.
      expect(held(world).recordings.filter(({ receivedCount }) => receivedCount !== 1)).toEqual([]);
    },
  );

  const forInstaller = missingTools('bash', 'curl', 'tar', 'sha256sum');
  it.skipIf(unable || forInstaller.length > 0)(
    `and docs/install.md have working commands to install and remove a release${skipNote(forInstaller)}`,
    async () => {
      const install = /`(curl [^`]+)`/.exec(readme)?.[1] ?? '';
      const remove = /`(curl [^`]+ --uninstall)`/.exec(readDocument('docs/install.md'))?.[1] ?? '';
      // In a table, a pipe is written with a backslash.
      const commands = [install.replace('\\|', '|'), remove];
      const home = openHome();
      const releases = `file://${publishRelease(home.dir)}`;
      const installed = () => existsSync(join(home.dir, '.local/bin/athlete-sync'));
      for (const [at, command] of commands.entries()) {
        const here = command.replace(RELEASES, releases);
        expect(here).toContain(`${releases}/latest/download/install.sh`);
        expect(await runShell(here, { home })).toMatchObject({ code: 0, stderr: '' });
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
    expect(readme).toContain(repository.url.replace('git+', '').replace('.git', '/releases/'));
  });
});
