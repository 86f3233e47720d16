import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { describe, expect, it } from 'vitest';
import { openHome, openWorld } from '../support/acceptance.ts';
import { documentedCommands, expectKnown } from '../support/documented-commands.ts';
import { ROOT, codeBlocks, readDocument, tableRows } from '../support/documents.ts';
import { installSync, missingTools, runShell, skipNote } from '../support/shell.ts';

const document = readDocument('docs/ci.md');
const blocks = codeBlocks(document);
// ci-templates.test.ts runs the blocks before this one.
const own = blocks.findIndex(({ text }) => text.startsWith('#!/usr/bin/env bash'));
const textsIn = (wanted: string) =>
  blocks.slice(own).flatMap(({ language, text }) => (language === wanted ? [text] : []));
const shell = textsIn('sh');
const yaml = textsIn('yaml');
const missing = missingTools('bash', 'jq', 'curl');
const missingForPorts = missingTools('curl', 'ip', 'unshare');

/** The documented script with 2 days instead of 90: the same checks in less time. */
function shortened(script: string): string {
  const changes: [find: string, put: string][] = [
    ['--days 90', '--days 2'],
    ['.records == 180', '.records == 4'],
    ['== [90, 90]', '== [2, 2]'],
  ];
  return changes.reduce((text, [find, put]) => {
    expect(text).toContain(find);
    return text.replaceAll(find, put);
  }, script);
}

describe('docs/ci.md', () => {
  it.skipIf(missing.length > 0)(
    `has a script that fills a platform, checks it and removes its files${skipNote(missing)}`,
    async () => {
      const script = shortened(shell[0] ?? '');
      const home = openHome();
      const bin = installSync(home);
      const scratch = join(home.dir, 'scratch');
      mkdirSync(scratch);
      const run = await runShell(script, { home, path: [bin], env: { TMPDIR: scratch } });
      expect(run.stderr).not.toContain('Error');
      expect(run.code, run.stderr).toBe(0);
      const lines = run.stdout.trimEnd().split('\n');
      const workouts = lines.filter((line) => line.includes('\t'));
      expect(workouts.length).toBeGreaterThanOrEqual(1);
      expect(workouts[0]?.split('\t')).toHaveLength(3);
      expect(readdirSync(scratch)).toEqual([]);
    },
  );

  it.skipIf(missing.length > 0)(
    `has a script that fails if a check or a command fails${skipNote(missing)}`,
    async () => {
      const script = shortened(shell[0] ?? '');
      const breaks: [find: string, put: string][] = [
        // A day is missing; the second run is another athlete; the service holds something twice.
        ['.records == 4', '.records == 5'],
        ['sync seed "${life[@]}" --json |', 'sync seed "${life[@]}" --seed 8 --json |'],
        ['.receivedCount == 1', '.receivedCount == 2'],
        ['/_sandbox/tokens"', '/_sandbox/nowhere"'],
        ['sync sandbox --port 0', 'sync sandbox --port none'],
      ];
      for (const [find, put] of breaks) {
        expect(script).toContain(find);
        const home = openHome();
        const broken = script.replaceAll(find, put);
        expect((await runShell(broken, { home, path: [installSync(home)] })).code, put).not.toBe(0);
      }
    },
  );

  it.skipIf(missing.length > 0)(`has a script for many accounts${skipNote(missing)}`, async () => {
    const world = await openWorld();
    const bin = installSync(world.home);
    const [accounts] = blocks.filter(({ language }) => language === 'json');
    // Fewer days than documented: the same steps in less time.
    world.write('accounts.json', accounts?.text.replace('"days": 30', '"days": 1') ?? '');
    const script = shell[1]?.replace('--days 90', '--days 2') ?? '';
    const run = await runShell(script, {
      home: world.home,
      path: [bin],
      env: {
        ADA_TOKEN: world.sandbox.control.mint({ athlete: 'athlete-1' }).access_token,
        BEN_TOKEN: world.sandbox.control.mint({ athlete: 'athlete-2' }).access_token,
      },
    });
    expect(run.code, run.stderr).toBe(0);
    const held = world.sandbox.control.state().athletes;
    expect(held.map(({ wellness }) => wellness.length)).toEqual([2, 1, 0]);
    expect(run.stdout.trim().split('\n').sort()).toEqual([
      `ada: ${held[0]?.recordings.length} recordings`,
      `ben: ${held[1]?.recordings.length} recordings`,
    ]);
  });

  it('has no shell blocks that no test runs', () => {
    // The last one builds the image, the last YAML uses it: both need Docker.
    expect(shell).toHaveLength(3);
    const seeding = ['sh', 'yaml', 'yaml', 'json', 'sh'];
    const languages = ['yaml', 'yaml', 'sh', ...seeding, 'sh', 'yaml', 'yaml'];
    expect(blocks.map(({ language }) => language)).toEqual(languages);
  });

  it('has examples of valid YAML with existing commands and flags', async () => {
    expect(yaml).toHaveLength(4);
    const home = openHome();
    for (const text of yaml) await format(text, { parser: 'yaml' });
    for (const text of yaml.slice(0, 2)) {
      for (const command of documentedCommands(text)) await expectKnown(home, command);
      expect(text).toContain('npm install --global athlete-sync');
      // The script of the first block.
      expect(text).toContain('bash ci/seed.sh');
    }
    expect(document).toContain('Save this as `ci/seed.sh`');
    const found = yaml.flatMap(documentedCommands).map(({ text }) => text);
    expect(found).toEqual([
      'sync config set testAccount true',
      'sync seed --days 90 --seed 7 --json',
    ]);
    for (const script of shell) {
      for (const command of documentedCommands(script)) await expectKnown(home, command);
    }
  });

  it.skipIf(missingForPorts.length > 0)(
    `has a container whose entry serves the sandbox under the names that it knows${skipNote(missingForPorts)}`,
    async () => {
      const home = openHome();
      const entry = join(ROOT, 'packaging/ci/container.mjs');
      const dockerfile = readDocument('packaging/ci/Dockerfile');
      expect(dockerfile).toContain('/athlete-sync/packaging/ci/container.mjs');
      // Its ports are fixed, and may be in use on this machine: an own network has them all.
      const script = `unshare --net --map-root-user sh -ec '
        ip link set lo up
        node "${entry}" --auto-approve & entry=$!
        trap "kill $entry" EXIT
        curl -sS --retry 60 --retry-delay 1 --retry-all-errors --fail -H "Host: sandbox" \
          http://127.0.0.1:8918/_sandbox/settings
        curl -sS -o /dev/null -w "%{http_code}" -H "Host: evil.example:8918" \
          http://127.0.0.1:8918/_sandbox/state'`;
      const run = await runShell(script, {
        home,
        path: [installSync(home)],
        env: { TMPDIR: home.dir },
      });
      expect(run.stdout, run.stderr).toContain('"autoApprove":true');
      expect(run.stdout).toContain('}421');
    },
  );

  it('names variables that the program reads, and major versions of actions', () => {
    const settings =
      readDocument('src/config/settings.ts') +
      readDocument('src/config/config.ts') +
      readDocument('src/config/paths.ts');
    const names = new Set(document.match(/\bSYNC_[A-Z_]+\b/g));
    expect(names.size).toBeGreaterThan(5);
    for (const name of names) expect(settings, name).toContain(`'${name}'`);
    const actions = [...document.matchAll(/uses: (\S+)/g)].map(([, action]) => action);
    const others = actions.filter((action) => action?.startsWith('athlete-sync/') === false);
    for (const action of others) expect(action).toMatch(/^actions\/[a-z-]+@v\d+$/);
    expect(tableRows(document, 'variables')).toHaveLength(3);
  });
});

