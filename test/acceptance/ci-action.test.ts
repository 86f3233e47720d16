import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { REVISIONS, openHome } from '../support/acceptance.ts';
import {
  type ActionRun,
  type GitlabJob,
  action,
  openCiMachine,
  runAction,
  runGitlabJob,
} from '../support/ci-runners.ts';
import { ROOT, codeBlocks, quoted, readDocument, tableRows } from '../support/documents.ts';
import { ndjson } from '../support/program.ts';
import { missingTools, runShell, skipNote } from '../support/shell.ts';

const SCRIPT = join(ROOT, 'packaging/ci/sandbox.sh');
const { version: VERSION } = JSON.parse(readDocument('package.json')) as { version: string };
const template = (parse(readDocument('packaging/ci/gitlab.yml')) as Record<string, GitlabJob>)[
  '.athlete-sync'
];
const document = readDocument('docs/ci.md');
const yaml = codeBlocks(document).filter(({ language }) => language === 'yaml');
const TOKEN = /sbx_at_[\w-]+/g;

/** The sandbox's own view of a job's data. */
async function stateOf(baseUrl = '') {
  const answer = await fetch(`${baseUrl}/_sandbox/state`);
  return (await answer.json()) as {
    athletes: { wellness: { date: string }[]; recordings: { receivedCount: number }[] }[];
  };
}

