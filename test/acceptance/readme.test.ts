import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PushOutcome } from '../../src/app/day-words.ts';
import { ExitCode, worstExitCode } from '../../src/base/errors.ts';
import type { InvalidReason, SkipReason, UploadOutcome } from '../../src/upload/report.ts';
import { type World, openHome, openWorld } from '../support/acceptance.ts';
import { documentedCommands, expectKnown } from '../support/documented-commands.ts';
import { ROOT, codeBlocks, quoted, readDocument, tableRows } from '../support/documents.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { type Finished, ndjson } from '../support/program.ts';
import { installSync, missingTools, runShell, skipNote, writeProgram } from '../support/shell.ts';
import { makeZip } from '../support/zip-maker.ts';

const readme = readDocument('README.md');
const lines = codeBlocks(readme)
  .filter(({ language }) => language === 'sh')
  .flatMap(({ text }) => text.split('\n'));

/** Installing needs the registry, and CI does it first; another test runs the demo. */
const isNpm = (line: string) => line.startsWith('npm ');

const missing = missingTools('bash');

/** A person at a computer: the program on the PATH, a browser, and the files that the README speaks of. */
async function openComputer(): Promise<{
  world: World;
  type: (command: string, until?: RegExp) => Promise<Finished>;
}> {
  // A desktop, or the login would show the address and open nothing.
  const world = await openWorld({ env: { DISPLAY: ':7' } });
  const { home } = world;
  const bin = installSync(home);
  // The browser: it follows where the service sends it, and that is back to the program.
  writeProgram(join(bin, 'xdg-open'), `'${process.execPath}' -e 'fetch(process.argv[1])' "$1"`);
  world.write('ride.fit', makeRecording());
  world.write('Garmin/Activities/2026-05-17.fit', makeRecording({ seed: 2 }));
  world.write('rides/one.fit', makeRecording({ seed: 3 }));
  world.write('rides/two.fit', makeRecording({ seed: 4 }));
  const wellness = 'date,restingHr,hrv\n2026-05-17,48,66\n';
  world.write('wellness.csv', wellness);
  world.write('export.zip', makeZip([{ name: 'export/wellness.csv', bytes: wellness }]));
  world.write(
    'servings.csv',
    'Day,Time,Group,Food Name,Amount,Energy (kcal),Carbs (g)\n' +
      '2026-05-17,12:30 PM,Lunch,Rice,100 g,360,80\n',
  );
  // Any port will do here, so that nothing else on the machine is in the way.
  await world.sync(['config', 'set', 'redirectPort', '0']);
  return {
    world,
    type: (command, until) =>
      runShell(command, {
        home,
        path: [bin],
        ...(until === undefined ? {} : { until: (output) => until.test(output) }),
      }),
  };
}

/** Checks after a command; without one, exit code 0 is enough. */
const OUTCOMES: Record<string, (run: Finished, world: World) => void> = {
  'sync login': (run) => expect(run.stdout).toContain('Logged in as Ada Lindqvist'),
  'sync upload ride.fit': (run) =>
    expect(run.stdout).toMatch(/ride\.fit: uploaded|Nothing to send/),
  'sync import export.zip --dry-run': (run) =>
    expect(run.stdout).toMatch(/wellness +1 +1 +2026-05-17 +2026-05-17 +as wellness/),
  'sync sources': (run) => expect(run.stdout).toContain('cronometer: '),
  'sync push wellness wellness.csv': (_run, world) =>
    expect(held(world).wellness).toMatchObject([{ date: '2026-05-17', record: { restingHr: 48 } }]),
  'sync push nutrition servings.csv': (_run, world) =>
    expect(held(world).nutrition).toMatchObject([{ date: '2026-05-17', record: { carbs: 80 } }]),
  'sync profile --weight 72.5 --ftp 280': (_run, world) =>
    expect(held(world).profile).toMatchObject({ weight: 72.5, ftp: 280 }),
  'sync workouts': (run) => expect(run.stdout.split('\n').length).toBeGreaterThan(2),
  'sync verify': (run) => expect(run.stdout).toContain('2 recordings: 2 are workouts.'),
  'sync inspect ride.fit': (run) => expect(run.stdout).toContain('ride.fit'),
  'sync explain ride.fit': (run) => expect(run.stdout).toContain('ride.fit: uploaded'),
  'sync status': (run) => expect(run.stdout).toContain('Ada Lindqvist'),
  'sync logout': (_run, world) => expect(held(world).logins).toMatchObject([{ revoked: true }]),
  'sync upload rides --json': (run) =>
    expect(ndjson(run.stdout).at(-1)).toMatchObject({ type: 'summary', uploaded: 2 }),
  'sync seed --days 90 --seed 7': (_run, world) =>
    expect(held(world).wellness.length).toBeGreaterThanOrEqual(90),
};

