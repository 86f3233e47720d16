// What the scripts that write documents from the source share.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { rolldown } from 'rolldown';

/** The parts of `npm run generate-docs`, in their order: the lines of json.md are recorded before it is written. */
export const PARTS = {
  examples: { script: 'json-examples.mjs', runsProgram: true },
  json: { script: 'json-docs.mjs' },
  types: { script: 'json-types.mjs' },
  sources: { script: 'source-docs.mjs' },
  devices: { script: 'device-docs.mjs' },
  settings: { script: 'settings-docs.mjs' },
  sandbox: { script: 'sandbox-docs.mjs' },
  pictures: { script: 'pictures.mjs', runsProgram: true },
};

/** Imports TypeScript, which Node 20 cannot do. */
export async function load(path) {
  const bundle = await rolldown({ input: fromRoot(path), logLevel: 'warn' });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  return await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
}

/** Formats and writes a document, as {@link keepExactly} does. */
export async function keep(path, text) {
  const filepath = fromRoot(path);
  keepExactly(path, await format(text, { ...(await resolveConfig(filepath)), filepath }));
}

/** Writes a document. With --check it writes nothing, and fails if the document is out of date. */
export function keepExactly(path, text) {
  if (!process.argv.includes('--check')) writeFileSync(fromRoot(path), text);
  else if (!existsSync(fromRoot(path)) || read(path) !== text) {
    const running = basename(process.argv[1]);
    const [part] = Object.keys(PARTS).filter((name) => PARTS[name].script === running);
    console.error(`${path} is out of date: run \`npm run generate-docs -- ${part}\`.`);
    process.exitCode = 1;
  }
}

/** Replaces the part of a document between two marks. @param origin as in the mark: command and source */
export async function keepPart(path, origin, part) {
  const begin = `<!-- Written by ${origin}. -->`;
  const page = read(path);
  const from = page.indexOf(begin);
  const to = page.indexOf('<!-- End of the written part. -->');
  if (from === -1 || to < from) throw new Error(`${path} has no part that begins with ${begin}`);
  await keep(path, [page.slice(0, from) + begin, part, page.slice(to)].join('\n\n'));
}

function read(path) {
  return readFileSync(fromRoot(path), 'utf8');
}

export function table(titles, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}

function fromRoot(path) {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}
