// What the scripts that write documents from the source share.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { rolldown } from 'rolldown';

/** Imports TypeScript, which Node 20 cannot do. */
export async function load(path) {
  const bundle = await rolldown({ input: fromRoot(path), platform: 'node', logLevel: 'warn' });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  return await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
}

/** Formats and writes a document, as {@link keepExactly} does. */
export async function keep(path, text) {
  const filepath = fromRoot(path);
  keepExactly(path, await format(text, { ...(await resolveConfig(filepath)), filepath }));
}

/** The documents that are not as they would be written. */
export const stale = [];

/** Writes a document; with --check, only compares it. */
export function keepExactly(path, text) {
  if (!process.argv.includes('--check')) writeFileSync(fromRoot(path), text);
  else if (!existsSync(fromRoot(path)) || read(path) !== text) stale.push(path);
}

/** Replaces the part of a document between two marks. @param origin as in the mark: command and source */
export async function keepPart(path, origin, part) {
  const begin = `<!-- Written by ${origin}. -->`;
  const page = read(path);
  const from = page.indexOf(begin);
  const to = page.indexOf('<!-- End of the written part. -->', from);
  if (from === -1 || to < from) throw new Error(`${path} has no part that begins with ${begin}`);
  await keep(path, [page.slice(0, from) + begin, part, page.slice(to)].join('\n\n'));
}

function read(path) {
  return readFileSync(fromRoot(path), 'utf8');
}

/** Returns links to evidence: addresses, pages of this project, or `owner/repository path`. */
export function links(evidence) {
  return evidence.map((place, index) => `[${index + 1}](${address(place)})`).join(' ');
}

function address(place) {
  if (place.startsWith('https://')) return place;
  if (place.startsWith('docs/')) return place.slice('docs/'.length);
  const [repository, ...path] = place.split(' ');
  return `https://github.com/${repository}/blob/HEAD/${encodeURI(path.join(' '))}`;
}

export function table(titles, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}

function fromRoot(path) {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
