// Writes the tables of docs/records.md from src/records/fields.ts.
import { keepPart, load, table } from './document.mjs';

const { ITEM_FIELDS, NUTRITION_FIELDS, WELLNESS_FIELDS } = await load('src/records/fields.ts');

const DATE = ['`date`', 'date or timestamp', '', '', '`localDate`, `calendarDate`, `day`'];

await keepTable('wellness', WELLNESS_FIELDS, [DATE]);
await keepTable('nutrition', NUTRITION_FIELDS, [DATE, ['`items`', 'list of items', '', '', '']]);
await keepTable('item', ITEM_FIELDS, [['`logged_at`', 'timestamp, required', '', '', '']]);

/** @param first the rows of the fields that have no rule of their own */
async function keepTable(kind, fields, first) {
  await keepPart(
    'docs/records.md',
    `\`npm run generate-docs\` from ${kind.toUpperCase()}_FIELDS in src/records/fields.ts`,
    table(
      [`${kind} field`, 'type', 'unit', 'range', 'also understood'],
      [...first, ...Object.entries(fields).map(row)],
    ),
  );
}

function row([name, { type, unit = '', min, max, known = [], aliases = [] }]) {
  const range = max >= Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`;
  return [
    `\`${name}\``,
    type === 'integer' ? 'whole number' : type,
    unit,
    min === undefined ? list(known) : range,
    list(aliases),
  ];
}

function list(words) {
  return words.map((word) => `\`${word}\``).join(', ');
}
