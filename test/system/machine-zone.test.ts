import { describe, expect, test } from 'vitest';
import { findMachineZone } from '../../src/system/machine-zone.ts';

/** What Node says for a `TZ` that it does not know. */
const nothing = () => undefined;
const localtime = () => '/usr/share/zoneinfo/Asia/Tokyo';

describe('the time zone of the machine', () => {
  test.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    [':Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['posix/Europe/Berlin', 'Europe/Berlin'],
    ['/usr/share/zoneinfo/Europe/Berlin', 'Europe/Berlin'],
    ['/etc/localtime', 'Asia/Tokyo'],
    [':/etc/localtime', 'Asia/Tokyo'],
    ['UTC', 'UTC'],
    ['UTC0', 'UTC'],
    ['EST5EDT', 'EST5EDT'],
    ['Europe/Kyiv', 'Europe/Kyiv'],
  ])('follows TZ=%s as %s', (tz, zone) => {
    expect(findMachineZone({ tz, resolved: nothing, localtime })).toBe(zone);
  });

  test('comes from the link of the system without TZ, or from the runtime', () => {
    const tz = undefined;
    const asked = () => {
      throw new Error('The runtime was asked.');
    };
    expect(findMachineZone({ tz, resolved: asked, localtime })).toBe('Asia/Tokyo');
    const utc = () => '/usr/share/zoneinfo/Etc/UTC';
    expect(findMachineZone({ tz, resolved: asked, localtime: utc })).toBe('UTC');
    for (const unnamed of [nothing, () => '/etc/localtime']) {
      const found = findMachineZone({ tz, resolved: () => 'Europe/Rome', localtime: unnamed });
      expect(found).toBe('Europe/Rome');
      for (const resolved of [nothing, () => 'Etc/Unknown']) {
        const none = { tz, resolved, localtime: unnamed };
        expect(() => findMachineZone(none)).toThrow('which time zone');
      }
    }
  });

  test.each(['', 'Foo/Bar', 'CEST', 'UTC+2', 'Europe/Kiew', 'CET-1CEST', 'Etc/Unknown', 'BST'])(
    'is not guessed if TZ is "%s", in spite of the guess of the runtime',
    (tz) => {
      const find = () => findMachineZone({ tz, resolved: () => 'UTC', localtime });
      const found = tz === '' ? 'TZ is set, but empty' : `TZ is "${tz}"`;
      expect(find).toThrow(
        expect.objectContaining({
          code: 'CONFIG',
          message: `This machine does not say which time zone it is in: ${found}.`,
          hint: expect.toSatisfy((hint) =>
            String(hint).includes('SYNC_TIMEZONE=Europe/Berlin'),
          ) as string,
        }),
      );
    },
  );
});
