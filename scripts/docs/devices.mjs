// Writes the tables of docs/devices.md from src/devices.
import { keepPart, links, load, table } from './document.mjs';

const { MAKERS } = await load('src/devices/makers.ts');
const { APPS } = await load('src/devices/apps.ts');

const SYSTEMS = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' };

await keepPart(
  'docs/devices.md',
  '`npm run generate-docs` from src/devices',
  ['### Devices', makers(), '### Apps', apps()].join('\n\n'),
);

function makers() {
  return table(
    ['Maker', 'Recordings', 'Wellness', 'Recognised by', 'Systems', 'Evidence'],
    MAKERS.map((maker) => [
      maker.title,
      maker.recordings.map((path) => (path === '.' ? 'the root' : `\`${path}\``)).join(', '),
      (maker.wellness ?? []).map((path) => `\`${path}\``).join(', '),
      maker.knownBy === 'folder'
        ? 'the folder'
        : `the volume's name (${maker.volumes.join(', ')})${maker.fit === undefined ? '' : ', or its recordings'}`,
      maker.systems,
      evidence(maker),
    ]),
  );
}

function apps() {
  return table(
    ['App', 'System', 'Folders', 'Evidence'],
    APPS.flatMap((app) => {
      const rows = Object.entries(app.folders).map(([system, folders]) => [
        app.title,
        SYSTEMS[system],
        folders.map((folder) => `\`${folder}\``).join(', '),
        evidence(app),
      ]);
      return rows.length > 0 ? rows : [[app.title, '', 'none known', evidence(app)]];
    }),
  );
}

function evidence({ evidence, confirmed }) {
  return confirmed ? links(evidence) : `${links(evidence)} not confirmed`.trim();
}