/** Output of the first watch when it is done with the one recording, and of a later watch. */
const UPLOADED = /2026-05-17\.fit: uploaded/;
// A file is remembered 2 s after its last change: until then a watch reads it again, without a word.
const READY = /Ready: 1 file/;

function held(world: World) {
  const [athlete] = world.sandbox.control.state('athlete-1').athletes;
  if (athlete === undefined) throw new Error('no such athlete');
  return athlete;
}

describe('the README', () => {
  it.skipIf(missing.length > 0 || process.platform === 'win32')(
    `has working commands for athletes${skipNote(missing)}`,
    async () => {
      const { world, type } = await openComputer();
      const fromTable = tableRows(readme, 'you type').flatMap(([command = '']) => quoted(command));
      const first = lines
        .slice(0, lines.indexOf('npm ci && npm run demo'))
        .filter((l) => !isNpm(l));
      expect(first).toContain('sync login');
      expect(fromTable).toContain('sync logout');
      for (const command of [...first, ...fromTable]) {
        // A watch runs until a signal ends it.
        const until = held(world).recordings.length < 2 ? UPLOADED : READY;
        const watching = command.startsWith('sync watch');
        const run = await type(command, watching ? until : undefined);
        // Ctrl-C is for the shell, too.
        const good = watching ? [0, null] : [0];
        expect(good, `${command}\n${run.stdout}${run.stderr}`).toContain(run.code);
        if (watching) expect(run.stdout).toMatch(/Stopped[.;]/);
        OUTCOMES[command]?.(run, world);
        if (watching) expect(held(world).recordings).toHaveLength(2);
      }
      // Each recording arrived once, however often the README sends it.
      expect(held(world).recordings.map(({ receivedCount }) => receivedCount)).toEqual([1, 1]);
    },
    120_000,
  );

  it.skipIf(missing.length > 0 || process.platform === 'win32')(
    `has working commands for developers${skipNote(missing)}`,
    async () => {
      const { world, type } = await openComputer();
      const behind = lines.slice(lines.indexOf('npm ci && npm run demo')).filter((l) => !isNpm(l));
      const [sandbox, ...rest] = behind;
      expect(sandbox).toBe('sync sandbox --auto-approve');
      // Another port than the usual one, which may be taken here.
      const running = await type(`${sandbox} --port 0`, /SYNC_CLIENT_ID=/);
      expect(running.stdout).toMatch(
        /^export SYNC_BASE_URL=http:\/\/127\.0\.0\.1:\d+ SYNC_CLIENT_ID=sandbox-client$/m,
      );
      await type('sync login');
      expect(rest.length).toBeGreaterThan(1);
      for (const command of rest) {
        const run = await type(command);
        expect(run.code, `${command}\n${run.stdout}${run.stderr}`).toBe(0);
        expect(OUTCOMES, command).toHaveProperty([command]);
        OUTCOMES[command]?.(run, world);
      }
    },
    120_000,
  );

  it('names existing commands and flags only', async () => {
    const home = openHome();
    const inline = quoted(readme.replace(/^```[^]*?^```$/gm, '')).filter((code) =>
      /^sync [a-z]/.test(code),
    );
    const known = [...inline, ...lines].flatMap(documentedCommands);
    expect(known.length).toBeGreaterThan(20);
    for (const command of known) await expectKnown(home, command);
  });

  it('names existing npm scripts only', () => {
    const { scripts } = JSON.parse(readDocument('package.json')) as {
      scripts: Record<string, string>;
    };
    const named = [...readme.matchAll(/npm (?:run ([a-z]+)|(test))/g)].map(
      ([, run, test]) => run ?? test,
    );
    expect(named).toEqual(expect.arrayContaining(['demo', 'test', 'lint', 'types', 'bench']));
    for (const name of named) expect(scripts).toHaveProperty(name ?? '');
  });
});

