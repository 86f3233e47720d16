import { describe, expect, test } from 'vitest';
import { checkZone } from '../../src/base/zone-name.ts';
import { caught } from '../support/failure.ts';

function refusalOf(name: string) {
  const { code, message, hint } = caught(() => checkZone(name));
  return { code, message, hint };
}

const EXAMPLES = 'Name a zone by its region and city, such as Europe/Berlin or America/New_York.';

describe('a zone name', () => {
  test('is accepted if the runtime knows it', () => {
    for (const zone of Intl.supportedValuesOf('timeZone')) expect(checkZone(zone)).toBe(zone);
  });

  test.each([
    ['Europe/Kyiv', 'Europe/Kyiv'],
    ['US/Pacific', 'US/Pacific'],
    ['UTC', 'UTC'],
    ['utc', 'UTC'],
    ['europe/berlin', 'Europe/Berlin'],
    [' Asia/Kathmandu ', 'Asia/Kathmandu'],
    ['EST5EDT', 'EST5EDT'],
    ['Etc/GMT+12', 'Etc/GMT+12'],
  ])('may be written %j', (name, zone) => {
    expect(checkZone(name)).toBe(zone);
  });

  test.each([
    ['Berlin', 'Did you mean Europe/Berlin?'],
    ['new york', 'Did you mean America/New_York?'],
    ['Mars/Olympus', EXAMPLES],
    ['', EXAMPLES],
    ['BST', EXAMPLES],
    // IANA withdrew it in 2020; the runtime still takes it.
    ['US/Pacific-New', EXAMPLES],
    ['../etc/passwd', EXAMPLES],
  ])('is rejected with a suggestion: %j', (name, hint) => {
    const message = `There is no time zone '${name}'.`;
    expect(refusalOf(name)).toEqual({ code: 'CONFIG', message, hint });
  });

  test.each(['+01:00', '-0500', 'UTC+2', 'GMT-3', 'Z+1'])('may not be the offset %s', (name) => {
    expect(refusalOf(name)).toEqual({
      code: 'CONFIG',
      message: `'${name}' is an offset, not a time zone.`,
      hint: 'An offset knows no summer time. Name the place instead, such as Europe/Berlin.',
    });
  });
});