describe('.github/workflows/ci.yml', () => {
  const workflow = readDocument('.github/workflows/ci.yml');

  it('runs .ci/run, and npm test on three systems and lines of Node.js', async () => {
    await format(workflow, { parser: 'yaml' });
    expect(workflow).toContain('bash .ci/run');
    expect(workflow).toContain('npm audit --omit=dev');
    expect(workflow).toContain('npm ci');
    expect(workflow).toContain('npm test');
    expect(workflow).toMatch(/os: \[ubuntu-latest, macos-latest, windows-latest\]/);
    expect(workflow).toMatch(/node: \[20, 22, 24\]/);
  });

  it('uses no secrets', () => {
    expect(workflow).not.toMatch(/secrets\./);
  });

  it('names existing npm scripts', () => {
    const { scripts } = JSON.parse(readDocument('package.json')) as {
      scripts: Record<string, string>;
    };
    const named = [...workflow.matchAll(/npm (?:run (?:--silent )?)?(test|[a-z]+)(?= |$)/gm)]
      .map(([, name = '']) => name)
      .filter((name) => !['ci', 'audit', 'run'].includes(name));
    for (const name of named) expect(scripts, name).toHaveProperty(name);
    expect(readdirSync(join(ROOT, '.ci'))).toContain('run');
  });
});

it('CONTRIBUTING.md names npm scripts and files of this project', () => {
  const contributing = readDocument('CONTRIBUTING.md');
  const { scripts } = JSON.parse(readDocument('package.json')) as {
    scripts: Record<string, string>;
  };
  const named = [...contributing.matchAll(/npm run ([a-z:-]+)/g)].map(([, name = '']) => name);
  expect(named).toEqual(expect.arrayContaining(['dev', 'test:unit', 'test:watch', 'bench']));
  for (const name of named) expect(scripts, name).toHaveProperty([name]);
  const paths = [...contributing.matchAll(/`((?:src|test|scripts|\.ci|docs)\/[\w./-]+)`/g)];
  expect(paths.length).toBeGreaterThan(5);
  for (const [, path = ''] of paths) {
    if (!path.includes('NAME')) expect(existsSync(join(ROOT, path)), path).toBe(true);
  }
});
