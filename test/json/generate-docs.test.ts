import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/documents.ts';
import { scratchDir } from '../support/scratch-dir.ts';

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
    const run = (script: string, ...args: readonly string[]) => {
      const path = join(copy, 'scripts', script);
      const { status, stderr } = spawnSync(process.execPath, [path, ...args], {
        cwd: copy,
        encoding: 'utf8',
      });
      return { status, stderr };
    };
    const stale = (page: string, part: string) => ({
      status: 1,
      stderr: `${page} is out of date: run \`npm run generate-docs -- ${part}\`.\n`,
    });
    expect(run('settings-docs.mjs', '--check')).toEqual(stale('docs/settings.md', 'settings'));
    expect(run('generate-docs.mjs', 'settings')).toEqual({ status: 0, stderr: '' });
    expect(run('settings-docs.mjs', '--check')).toEqual({ status: 0, stderr: '' });
    expect(run('sandbox-docs.mjs', '--check')).toEqual(stale('docs/sandbox.md', 'sandbox'));
  });

  it('lists the parts if one is unknown, and writes nothing', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      ['scripts/generate-docs.mjs', 'settings', 'nonsense'],
      { cwd: ROOT, encoding: 'utf8' },
    );
    expect([status, stderr]).toEqual([
      2,
      'Unknown: nonsense. The parts are: examples, json, types, sources, devices, settings, sandbox, pictures.\n',
    ]);
  });
});
