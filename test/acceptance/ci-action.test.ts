import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome } from '../support/acceptance.ts';
import {
  type ActionRun,
  HOSTILE,
  SCRIPT,
  TOKEN,
  VERSION,
  action,
  expectEnded,
  openCiMachine,
  pidOf,
  runAction,
} from '../support/ci-runners.ts';
import { readDocument } from '../support/documents.ts';
import { ndjson } from '../support/program.ts';
import { runShell } from '../support/shell.ts';

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

function expectNothingExported(run: ActionRun): void {
  expect(run.variables).toEqual({});
  expect(run.outputs).toEqual({ 'base-url': '', 'client-id': '', requests: '' });
}

describe('the GitHub Action', () => {
  it('gives later steps a filled account on the platform of the input', async () => {
    const platform = 'interface';
    const machine = openCiMachine(openHome());
    const run = await runAction(machine, { platform, days: '3', seed: '7', until: '2026-05-17' });
    expect(run.code, run.stderr).toBe(0);
    const { SYNC_BASE_URL: baseUrl = '', SYNC_STATE_DIR: stateDir = '' } = run.variables;
    const folder = join(stateDir, '..');
    expect(run.variables).toEqual({
      SYNC_BASE_URL: /^http:\/\/127\.0\.0\.1:\d+$/,
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
    expect(settings).toMatchObject({ platform });
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
    const run = await runAction(openCiMachine(openHome()), { platform: 'other' });
    expect(run).toMatchObject({ code: 2, stderr: /'other' is invalid/ });
    expect(run.stderr).toContain('coach-watts');
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

describe('action.yml', () => {
  it('is a composite action of known keywords', () => {
    const { inputs, outputs, runs, ...rest } = action;
    expect(Object.keys(rest).sort()).toEqual(['author', 'branding', 'description', 'name']);
    const keysOf = (things: readonly object[]) => [...new Set(things.flatMap(Object.keys))].sort();
    expect(keysOf(Object.values(inputs))).toEqual(['description']);
    expect(keysOf(Object.values(outputs))).toEqual(['description', 'value']);
    expect(runs).toMatchObject({ using: 'composite', steps: [{ shell: 'sh' }] });
    expect(keysOf(runs.steps)).toEqual(['env', 'id', 'run', 'shell']);
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
