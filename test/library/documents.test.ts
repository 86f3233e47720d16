import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { ROOT, codeBlocks, readDocument } from '../support/documents.ts';
import { openHome } from '../support/world.ts';

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
    const code = text.replaceAll("'/tmp/", `'${openHome().dir}/`);
    const args = ['--input-type=module', '--eval', code];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(promised(text)).not.toEqual([]);
    expect(stdout.trimEnd().split('\n')).toEqual(promised(text));
  });

  it('has examples that compile with what tsc --init writes, against the published types, which are those of this project', () => {
    const { dir } = openHome();
    const types = join(dir, 'types');
    execFileSync(process.execPath, ['scripts/library-types.mjs', types], { cwd: ROOT });
    const write = (name: string, text: string) => {
      const path = join(dir, name);
      writeFileSync(path, text);
      return path;
    };
    // Of a user, and of this project.
    const results = `import type * as published from 'athlete-sync';
import type * as inferred from '${join(ROOT, 'scripts/json-schema/results.ts')}';
type Same<A, B> = [A, B] extends [B, A] ? true : false;
export const same: [
  Same<published.UploadResult, inferred.UploadResult>,
  Same<published.RecordResult, inferred.RecordResult>,
  Same<published.VerifyResult, inferred.VerifyResult>,
] = [true, true, true];`;
    const head = "import type { WellnessRecord } from 'athlete-sync';\n";
    const files = [
      ...examples.map(({ line, text }) => write(`line-${line}.mts`, text)),
      write('results.mts', results),
      write('typo.mts', `${head}export const day: WellnessRecord = { date: '', restingHrr: 48 };`),
      write('text.mts', `${head}export const day: WellnessRecord = { date: '', restingHr: '48' };`),
    ];
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [tsc, '--init'], { cwd: dir });
    const config: unknown = ts.readConfigFile(join(dir, 'tsconfig.json'), (path) =>
      readFileSync(path, 'utf8'),
    ).config;
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, dir);
    expect(options).toMatchObject({ strict: true, noUncheckedIndexedAccess: true });
    const program = ts.createProgram(files, {
      ...options,
      ...{ skipLibCheck: false, noEmit: true, allowImportingTsExtensions: true },
      // As a comment of that file says.
      ...{ types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] },
      paths: {
        'athlete-sync': [join(types, 'src/library/index.d.ts')],
        'athlete-sync/sandbox': [join(types, 'src/library/sandbox.d.ts')],
      },
    });
    // Our files alone: to check the types of Node.js and of browsers takes longer.
    const ours = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(dir));
    expect(ours.length).toBeGreaterThan(files.length + 2);
    const diagnostics = ours.flatMap((file) => ts.getPreEmitDiagnostics(program, file));
    const found = diagnostics.map(({ file, messageText }) => {
      return `${basename(file?.fileName ?? '')}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
    expect(found).toEqual([
      expect.stringMatching(/^typo\.mts: .*'restingHrr' does not exist/),
      expect.stringMatching(/^text\.mts: Type 'string' is not assignable to type 'number'/),
    ]);
  });
});
