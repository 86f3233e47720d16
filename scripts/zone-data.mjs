/**
 * Bundles the data of moment-timezone without what the program never reads: abbreviations, countries
 * and changes after 2101. That makes it a third as large, and `JSON.parse` reads it fastest.
 */
export function zoneData() {
  return {
    name: 'zone-data',
    transform: {
      filter: { id: /moment-timezone[\\/]data[\\/]packed[\\/]latest\.json$/ },
      handler: (code) => ({
        code: `export default JSON.parse(${JSON.stringify(JSON.stringify(trimmed(JSON.parse(code))))});`,
        moduleType: 'js',
        // Generated code has no lines of a source.
        map: { mappings: '' },
      }),
    },
  };
}

/** Minutes from 1970 to 2102. */
const END = Date.UTC(2102, 0, 1) / 60_000;

/** src/records/days/zones/shipped.ts describes the form. */
export function trimmed({ version, zones, links }) {
  return { version, links, zones: zones.map(trimmedZone) };
}

function trimmedZone(zone) {
  const [name, , offsets, indices, untils] = zone.split('|');
  let minutes = 0;
  const kept = untils.split(' ').filter((length) => (minutes += minutesOf(length)) < END);
  return [name, '', offsets, indices.slice(0, kept.length + 1), kept.join(' ')].join('|');
}

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX';

function minutesOf(text) {
  const [whole] = text.replace('-', '').split('.');
  const size = Array.from(whole).reduce((sum, digit) => sum * 60 + DIGITS.indexOf(digit), 0);
  return text.startsWith('-') ? -size : size;
}
