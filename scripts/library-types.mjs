// Writes dist/types, or the folder that is named: the declarations of the package's exports, and of the modules
// that they import.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { writtenTypes } from './written-types.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const entries = ['index', 'sandbox'].map((name) => resolve(root, `src/library/${name}.ts`));
const { config } = ts.readConfigFile(resolve(root, 'tsconfig.json'), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const program = ts.createProgram(entries, {
  ...options,
  noEmit: false,
  declaration: true,
  emitDeclarationOnly: true,
});
const outDir = resolve(root, process.argv[2] ?? 'dist/types');
rmSync(outDir, { recursive: true, force: true });
const written = await writtenTypes();
const queue = [...entries];
const seen = new Set(queue);
for (const path of queue) {
  const declared = declarationOf(path);
  const write = written[relative(root, path).replaceAll('\\', '/')];
  const text = write === undefined ? declared : await write(declared);
  const out = resolve(outDir, relative(root, path)).replace(/\.ts$/, '.d.ts');
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, text.replaceAll(/(['"])(\.{1,2}\/[^'"]+)\.ts\1/g, '$1$2.js$1'));
  for (const { fileName } of ts.preProcessFile(text).importedFiles) {
    if (!fileName.startsWith('.')) throw new Error(`${path}: a public type imports ${fileName}`);
    const next = resolve(dirname(path), fileName);
    if (!seen.has(next)) queue.push(next);
    seen.add(next);
  }
}

function declarationOf(path) {
  let text;
  program.emit(
    program.getSourceFile(path),
    (_name, contents) => (text = contents),
    undefined,
    true,
  );
  if (text === undefined) throw new Error(`${path}: no declaration was written`);
  return text;
}
