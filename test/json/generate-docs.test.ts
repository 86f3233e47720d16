import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/documents.ts';
import { scratchDir } from '../support/scratch-dir.ts';

/** Runs the script of this checkout or of a copy. */
function generateDocs(root: string, ...args: readonly string[]) {
  const path = join(root, 'scripts/generate-docs.mjs');
  const run = spawnSync(process.execPath, [path, ...args], { cwd: root, encoding: 'utf8' });
  return { status: run.status, stderr: run.stderr };
}

describe('npm run generate-docs', () => {
  it('writes the named part alone, and a check names the part of a document that is out of date', () => {
    const copy = scratchDir();
    for (const name of ['scripts', 'src', 'package.json', '.prettierrc.json']) {
      cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
    mkdirSync(join(copy, 'docs'));
    const pages = ['docs/settings.md', 'docs/sandbox.md'];
    for (const page of pages) {
      const text = readFileSync(join(ROOT, page), 'utf8');
      writeFileSync(
        join(copy, page),
        text.replace(/^\| +`[a-zA-Z]+`.*$/m, '| a row of yesterday |'),
      );
    }
    const run = (...args: readonly string[]) => generateDocs(copy, ...args);
    const stale = (page: string, part: string) => ({
      status: 1,
      stderr: `${page} is out of date: run \`npm run generate-docs -- ${part}\`.\n`,
    });
    expect(run('--check', 'settings')).toEqual(stale('docs/settings.md', 'settings'));
    expect(run('settings')).toEqual({ status: 0, stderr: '' });
    expect(run('--check', 'settings')).toEqual({ status: 0, stderr: '' });
    expect(run('--check', 'sandbox')).toEqual(stale('docs/sandbox.md', 'sandbox'));
  });

  it('lists the parts if one is unknown, and writes nothing', () => {
    expect(generateDocs(ROOT, 'settings', 'nonsense')).toEqual({
      status: 2,
      stderr:
        'Unknown: nonsense. The parts are: schema, json, records, sources, devices, settings, sandbox, pictures.\n',
    });
  });

  // json-examples.test.ts and pictures.test.ts compare the parts that run the program.
  it('finds every part up to date that follows from the source alone', () => {
    const parts = ['schema', 'records', 'sources', 'devices', 'settings', 'sandbox'];
    expect(generateDocs(ROOT, '--check', ...parts)).toEqual({ status: 0, stderr: '' });
  });
});
