import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, readDocument } from '../support/documents.ts';
import { missingTools, skipNote } from '../support/shell.ts';

const folder = join(ROOT, 'docs', 'pictures');
const pictures = readdirSync(folder).filter((name) => name.endsWith('.svg'));
const missing = missingTools('tmux');

describe('the pictures of the README', () => {
  it.skipIf(missing.length > 0)(`show what sync prints in a terminal${skipNote(missing)}`, () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      ['scripts/generate-docs.mjs', '--check', 'pictures'],
      {
        cwd: ROOT,
        encoding: 'utf8',
      },
    );
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  it.each(pictures)('include %s, with a text for screen readers, and nothing external', (name) => {
    const svg = readFileSync(join(folder, name), 'utf8');
    expect(svg).toMatch(/<title id="t">sync .+<\/title>\n<desc id="d">.+<\/desc>/);
    expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(
      /https?:|url\(|<script/,
    );
    expect(statSync(join(folder, name)).size).toBeLessThan(60_000);
  });

  it('are all in it, light and dark', () => {
    const readme = readDocument('README.md');
    const shown = [...readme.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, path = '']) => path);
    expect(shown.map((path) => dirname(path))).toEqual(shown.map(() => 'docs/pictures'));
    expect(shown.map((path) => path.slice('docs/pictures/'.length)).sort()).toEqual(
      pictures.sort(),
    );
    expect(readme.match(/<img [^>]*alt="[^"]{40,}"/g)).toHaveLength(pictures.length / 2);
  });
});
