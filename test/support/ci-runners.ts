import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { type Finished, type Home } from './program.ts';
import { ROOT, readDocument } from './documents.ts';
import { isAlive } from './processes.ts';
import { installSync, runShell, writeProgram } from './shell.ts';

export const SCRIPT = join(ROOT, 'packaging/ci/sandbox.sh');
export const { version: VERSION } = JSON.parse(readDocument('package.json')) as { version: string };
/** Matches an access token of the sandbox. */
export const TOKEN = /sbx_at_[\w-]+/;

/** Values of inputs that would be commands, of a shell or of the runner, or other files. */
export const HOSTILE = [
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

/** The parts of action.yml that a runner reads. */
export interface ActionMetadata {
  readonly inputs: Readonly<Record<string, { readonly description: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: {
    readonly steps: readonly {
      readonly id: string;
      readonly shell: string;
      readonly env: Readonly<Record<string, string>>;
      readonly run: string;
    }[];
  };
}

/** The parts of a GitLab job that a runner reads. */
export interface GitlabJob {
  readonly variables?: Readonly<Record<string, string>>;
  readonly before_script: readonly string[];
  readonly script: readonly string[];
  readonly after_script: readonly string[];
}

export const action = parse(readDocument('action.yml')) as ActionMetadata;

/** A machine of a CI system, with an `npm` that installs the built program. */
export interface CiMachine {
  readonly home: Home;
  /** Folders before all others on the PATH. */
  readonly path: readonly string[];
  /** The arguments of each run of npm. */
  npmRuns(): string[][];
  /** All arguments that npm, Node.js and the program got, in one text. */
  allArguments(): string;
}

/** @param npmExitCode of every `npm install` */
export function openCiMachine(home: Home, npmExitCode = 0): CiMachine {
  const tools = join(home.dir, 'tools');
  const seen = join(home.dir, 'arguments');
  mkdirSync(tools);
  writeFileSync(seen, '');
  const program = installSync(home);
  const record = (name: string) => `printf '%s\\037' ${name} "$@" >>'${seen}'; echo >>'${seen}'`;
  writeProgram(
    join(tools, 'npm'),
    `${record('npm')}
    [ ${npmExitCode} -eq 0 ] || exit ${npmExitCode}
    mkdir -p "$3/node_modules/.bin"
    ln -sfn '${ROOT}' "$3/node_modules/athlete-sync"
    for name in sync athlete-sync; do
      printf '%s\\n' '#!/bin/sh' ${shellWord(record('sync'))} "exec '${program}/$name' \\"\\$@\\"" >"$3/node_modules/.bin/$name"
      chmod 755 "$3/node_modules/.bin/$name"
    done`,
  );
  writeProgram(join(tools, 'node'), `${record('node')}\nexec '${process.execPath}' "$@"`);
  const runs = () =>
    readFileSync(seen, 'utf8')
      .split('\u001f\n')
      .filter((line) => line !== '')
      .map((line) => line.split('\u001f'));
  return {
    home,
    path: [tools],
    npmRuns: () => runs().flatMap(([name, ...args]) => (name === 'npm' ? [args] : [])),
    allArguments: () => readFileSync(seen, 'utf8'),
  };
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** What a job on GitHub has after its step with the action. */
export interface ActionRun extends Finished {
  /** The contents of the file GITHUB_ENV. */
  readonly variables: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, string>>;
  /** Runs a later step of the job. */
  step(script: string): Promise<Finished>;
}

/** Runs action.yml in the way of GitHub's runner: `with` as inputs, then the steps. */
export async function runAction(
  machine: CiMachine,
  inputs: Readonly<Record<string, string>> = {},
): Promise<ActionRun> {
  const { home, path } = machine;
  const at = (name: string) => join(home.dir, name);
  const env: NodeJS.ProcessEnv = {
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION_PATH: ROOT,
    GITHUB_ENV: at('github-env'),
    GITHUB_OUTPUT: at('github-output'),
    GITHUB_PATH: at('github-path'),
    RUNNER_TEMP: at("the runner's temp"),
    RUNNER_TRACKING_ID: 'github_1',
  };
  mkdirSync(at("the runner's temp"));
  for (const name of ['github-env', 'github-output', 'github-path']) writeFileSync(at(name), '');
  const [step] = action.runs.steps;
  if (step === undefined || action.runs.steps.length !== 1) throw new Error('not one step');
  writeFileSync(at('step.sh'), step.run);
  const run = await runShell(`${step.shell} -e '${at('step.sh')}'`, {
    home,
    path,
    env: { ...env, ...filledIn(step.env, (name) => inputs[name] ?? '') },
  });
  const variables = assignments(at('github-env'));
  const given = assignments(at('github-output'));
  const added = readFileSync(at('github-path'), 'utf8').split('\n').filter(Boolean);
  return {
    ...run,
    variables,
    outputs: Object.fromEntries(
      Object.entries(action.outputs).map(([name, { value }]) => [
        name,
        value.replace(
          /^\$\{\{ steps\.sandbox\.outputs\.([a-z-]+) \}\}$/,
          (_all, output: string) => given[output] ?? '',
        ),
      ]),
    ),
    step: (script) =>
      runShell(`set -e\n${script}`, {
        home,
        path: [...added, ...path],
        env: { ...env, ...variables },
      }),
  };
}

/** Replaces `${{ inputs.NAME }}` as a whole value. @throws for any other expression */
function filledIn(
  env: Readonly<Record<string, string>>,
  valueOf: (input: string) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([name, text]) => {
      const input = /^\$\{\{ inputs\.([a-z-]+) \}\}$/.exec(text)?.[1];
      if (input === undefined || !(input in action.inputs)) throw new Error(`${name}: ${text}`);
      return [name, valueOf(input)];
    }),
  );
}

function assignments(path: string): Record<string, string> {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/**
 * Runs a job in the way of GitLab's runner: `before_script` and `script` in one shell, then
 * `after_script` in another, whatever came of the first.
 */
export async function runGitlabJob(
  { home, path }: CiMachine,
  job: GitlabJob,
): Promise<{ readonly main: Finished; readonly after: Finished; readonly folder: string }> {
  const builds = join(home.dir, "the runner's builds");
  const predefined: Record<string, string> = { CI_BUILDS_DIR: builds, CI_JOB_ID: '4711' };
  mkdirSync(builds);
  const variables = Object.fromEntries(
    Object.entries(job.variables ?? {}).map(([name, text]) => [
      name,
      text.replace(/\$(\w+)/g, (_all, key: string) => predefined[key] ?? ''),
    ]),
  );
  const env = { ...predefined, ...variables };
  const lines = ['set -eo pipefail', ...job.before_script, ...job.script];
  const main = await runShell(lines.join('\n'), { home, path, env });
  const after = await runShell(job.after_script.join('\n'), { home, path, env });
  return { main, after, folder: variables['SANDBOX_DIR'] ?? '' };
}

/** The sandbox's process ID, from the folder that the action made. */
export function pidOf(folder: string): number {
  return Number(readFileSync(join(folder, 'pid'), 'utf8'));
}

/** Waits until a process has ended. */
export async function expectEnded(pid: number): Promise<void> {
  await expect.poll(() => isAlive(pid)).toBe(false);
}
