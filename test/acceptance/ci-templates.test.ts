import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openHome } from '../support/acceptance.ts';
import {
  type GitlabJob,
  HOSTILE,
  SCRIPT,
  TOKEN,
  VERSION,
  action,
  expectEnded,
  openCiMachine,
  pidOf,
  runAction,
  runGitlabJob,
} from '../support/ci-runners.ts';
import { codeBlocks, quoted, readDocument, tableRows } from '../support/documents.ts';
import { missingTools, runShell, skipNote } from '../support/shell.ts';

const template = (parse(readDocument('packaging/ci/gitlab.yml')) as Record<string, GitlabJob>)[
  '.athlete-sync'
];
const document = readDocument('docs/ci.md');
const yaml = codeBlocks(document).filter(({ language }) => language === 'yaml');

describe('packaging/ci/sandbox.sh', () => {
  const shells = [['sh'], ['bash'], ['busybox', 'sh']].filter(
    ([program = '']) => missingTools(program).length === 0,
  );
  it.each(shells.map((words) => words.join(' ')))(
    'runs in %s, and writes a file that exports the variables',
    async (shell) => {
      const { home, path } = openCiMachine(openHome());
      const dir = join(home.dir, "a folder's name");
      mkdirSync(dir);
      const script = `set -eu
        npm install --prefix "$DIR"
        ${shell} '${SCRIPT}' "$DIR"
        . "$DIR/env"
        trap 'kill "$(cat "$DIR/pid")"' EXIT
        command -v sync
        sync workouts --json
        echo "$SYNC_STATE_DIR"`;
      const env = { DIR: dir, SANDBOX_DAYS: '1', SANDBOX_UNTIL: '2026-05-17' };
      const run = await runShell(script, { home, path, env });
      expect(run.code, run.stderr).toBe(0);
      expect(run.stdout).not.toContain('::');
      const lines = run.stdout.trimEnd().split('\n');
      expect(lines).toContain(join(dir, 'node_modules/.bin/sync'));
      expect(lines.at(-1)).toBe(join(dir, 'state'));
      await expectEnded(pidOf(dir));
      // Again in the same folder: the first sandbox's process ID would be lost.
      const again = await runShell(script, { home, path, env });
      expect(again.code).toBe(2);
      expect(again.stderr).toContain('has a sandbox already. Name another folder.');
    },
  );

  it('stops the sandbox and exports nothing if it is stopped itself', async () => {
    const { home, path } = openCiMachine(openHome());
    const script = `npm install --prefix "$PWD/job"
      sh '${SCRIPT}' "$PWD/job" &
      until [ -e job/ready ]; do sleep 0.1; done
      kill $!
      wait $!`;
    const run = await runShell(script, { home, path });
    expect(run.code, run.stderr).toBe(130);
    expect(existsSync(join(home.dir, 'job', 'env'))).toBe(false);
    await expectEnded(pidOf(join(home.dir, 'job')));
  });

  it('names the program that is missing', async () => {
    const home = openHome();
    const tools = join(home.dir, 'few');
    const link = 'mkdir few && for one in mkdir tr; do ln -s "$(command -v $one)" few/; done';
    const { stderr, code } = await runShell(`${link} && PATH=${tools} /bin/sh '${SCRIPT}' job`, {
      home,
    });
    expect(code).toBe(2);
    expect(stderr).toBe(
      'athlete-sync: npm is missing. Install Node.js first: actions/setup-node, or the image node:22.\n',
    );
  });

  it.skipIf(missingTools('shellcheck').length > 0)(
    `passes ShellCheck${skipNote(missingTools('shellcheck'))}`,
    () => {
      execFileSync('shellcheck', ['--shell=sh', SCRIPT]);
    },
  );
});

describe('packaging/ci/gitlab.yml', () => {
  if (template === undefined) throw new Error('no job .athlete-sync');

  it('is one hidden job of known keywords', () => {
    const file = parse(readDocument('packaging/ci/gitlab.yml')) as Record<string, object>;
    expect(Object.keys(file)).toEqual(['.athlete-sync']);
    expect(Object.keys(file['.athlete-sync'] ?? {})).toEqual([
      'image',
      'variables',
      'before_script',
      'after_script',
    ]);
    const lines = [...template.before_script, ...template.after_script];
    for (const line of lines) expect(line).toBeTypeOf('string');
    for (const value of Object.values(template.variables ?? {})) expect(value).toBeTypeOf('string');
  });

  it('installs the version that it belongs to', () => {
    expect(template.variables?.['SANDBOX_VERSION']).toBe(VERSION);
  });

  it('gives the script of a job a filled account, and removes everything after it', async () => {
    const machine = openCiMachine(openHome());
    const script = [
      'cp "$SANDBOX_DIR/pid" "$HOME/pid"',
      `node -e 'fetch(process.argv[1]).then(async (answer) => console.log(await answer.text()))' "$SYNC_BASE_URL/_sandbox/settings"`,
      'sync workouts --json',
    ];
    const options = {
      SANDBOX_DAYS: '2',
      SANDBOX_PLATFORM: 'interface',
      SANDBOX_UNTIL: '2026-05-17',
    };
    const { main, after, folder } = await runGitlabJob(machine, {
      ...template,
      variables: { ...template.variables, ...options },
      script,
    });
    expect(main.code, main.stderr).toBe(0);
    expect(main.stdout).toContain('"platform":"interface"');
    expect(main.stdout).toContain('"type":"workout"');
    expect(main.stdout + main.stderr).not.toMatch(TOKEN);
    expect(machine.npmRuns()).toHaveLength(1);
    expect(after).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(existsSync(folder)).toBe(false);
    await expectEnded(pidOf(machine.home.dir));
  });

  it('stops the sandbox after a job that failed', async () => {
    const machine = openCiMachine(openHome());
    const { main, folder } = await runGitlabJob(machine, {
      ...template,
      variables: { ...template.variables, SANDBOX_DAYS: '0' },
      script: ['cp "$SANDBOX_DIR/pid" "$HOME/pid"', 'exit 42'],
    });
    expect(main.code).toBe(42);
    expect(existsSync(folder)).toBe(false);
    await expectEnded(pidOf(machine.home.dir));
  });

  // The script that it shares with the action is tested with each of them.
  it.each(HOSTILE.slice(0, 2))('runs no part of %j as a command', async (value) => {
    const machine = openCiMachine(openHome());
    for (const name of ['SANDBOX_VERSION', 'SANDBOX_SEED']) {
      const { main } = await runGitlabJob(
        { ...machine, home: openHome() },
        { ...template, variables: { ...template.variables, [name]: value }, script: ['touch ran'] },
      );
      expect(main.code).toBe(2);
      expect(main.stderr).toContain(`${name} (input`);
    }
    // One argument, which npm refuses.
    expect(machine.npmRuns().map((args) => args.at(-1))).toEqual([
      `athlete-sync@${value}`,
      `athlete-sync@${VERSION}`,
    ]);
    expect(existsSync(join(machine.home.dir, 'pwned'))).toBe(false);
  });
});

