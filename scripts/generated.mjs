// What the scripts that write documents from the source share.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { rolldown } from 'rolldown';

/** Imports TypeScript, which Node 20 cannot do. */
export async function load(path) {
  const bundle = await rolldown({ input: fromRoot(path), logLevel: 'warn' });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  return await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
}

/** Writes a document. With --check it writes nothing, and fails if the document is out of date. */
export async function keep(path, text) {
  const file = fromRoot(path);
  const formatted = await format(text, { ...(await resolveConfig(file)), filepath: file });
  if (!process.argv.includes('--check')) writeFileSync(file, formatted);
  else if (read(path) !== formatted) {
    console.error(`${path} is out of date: run \`npm run generate-docs\`.`);
    process.exitCode = 1;
  }
}

export function read(path) {
  return readFileSync(fromRoot(path), 'utf8');
}

export function table(titles, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}

function fromRoot(path) {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}
