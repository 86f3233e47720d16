// Writes the table of docs/sources.md from src/records/sources. With --check it writes nothing, and fails
// if the table is out of date.
import { keepPart, load, table } from './generated.mjs';

const { SOURCES } = await load('src/records/sources/all.ts');

await keepPart(
  'docs/sources.md',
  '`npm run generate-docs` from src/records/sources',
  [overview(), ...SOURCES.map(section)].join('\n\n'),
);

function overview() {
  return table(
    ['Source', 'Kinds', 'Fields', 'How to export', 'Evidence'],
    SOURCES.map((source) => [
      `[\`${source.name}\`](#${source.name})`,
      [...new Set(source.files.map(({ kind }) => kind))].join(', '),
      fieldsOf(source.files).join(', '),
      source.howTo,
      source.evidence.map((place, index) => `[${index + 1}](${address(place)})`).join(' '),
    ]),
  );
}

function section({ name, title, files }) {
  return [
    `### ${name}`,
    `${title[0].toUpperCase()}${title.slice(1)}.`,
    table(
      ['File', 'Kind', 'Format', 'Fields'],
      files.map((file) => [
        file.holds,
        file.kind,
        file.format.toUpperCase(),
        fieldsOf([file]).join(', '),
      ]),
    ),
  ].join('\n\n');
}

/** The platform's fields that these files fill, each once. */
function fieldsOf(files) {
  const names = files.flatMap(({ fields, item, totals }) =>
    [fields, item, totals].flatMap((rules) =>
      Object.entries(rules ?? {}).flatMap(([name, { means }]) => (means === undefined ? name : [])),
    ),
  );
  return [...new Set(names.map((name) => `\`${name.replace(/#.*/, '')}\``))];
}

/** Evidence is an address, a page of this project, or `owner/repository path`. */
function address(place) {
  if (place.startsWith('https://')) return place;
  if (place.startsWith('docs/')) return place.slice('docs/'.length);
  const [repository, ...path] = place.split(' ');
  return `https://github.com/${repository}/blob/HEAD/${encodeURI(path.join(' '))}`;
}