async function ownerOf(baseUrl = '', token = ''): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${baseUrl}/api/oauth/userinfo`, { headers });
  return ((await answer.json()) as { sub: string }).sub;
}

/** The sandbox's process ID, from the folder that the action made. */
function pidOf(folder: string): number {
  return Number(readFileSync(join(folder, 'pid'), 'utf8'));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie has ended; its parent has not asked for its exit code.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function expectEnded(pid: number): Promise<void> {
  await expect.poll(() => isRunning(pid), { timeout: 30_000 }).toBe(false);
}

function expectNothingExported(run: ActionRun): void {
  expect(run.variables).toEqual({});
  expect(run.outputs).toEqual({ 'base-url': '', 'client-id': '', requests: '' });
}

describe('the GitHub Action', () => {
  it.each(REVISIONS)('gives later steps a filled account on revision %s', async (revision) => {
    const machine = openCiMachine(openHome());
    const run = await runAction(machine, { revision, days: '3', seed: '7', until: '2026-05-17' });
    expect(run.code, run.stderr).toBe(0);
    const { SYNC_BASE_URL: baseUrl = '', SYNC_STATE_DIR: stateDir = '' } = run.variables;
    const folder = join(stateDir, '..');
    expect(run.variables).toEqual({
      SYNC_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
      SYNC_CLIENT_ID: 'sandbox-client',
      SYNC_CONFIG_DIR: join(folder, 'config'),
      SYNC_STATE_DIR: join(folder, 'state'),
      SYNC_ACCESS_TOKEN: expect.stringMatching(TOKEN) as string,
    });
    expect(run.outputs).toEqual({
      'base-url': baseUrl,
      'client-id': 'sandbox-client',
      requests: join(folder, 'requests.ndjson'),
    });
    const settings = await (await fetch(`${baseUrl}/_sandbox/settings`)).json();
    expect(settings).toMatchObject({ revision });
    const { athletes } = await stateOf(baseUrl);
    expect(athletes.map(({ wellness }) => wellness.length)).toEqual([3, 0, 0]);
    expect(athletes[0]?.wellness.map(({ date }) => date).sort()).toEqual([
      '2026-05-15',
      '2026-05-16',
      '2026-05-17',
    ]);
    expect(readFileSync(run.outputs['requests'] ?? '', 'utf8')).toContain('"route":"wellness"');

    // The ledger is of this job: `sync` knows what the action sent.
    const again = await run.step('sync seed --days 3 --seed 7 --until 2026-05-17 --json');
    expect(again.code, again.stderr).toBe(0);
    const recordings = ndjson(again.stdout).filter(({ path }) => path !== undefined);
    expect(recordings.length).toBeGreaterThan(0);
    expect(new Set(recordings.map(({ outcome }) => outcome))).toEqual(new Set(['skipped']));
  });

  it('masks the tokens before anything else, and passes none as an argument', async () => {
    const machine = openCiMachine(openHome());
    const run = await runAction(machine, { accounts: '3', days: '1', seed: '4' });
    expect(run.code, run.stderr).toBe(0);
    const { SYNC_BASE_URL, ...variables } = run.variables;
    const tokens = ['', '_2', '_3'].map((end) => variables[`SYNC_ACCESS_TOKEN${end}`] ?? '');
    expect(new Set(tokens).size).toBe(3);
    const owners = await Promise.all(tokens.map((token) => ownerOf(SYNC_BASE_URL, token)));
    expect(owners).toEqual(['athlete-1', 'athlete-2', 'athlete-3']);
    const lines = run.stdout.split('\n').filter((line) => line.match(TOKEN));
    expect(lines).toEqual(tokens.map((token) => `::add-mask::${token}`));
    expect(run.stderr).not.toMatch(TOKEN);
    expect(machine.allArguments()).toContain('--accounts=');
    expect(machine.allArguments()).not.toMatch(TOKEN);
    const { athletes } = await stateOf(SYNC_BASE_URL);
    expect(athletes.map(({ wellness }) => wellness.length)).toEqual([1, 1, 1]);
  });

  it('installs its own version without scripts, or the version of the input', async () => {
    const machine = openCiMachine(openHome());
    const run = await runAction(machine, { days: '0' });
    expect(run.code, run.stderr).toBe(0);
    const folder = join(run.variables['SYNC_STATE_DIR'] ?? '', '..');
    const flags = ['--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts'];
    expect(machine.npmRuns()).toEqual([['install', ...flags, `athlete-sync@${VERSION}`]]);
    const { athletes } = await stateOf(run.variables['SYNC_BASE_URL']);
    expect(athletes.map(({ wellness }) => wellness.length)).toEqual([0, 0, 0]);

    const other = openCiMachine(openHome());
    await runAction(other, { days: '0', version: '1.2.3-rc.1' });
    expect(other.npmRuns()[0]?.at(-1)).toBe('athlete-sync@1.2.3-rc.1');
  });

  it.skipIf(process.platform !== 'linux')(
    "leaves the sandbox to the runner's cleanup, which finds it by RUNNER_TRACKING_ID",
    async () => {
      const run = await runAction(openCiMachine(openHome()), { days: '0' });
      const pid = pidOf(join(run.variables['SYNC_STATE_DIR'] ?? '', '..'));
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toContain('RUNNER_TRACKING_ID=github_1');
      process.kill(pid);
      await expectEnded(pid);
    },
  );

  it('fails with the exit code and the words of npm', async () => {
    const run = await runAction(openCiMachine(openHome(), 1));
    expect(run.code).toBe(1);
    expect(run.stdout).toBe(
      `::error title=athlete-sync::npm could not install athlete-sync ${VERSION}.\n`,
    );
    expectNothingExported(run);
  });

  it('fails with the words of the sandbox if it does not start', async () => {
    const run = await runAction(openCiMachine(openHome()), { revision: '1999-01' });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('1999-01');
    expect(run.stderr).toContain('2026-08');
    expect(run.stderr).toContain('athlete-sync: The sandbox did not start.');
    expectNothingExported(run);
  });

  it.each([
    ['until', 'someday'],
    ['until', '--force'],
    ['tz', 'Europe/Atlantis'],
    ['days', '99999'],
  ])('stops the sandbox and exports nothing if %s is %s', async (input, value) => {
    const { home, path } = openCiMachine(openHome());
    // The folder is known here, so that the process can be found.
    const env = { [`SANDBOX_${input.toUpperCase()}`]: value, GITHUB_ENV: join(home.dir, 'env') };
    const prepared = `npm install --prefix "$PWD/job" && sh '${SCRIPT}' "$PWD/job"`;
    const run = await runShell(prepared, { home, path, env });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(value);
    expect(existsSync(env.GITHUB_ENV)).toBe(false);
    expect(existsSync(join(home.dir, 'job', 'env'))).toBe(false);
    await expectEnded(pidOf(join(home.dir, 'job')));
  });
});

const HOSTILE = [
  '1; touch pwned',
  '$(touch pwned)',
  '`touch pwned`',
  'a[$(touch pwned)]',
  "'; touch pwned; '",
  '1\n::stop-commands::x',
  '1\nLD_PRELOAD=/tmp/x.so',
  '--out=pwned',
  '*',
];

describe.each(Object.keys(action.inputs))('the input %s', (input) => {
  it('reaches no shell, no command of the runner and no other package', async () => {
    const packages = ['npm:evil@1', 'evil/repo', 'file:evil.tgz', '1.0.0 --registry=http://x'];
    for (const value of [...HOSTILE, ...(input === 'version' ? packages : [])]) {
      const machine = openCiMachine(openHome());
      const run = await runAction(machine, { [input]: value });
      expect(run.code, value).toBe(2);
      expect(run.stderr, value).toMatch(
        new RegExp(
          `^athlete-sync: SANDBOX_${input.toUpperCase()} \\(input ${input}\\) [^\\n]+\\n$`,
        ),
      );
      expect(run.stdout.split('\n'), value).toHaveLength(2);
      expect(run.stdout + run.stderr, value).not.toMatch(/pwned|stop-commands|LD_PRELOAD|evil/);
      expect(machine.npmRuns(), value).toEqual([]);
      expect(existsSync(join(machine.home.dir, 'pwned')), value).toBe(false);
      expectNothingExported(run);
    }
  });
});

describe('packaging/ci/sandbox.sh', () => {
  const shells = [['sh'], ['bash'], ['dash'], ['busybox', 'sh']].filter(
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

  it('is in the npm package with the GitLab template', () => {
    const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    const [packed] = JSON.parse(output) as { files: { path: string }[] }[];
    const paths = packed?.files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(['packaging/ci/sandbox.sh', 'packaging/ci/gitlab.yml']),
    );
  });
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
      'curl -sSf "$SYNC_BASE_URL/_sandbox/settings"; echo',
      'sync workouts --json',
    ];
    const options = { SANDBOX_DAYS: '7', SANDBOX_REVISION: '2026-02', SANDBOX_UNTIL: '2026-05-17' };
    const { main, after, folder } = await runGitlabJob(machine, {
      ...template,
      variables: { ...template.variables, ...options },
      script,
    });
    expect(main.code, main.stderr).toBe(0);
    expect(main.stdout).toContain('"revision":"2026-02"');
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

  it.each(HOSTILE)('runs no part of %j as a command', async (value) => {
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

/** The syntax of action.yml for composite actions, as GitHub documents it. */
const METADATA = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'description', 'runs'],
  properties: {
    name: { type: 'string', minLength: 1 },
    author: { type: 'string' },
    description: { type: 'string', minLength: 1, maxLength: 125 },
    branding: {
      type: 'object',
      additionalProperties: false,
      required: ['icon', 'color'],
      properties: {
        icon: { enum: ['activity'] },
        color: {
          enum: [
            'white',
            'black',
            'yellow',
            'blue',
            'green',
            'orange',
            'red',
            'purple',
            'gray-dark',
          ],
        },
      },
    },
    inputs: {
      type: 'object',
      propertyNames: { pattern: '^[a-z_][a-z0-9_-]*$' },
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['description'],
        properties: {
          description: { type: 'string', minLength: 1 },
          required: { type: 'boolean' },
          default: { type: 'string' },
          deprecationMessage: { type: 'string' },
        },
      },
    },
    outputs: {
      type: 'object',
      propertyNames: { pattern: '^[a-z_][a-z0-9_-]*$' },
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['description', 'value'],
        properties: { description: { type: 'string' }, value: { type: 'string' } },
      },
    },
    runs: {
      type: 'object',
      additionalProperties: false,
      required: ['using', 'steps'],
      properties: {
        using: { const: 'composite' },
        steps: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['run', 'shell'],
            properties: {
              id: { type: 'string' },
              name: { type: 'string' },
              if: { type: 'string' },
              run: { type: 'string', minLength: 1 },
              shell: { enum: ['bash', 'sh', 'pwsh', 'python'] },
              env: { type: 'object', additionalProperties: { type: 'string' } },
              'working-directory': { type: 'string' },
              'continue-on-error': { type: 'boolean' },
            },
          },
        },
      },
    },
  },
};

describe('action.yml', () => {
  it('follows the metadata syntax', () => {
    const ajv = new Ajv({ allErrors: true });
    expect(ajv.validate(METADATA, action), ajv.errorsText()).toBe(true);
  });

  it('has no expression in the text of a script', () => {
    for (const { run } of action.runs.steps) expect(run).not.toContain('${{');
  });

  it('hands each input to the script as a variable that the script reads', () => {
    const env = Object.values(action.runs.steps[0]?.env ?? {});
    expect(env).toEqual(Object.keys(action.inputs).map((name) => `\${{ inputs.${name} }}`));
    const script = readDocument('packaging/ci/sandbox.sh');
    for (const name of Object.keys(action.runs.steps[0]?.env ?? {})) {
      expect(script).toContain(`\${${name}:-`);
    }
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

  it('has a workflow whose steps run after the action', async () => {
    const own = steps.find(({ uses }) => uses?.startsWith('athlete-sync/') === true);
    const run = await runAction(openCiMachine(openHome()), own?.with);
    expect(run.code, run.stderr).toBe(0);
    const scripts = steps.flatMap((step) => step.run ?? []);
    expect(scripts).toHaveLength(1);
    const used = await run.step(`${scripts.join('\n')}\ncat workouts.ndjson`);
    expect(used.code, used.stderr).toBe(0);
    expect(used.stdout).toContain('"connected":true');
    expect(used.stdout).toContain('"type":"workout"');
  });

  it('has a job for GitLab that extends the template', async () => {
    const { test } = gitlab as unknown as { test: GitlabJob & { extends: string } };
    expect(test.extends).toBe('.athlete-sync');
    const { main, after } = await runGitlabJob(openCiMachine(openHome()), {
      ...(template as GitlabJob),
      variables: { ...template?.variables, ...test.variables },
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
    const run = await runShell(`set -eu\n${script}`, { home, path, env: { TMPDIR: home.dir } });
    expect(run.code, run.stderr).toBe(0);
    expect(run.stdout).toContain('"type":"workout"');
  });
});
