// Writes the tables of docs/settings.md from src/config.
import { keepPart, load, table } from './document.mjs';

const { SETTINGS } = await load('src/config/settings.ts');
const { VARIABLES } = await load('scripts/manual/facts.ts');

await keepPart(
  'docs/settings.md',
  '`npm run generate-docs` from src/config',
  [settings(), '## Only in the environment', variables()].join('\n\n'),
);

function settings() {
  return table(
    ['Setting', 'Variable', 'Default', 'Meaning'],
    Object.entries(SETTINGS).map(([key, { env, fallback, about }]) => [
      `\`${key}\``,
      code(env ?? ''),
      code(shown(fallback)),
      about,
    ]),
  );
}

/** The variables that are no settings. */
function variables() {
  const ofSettings = Object.values(SETTINGS).map(({ env }) => env);
  return table(
    ['Variable', 'Meaning'],
    VARIABLES.filter(({ name }) => !ofSettings.includes(name)).map(({ name, about }) => [
      `\`${name}\``,
      about,
    ]),
  );
}

/** A default, as `sync config get` prints it. */
function shown(value = '') {
  return Array.isArray(value) ? value.join(' ') : String(value);
}

function code(text) {
  return text === '' ? '' : `\`${text}\``;
}
