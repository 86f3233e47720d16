// Writes the table of docs/sources.md from src/records/sources.
import { keepPart, links, load, table } from './document.mjs';

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
      links(source.evidence),
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