describe('docs/ci.md', () => {
  const [github, gitlab] = yaml.map(({ text }) => parse(text) as Record<string, never>);
  interface Step {
    readonly uses?: string;
    readonly with?: Record<string, string>;
    readonly run?: string;
  }
  const steps = (github as unknown as { jobs: { test: { steps: Step[] } } }).jobs.test.steps;

  it('lists the inputs with the defaults of action.yml, and the variables of GitLab', () => {
    const rows = tableRows(document, 'GitHub');
    const inputs = Object.entries(action.inputs);
    expect(rows.map(([name = '']) => quoted(name))).toEqual(inputs.map(([name]) => [name]));
    for (const [index, [name, { description }]] of inputs.entries()) {
      const [, variable = '', value = ''] = rows[index] ?? [];
      expect(quoted(variable)).toEqual([`SANDBOX_${name.toUpperCase()}`]);
      const fallback = /\(default: (\S+)/;
      expect(fallback.exec(value)?.[1], name).toBe(fallback.exec(description)?.[1]);
    }
  });

  it('names the current version, and a folder that has the template', () => {
    const uses = [...document.matchAll(/athlete-sync\/athlete-sync@(v\S+?)`?\s/g)];
    expect(new Set(uses.map(([, version]) => version))).toEqual(new Set([`v${VERSION}`]));
    const { include } = gitlab as unknown as { include: { remote: string }[] };
    expect(include).toEqual([
      {
        remote: `https://raw.githubusercontent.com/athlete-sync/athlete-sync/v${VERSION}/packaging/ci/gitlab.yml`,
      },
    ]);
    expect(document).toContain(`athlete-sync@${VERSION}\n`);
  });

  const missing = missingTools('curl');
  it.skipIf(missing.length > 0)(
    `has a workflow whose steps run after the action${skipNote(missing)}`,
    async () => {
      const own = steps.find(({ uses }) => uses?.startsWith('athlete-sync/') === true);
      const run = await runAction(openCiMachine(openHome()), { ...own?.with, days: '2' });
      expect(run.code, run.stderr).toBe(0);
      const scripts = steps.flatMap((step) => step.run ?? []);
      expect(scripts).toHaveLength(1);
      const used = await run.step(`${scripts.join('\n')}\ncat workouts.ndjson`);
      expect(used.code, used.stderr).toBe(0);
      expect(used.stdout).toContain('"connected":true');
      expect(used.stdout).toContain('"type":"workout"');
    },
  );

  it('has a job for GitLab that extends the template', async () => {
    const { test } = gitlab as unknown as { test: GitlabJob & { extends: string } };
    expect(test.extends).toBe('.athlete-sync');
    const { main, after } = await runGitlabJob(openCiMachine(openHome()), {
      ...(template as GitlabJob),
      variables: { ...template?.variables, ...test.variables, SANDBOX_DAYS: '2' },
      script: [...test.script, 'cat workouts.ndjson'],
    });
    expect(main.code, main.stderr).toBe(0);
    expect(main.stdout).toContain('"type":"workout"');
    expect(after.code).toBe(0);
  });

  it('has a script for other CI systems', async () => {
    const [script = ''] = codeBlocks(document).flatMap(({ language, text }) =>
      language === 'sh' && text.includes('sandbox.sh') ? [text] : [],
    );
    const { home, path } = openCiMachine(openHome());
    // Yesterday may be a rest day, and today is not over.
    const short = script.replace('SANDBOX_DAYS=14', 'SANDBOX_DAYS=3');
    expect(short).not.toBe(script);
    const run = await runShell(`set -eu\n${short}`, { home, path, env: { TMPDIR: home.dir } });
    expect(run.code, run.stderr).toBe(0);
    expect(run.stdout).toContain('"type":"workout"');
  });
});
