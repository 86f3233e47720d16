// Writes the table of docs/settings.md from src/config/settings.ts. With --check it writes nothing, and
// fails if the table is out of date.
import { keepPart, load, table } from './generated.mjs';

const { SETTINGS } = await load('src/config/settings.ts');

await keepPart(
  'docs/settings.md',
  'src/config/settings.ts',
  table(
    ['Setting', 'Variable', 'Default', 'Meaning'],
    Object.entries(SETTINGS).map(([key, { env, fallback, about }]) => [
      `\`${key}\``,
      env === undefined ? '' : `\`${env}\``,
      fallback === undefined ? '' : `\`${shown(fallback)}\``,
      about,
    ]),
  ),
);

/** A default, as `sync config get` prints it. */
function shown(value) {
  return Array.isArray(value) ? value.join(' ') : String(value);
}
