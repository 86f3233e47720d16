import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT, readDocument } from '../support/documents.ts';

interface LockedPackage {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

const lock = JSON.parse(readDocument('package-lock.json')) as {
  packages: Record<string, LockedPackage>;
};
const manifest = JSON.parse(readDocument('package.json')) as {
  scripts: Record<string, string>;
  files: string[];
};
const packages = Object.entries(lock.packages)
  .filter(([path]) => path !== '')
  .map(([path, locked]) => ({ name: path.replace(/^.*node_modules\//, ''), ...locked }));

describe('the lock file', () => {
  it('pins every package by its SHA-512, and names no other source than the registry', () => {
    expect(packages.length).toBeGreaterThan(100);
    const odd = packages.filter(
      ({ resolved, integrity = '' }) =>
        resolved !== undefined || !/^sha512-[\w+/]{86}==$/.test(integrity),
    );
    expect(odd).toEqual([]);
  });

  it('has one package with an install script, which an installation does not need', () => {
    const scripted = packages.filter(({ hasInstallScript }) => hasInstallScript === true);
    expect(scripted.map(({ name }) => name)).toEqual(['@photostructure/sqlite']);
  });

  it('installs packages of few authors for a user, all under MIT', () => {
    const installed = packages.filter(({ dev }) => dev !== true);
    const families = new Set(
      installed.map(({ name }) => name.replace(/^@napi-rs\/.*/, '@napi-rs')),
    );
    expect([...families].sort()).toEqual([
      '@napi-rs',
      '@photostructure/sqlite',
      'node-addon-api',
      'node-gyp-build',
    ]);
    expect(new Set(installed.map(({ license }) => license))).toEqual(new Set(['MIT']));
  });
});

describe('the npm package', () => {
  it('runs no script on the machine of a user', () => {
    const onInstall = /^(?:pre|post)?install$|^prepare$|^(?:pre|post)prepare$|^dependencies$/;
    expect(Object.keys(manifest.scripts).filter((name) => onInstall.test(name))).toEqual([]);
  });

  it('contains documents for users, the built program and the files for CI systems alone', () => {
    expect(manifest.files).toEqual([
      'bin',
      'dist',
      '!dist/manual.cjs',
      'docs',
      '!docs/internals',
      'packaging/ci',
    ]);
  });
});

interface Job {
  readonly permissions?: Record<string, string>;
  readonly environment?: string;
  readonly steps: readonly {
    readonly uses?: string;
    readonly run?: string;
    readonly with?: Record<string, unknown>;
  }[];
}

interface Workflow {
  readonly on: Record<string, unknown>;
  readonly permissions: Record<string, string>;
  readonly jobs: Record<string, Job>;
}

const WORKFLOWS = '.github/workflows';
const workflows = readdirSync(join(ROOT, WORKFLOWS)).map((file) => {
  const text = readFileSync(join(ROOT, WORKFLOWS, file), 'utf8');
  return { file, text, workflow: parse(text) as Workflow };
});

describe.each(workflows)('the workflow $file', ({ text, workflow }) => {
  const jobs = Object.entries(workflow.jobs);
  const steps = jobs.flatMap(([, job]) => job.steps);

  it('pins each action by a commit, and names its version', () => {
    const used = steps.flatMap(({ uses }) => uses ?? []);
    expect(used.length).toBeGreaterThan(0);
    for (const action of used) {
      expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
      expect(text).toMatch(new RegExp(`${action} # v\\d+\\.\\d+\\.\\d+\\n`));
    }
  });

  it('can read the repository, and only the job `publish` can write', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    const granted = jobs.filter(([, { permissions }]) => permissions !== undefined);
    expect(granted.map(([name]) => name).filter((name) => name !== 'publish')).toEqual([]);
  });

  it('leaves no token in the working copy', () => {
    const checkouts = steps.filter(({ uses = '' }) => uses.startsWith('actions/checkout@'));
    expect(checkouts.length).toBeGreaterThan(0);
    for (const checkout of checkouts) {
      expect(checkout.with).toMatchObject({ 'persist-credentials': false });
    }
  });

  it('inserts no text of a contributor into a command, and runs no code of a fork with secrets', () => {
    expect(Object.keys(workflow.on)).not.toContain('pull_request_target');
    expect(Object.keys(workflow.on)).not.toContain('workflow_run');
    expect(steps.filter(({ run = '' }) => run.includes('${{'))).toEqual([]);
  });
});

it('publishes to npm with provenance and without a token, after a person approves and the archives are attested', () => {
  const release = workflows.find(({ file }) => file === 'release.yml')?.workflow.jobs['publish'];
  const steps = release?.steps.map(({ uses, run }) => uses ?? run ?? '') ?? [];
  const at = (part: string) => steps.findIndex((step) => step.includes(part));
  expect(at('attest-build-provenance')).toBeGreaterThan(at('sha256sum --check --strict'));
  expect(at('npm publish')).toBeGreaterThan(at('attest-build-provenance'));
  expect(steps[at('npm publish')]).toContain('--provenance');
  expect(release?.environment).toBe('release');
  for (const { text } of workflows) expect(text).not.toMatch(/NPM_TOKEN|NODE_AUTH_TOKEN/);
  expect(release?.permissions).toEqual({
    contents: 'write',
    'id-token': 'write',
    attestations: 'write',
  });
});
