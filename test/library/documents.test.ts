import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { ROOT, codeBlocks, readDocument } from '../support/documents.ts';

const examples = codeBlocks(readDocument('docs/library.md')).filter(
  ({ language }) => language === 'js',
);

/** Returns the lines that an example says it prints: `console.log(...); // one | two`. */
function promised(code: string): string[] {
  return [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].flatMap(([, lines = '']) =>
    lines.split(' | '),
  );
}

describe('docs/library.md', () => {
  it('has examples', () => {
    expect(examples.length).toBeGreaterThanOrEqual(4);
  });

  it.each(examples)('prints what the example at line $line says', ({ text }) => {
    const args = ['--input-type=module', '--eval', text];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(promised(text)).not.toEqual([]);
    expect(stdout.trimEnd().split('\n')).toEqual(promised(text));
  });
});
