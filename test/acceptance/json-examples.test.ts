import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { ROOT } from '../support/documents.ts';

it('docs/json.md has the lines that the program prints on the sandbox', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['scripts/generate-docs.mjs', '--check', 'json'],
    { cwd: ROOT, encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  expect(status).toBe(0);
});