/** Complete by their types: a new outcome must be added here and to the README. */
const ALL_OUTCOMES: Record<UploadOutcome | PushOutcome, true> = {
  uploaded: true,
  pushed: true,
  duplicate: true,
  skipped: true,
  invalid: true,
  rejected: true,
  conflict: true,
  failed: true,
  'would-upload': true,
  'would-push': true,
};
const SKIP_REASONS: Record<SkipReason | 'unchanged', true> = {
  'already-uploaded': true,
  unchanged: true,
  'not-an-activity': true,
  'refused-before': true,
  'before-since': true,
};
const INVALID_REASONS: Record<InvalidReason, true> = {
  'not-fit': true,
  incomplete: true,
  corrupt: true,
  'not-an-activity': true,
  unreadable: true,
};

describe('a table of the README', () => {
  it('lists every exit code and their precedence', () => {
    const codes = tableRows(readme, 'exit code').map(([code]) => Number(code));
    expect(codes).toEqual(Object.values(ExitCode).sort((one, other) => one - other));
    const order = /^If several apply, the precedence is (.*)\.$/m
      .exec(readme)?.[1]
      ?.split(', ')
      .map(Number);
    expect(order).toHaveLength(4);
    for (let rest = order ?? []; rest.length > 0; rest = rest.slice(1)) {
      expect(worstExitCode(rest as ExitCode[])).toBe(rest[0]);
    }
  });

  it('lists every outcome and every reason', () => {
    const rows = tableRows(readme, '`outcome`');
    expect(rows.flatMap(([outcome = '']) => quoted(outcome)).sort()).toEqual(
      Object.keys(ALL_OUTCOMES).sort(),
    );
    const reasons = (outcome: string) => {
      const [, meaning = ''] = rows.find(([name]) => name === `\`${outcome}\``) ?? [];
      return quoted(meaning)
        .filter((word) => !['reason', 'field', 'problem'].includes(word))
        .sort();
    };
    expect(reasons('skipped')).toEqual(Object.keys(SKIP_REASONS).sort());
    expect(reasons('invalid')).toEqual(Object.keys(INVALID_REASONS).sort());
  });

  it('lists exactly the variables that the program reads', () => {
    const sources = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
      .join('\n');
    const read = new Set(
      [...sources.matchAll(/['"](SYNC_[A-Z_]+|NO_COLOR|HTTPS_PROXY|NO_PROXY)['"]/g)].map(
        ([, name = '']) => name,
      ),
    );
    const section = readme.slice(
      readme.indexOf('### Settings'),
      readme.indexOf('### Contributing'),
    );
    const listed = quoted(section).filter((word) => /^[A-Z_]+$/.test(word));
    expect(listed.length).toBeGreaterThan(10);
    for (const name of listed) expect(sources, name).toContain(name);
    const undocumented = [...read].filter((name) => !listed.includes(name));
    expect(undocumented.filter((name) => !INTERNAL.includes(name))).toEqual([]);
  });
});

/** Between the program and processes that it starts itself. */
const INTERNAL: readonly string[] = [];

describe('the documentation', () => {
  const documents = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)];

  it.each(documents.filter((path) => path.endsWith('.md')))('has no dead links in %s', (path) => {
    const text = readDocument(path).replace(/^```[^]*?^```$/gm, '');
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
    if (path === 'README.md') expect(links.length).toBeGreaterThan(4);
    for (const [, file = '', anchor] of links) {
      const target = file === '' ? path : join(dirname(path), file);
      expect(existsSync(join(ROOT, target)), `${path}: ${target}`).toBe(true);
      if (anchor === undefined) continue;
      const anchors = [...readDocument(target).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replace(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
      );
      expect(anchors, `${path}: #${anchor}`).toContain(anchor);
    }
  });

  it.each(documents.filter((path) => path.endsWith('.md')))(
    'in %s name source files that exist',
    (path) => {
      const named = quoted(readDocument(path)).filter((word) =>
        /^(?:src|test|bench|scripts)\/[\w./-]*$/.test(word),
      );
      expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    },
  );
});
