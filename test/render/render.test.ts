import { describe, expect, it } from 'vitest';
import { SyncError } from '../../src/base/errors.ts';
import { errorReport, errorText } from '../../src/terminal/error.ts';
import { profileText } from '../../src/commands/profile.ts';
import { statusText } from '../../src/commands/status.ts';
import { table } from '../../src/terminal/table.ts';
import { uploadItemText, uploadSummaryJson, uploadSummaryText } from '../../src/commands/upload.ts';
import { bytes, duration, oneLine, plural } from '../../src/terminal/words.ts';
import { workoutsText } from '../../src/commands/workouts.ts';
import type { UploadItem } from '../../src/upload/report.ts';

describe('numbers as people read them', () => {
  it.each([
    [0, '0 bytes'],
    [999, '999 bytes'],
    [1000, '1.0 kB'],
    [9_949, '9.9 kB'],
    [12_345, '12 kB'],
    [999_499, '999 kB'],
    [999_500, '1.0 MB'],
    [273_026, '273 kB'],
    [1_340_000, '1.3 MB'],
    [2_500_000_000, '2.5 GB'],
    [5e12, '5000 GB'],
  ])('%d bytes are %s', (size, text) => {
    expect(bytes(size)).toBe(text);
  });

  it.each([
    [0, '0 seconds'],
    [1_000, '1 second'],
    [45_400, '45 seconds'],
    [119_000, '119 seconds'],
    [120_000, '2 minutes'],
    [7_100_000, '118 minutes'],
    [7_200_000, '2 hours'],
    [86_400_000, '24 hours'],
    [2 * 86_400_000, '2 days'],
    [30 * 86_400_000, '30 days'],
  ])('%d ms are %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it.each([
    [0, '0 files'],
    [1, '1 file'],
    [2, '2 files'],
  ])('%d is %s', (count, text) => {
    expect(plural(count, 'file')).toBe(text);
  });

  it.each([
    ['ride.fit', 'ride.fit'],
    ['a\nb.fit: uploaded', 'a b.fit: uploaded'],
    ['a \r\n\t b', 'a b'],
    ['a\u2028b', 'a b'],
  ])('%j is on one line: %j', (text, line) => {
    expect(oneLine(text)).toBe(line);
  });
});

describe('a table', () => {
  const columns = [
    { title: 'Date' },
    { title: 'Power', align: 'right' },
    { title: 'Empty' },
  ] as const;

  it('is as wide as its cells, without columns that are empty and spaces at the end', () => {
    expect(
      table(columns, [
        ['2026-02-15', '5 W', ''],
        ['b', '1000 W', ''],
      ]),
    ).toBe(['Date         Power', '2026-02-15     5 W', 'b           1000 W'].join('\n'));
  });

  it('keeps each row on its line, whatever a cell holds', () => {
    expect(table([{ title: 'Title' }], [['one\ntwo']])).toBe('Title\none two');
  });

  it('has a head of its own when it has no rows, or missing cells', () => {
    expect(table(columns, [[], ['x']])).toBe('Date\n\nx');
  });
});

describe('an error', () => {
  const error = new SyncError('CONFIG', 'SYNC_BASE_URL: wrong', {
    hint: 'Write it so.',
    cause: new Error('below'),
    details: { setting: 'baseUrl', code: 'OTHER', type: 'x', message: 'y' },
  });

  it('is an object for programs, whose own fields no fact can replace', () => {
    expect(errorReport(error)).toEqual({
      type: 'error',
      code: 'CONFIG',
      message: 'SYNC_BASE_URL: wrong',
      hint: 'Write it so.',
      setting: 'baseUrl',
    });
    expect(errorReport(new SyncError('USAGE', 'no'))).toEqual({
      type: 'error',
      code: 'USAGE',
      message: 'no',
    });
    expect(errorReport(new TypeError('oops'))).toEqual({
      type: 'error',
      code: 'INTERNAL',
      message: 'oops',
    });
    expect(errorReport('thrown')).toMatchObject({ code: 'INTERNAL', message: 'thrown' });
  });

  it('is what is wrong and what to do, for people', () => {
    expect(errorText(error, { verbose: false })).toBe(
      'Error: SYNC_BASE_URL: wrong\n  Write it so.',
    );
    expect(errorText(error, { verbose: true })).toBe(
      'Error: SYNC_BASE_URL: wrong\n  Write it so.\n  Cause: below',
    );
    expect(errorText(new SyncError('INTERRUPTED', 'Interrupted.'), { verbose: true })).toBe(
      'Interrupted.',
    );
  });

  it('of the program itself says so, with what is needed to find it', () => {
    const text = errorText(new TypeError('oops'), { verbose: false });
    expect(text).toMatch(
      /^This is a fault of sync itself; please report it\.\nTypeError: oops\n +at /,
    );
  });
});

describe('what became of a file', () => {
  const sent = { path: 'r/a.fit', sha256: 'f'.repeat(64), size: 273_026, attempts: 1 };
  it.each<[UploadItem, string | undefined]>([
    [
      { ...sent, outcome: 'uploaded', service: { state: 'queued' } },
      'r/a.fit: uploaded (received, being processed)',
    ],
    [{ ...sent, outcome: 'uploaded', service: {} }, 'r/a.fit: uploaded'],
    [{ ...sent, outcome: 'duplicate', service: {} }, 'r/a.fit: the service had it already'],
    [{ path: 'r/a.fit', outcome: 'skipped', reason: 'already-uploaded' }, undefined],
    [
      { path: 'r/a.fit', outcome: 'invalid', reason: 'corrupt', detail: 'The CRC is wrong.' },
      'r/a.fit: not sent. The CRC is wrong.',
    ],
    [
      { ...sent, outcome: 'rejected', message: 'No\nr/b.fit: uploaded' },
      'r/a.fit: refused by the service: No r/b.fit: uploaded',
    ],
    [
      {
        path: 'r/a.fit',
        outcome: 'failed',
        code: 'NETWORK',
        message: 'Nobody there.',
        hint: 'Later.',
      },
      'r/a.fit: not sent. Nobody there. Later.',
    ],
    [
      { path: 'a\nb.fit', outcome: 'failed', code: 'NETWORK', message: 'No.' },
      'a b.fit: not sent. No.',
    ],
    [
      {
        path: 'r/a.fit',
        outcome: 'would-upload',
        sha256: sent.sha256,
        size: sent.size,
        request: {
          method: 'POST',
          url: 'https://a.example/api',
          parts: [
            { name: 'name', value: 'Ride' },
            { name: 'file', filename: 'a.fit', size: 273_026, sha256: 'ffff' },
          ],
        },
      },
      'r/a.fit: would be sent\n  POST https://a.example/api\n  name: Ride\n  file: a.fit (273 kB, SHA-256 ffff)',
    ],
  ])('%j', (item, text) => {
    expect(uploadItemText(item)).toBe(text);
  });

  const none = {
    total: 0,
    uploaded: 0,
    duplicate: 0,
    skipped: 0,
    invalid: 0,
    rejected: 0,
    failed: 0,
    'would-upload': 0,
  };
  it.each([
    [none, 'No recordings found.'],
    [{ ...none, total: 1, uploaded: 1 }, '1 file: 1 uploaded.'],
    [
      { ...none, total: 3, skipped: 3 },
      'Nothing to send. 3 files: 2 uploaded before, 1 without an activity (settings, courses and the like).',
    ],
    [
      {
        ...none,
        total: 6,
        uploaded: 1,
        duplicate: 1,
        skipped: 1,
        invalid: 1,
        rejected: 1,
        failed: 1,
      },
      '6 files: 1 uploaded, 1 already at the service, 1 without an activity (settings, courses and the like), 1 not usable, 1 refused, 1 not delivered; the same command again continues.',
    ],
    [{ ...none, total: 2, 'would-upload': 2 }, '2 files: 2 would be uploaded.'],
  ])('%j in a sentence', (summary, text) => {
    const some = Math.min(1, summary.skipped);
    const skipped = {
      'already-uploaded': summary.skipped - some,
      'not-an-activity': some,
      'refused-before': 0,
    };
    expect(uploadSummaryText({ summary, skipped })).toBe(text);
  });

  it('the summary for programs names a dry run only where there was one', () => {
    expect(uploadSummaryJson({ ...none, total: 1, uploaded: 1 })).toEqual({
      type: 'summary',
      total: 1,
      uploaded: 1,
      duplicate: 0,
      skipped: 0,
      invalid: 0,
      rejected: 0,
      failed: 0,
    });
    expect(uploadSummaryJson({ ...none, total: 1, 'would-upload': 1 })).toMatchObject({
      'would-upload': 1,
    });
  });
});

describe('workouts', () => {
  it('are a table, in the zone that was asked for, across a change of the clocks', () => {
    const workouts = [
      {
        date: '2026-03-29T06:10:00Z',
        title: 'After the change',
        type: 'Ride',
        durationSec: 3_725,
        distanceMeters: 41_230,
        averageWatts: 201.4,
        averageHr: 141.5,
      },
      { date: '2026-03-29T00:30:00.000Z', title: 'Before', durationSec: 59.6 },
      { date: '2026-03-28', title: 'A plain date', durationSec: null, distanceMeters: 'far' },
      { date: 'yesterday' },
    ];
    expect(workoutsText({ workouts, more: false }, 'Europe/Berlin').split('\n')).toEqual([
      'Date              Title             Sport     Time  Distance  Power  Heart rate',
      '2026-03-29 08:10  After the change  Ride   1:02:05   41.2 km  201 W     142 bpm',
      '2026-03-29 01:30  Before                   0:00:59',
      '2026-03-28        A plain date',
      'yesterday',
    ]);
  });

  it('that are none, or in a form nobody knows, are told as such', () => {
    expect(workoutsText({ workouts: [], more: false }, 'UTC')).toBe('No workouts.');
    expect(workoutsText({ other: { a: 1 } }, 'UTC')).toBe('{\n  "a": 1\n}');
  });
});

describe('a profile', () => {
  it('is shown field by field, with units where they are known', () => {
    const profile = {
      name: 'Ann',
      weight: 61.5,
      weightUnits: 'Kilograms',
      ftp: 250,
      zones: [1],
      gone: null,
    };
    expect(profileText({ action: 'shown', profile })).toBe(
      [
        'name           Ann',
        'weight         61.5 kg',
        "weightUnits    Kilograms (on the service's pages)",
        'ftp            250 W',
      ].join('\n'),
    );
    expect(
      profileText({ action: 'updated', profile: { weight: 140, weightUnits: 'Pounds' } }),
    ).toBe(
      "The profile is updated. It now says:\nweight         140 kg\nweightUnits    Pounds (on the service's pages)",
    );
    expect(profileText({ action: 'updated', profile: undefined })).toBe('The profile is updated.');
    expect(profileText({ action: 'shown', profile: [1] })).toBe('[\n  1\n]');
  });

  it('that would be updated is the requests', () => {
    const url = 'https://a/api/profile';
    const requests = [
      { method: 'GET', url },
      { method: 'PATCH', url, body: { ftp: 1 }, when: 'if so' },
    ] as const;
    expect(profileText({ action: 'would-update', requests })).toBe(
      `Would be sent:\n  GET ${url}\n  PATCH ${url} (if so)\n  {"ftp":1}`,
    );
  });
});

describe('the status', () => {
  const NOW = Date.UTC(2026, 1, 15);
  const DAY = 86_400_000;
  type Report = Parameters<typeof statusText>[0];
  const report = {
    profile: 'default',
    service: 'https://a.example',
    clientId: 'c',
    account: { id: '7', name: 'Ann', email: 'ann@x' },
    store: { kind: 'keychain', where: 'the keychain' },
    login: {
      state: 'logged-in',
      scopes: [],
      missing: [],
      renewable: true,
      accessExpiresAt: NOW + 1_800_000,
      refreshExpiresAt: NOW + 29 * DAY,
    },
    uploads: { pending: 0, confirmed: 12, rejected: 0 },
    lastUploadAt: NOW - 3 * DAY,
    watching: [],
  } as unknown as Report;
  const text = (over: object) => statusText({ ...report, ...over }, NOW);
  const login = (over: object) => text({ login: { ...report.login, ...over } });

  it('says who, where, how long, and what was sent', () => {
    const said = text({});
    expect(said).toContain('Service   https://a.example');
    expect(said).toContain('Ann <ann@x>');
    expect(said).toContain('access token: 30 minutes left; renewable: 29 days left');
    expect(said).toContain('Kept in   the keychain');
    expect(said).toContain('12 recordings at the service, the last 3 days ago');
    expect(said).not.toContain('It ends soon');
  });

  it('warns of what ends soon, what is not granted, and what did not arrive', () => {
    expect(login({ refreshExpiresAt: NOW + 2 * DAY })).toContain('It ends soon: run `sync login`');
    expect(login({ renewable: false })).toContain('not renewable');
    expect(login({ accessExpiresAt: NOW - 1 })).toContain('access token: over');
    expect(
      login({
        missing: [
          { feature: 'wellness records', command: 'sync push wellness', scope: 'health:write' },
        ],
      }),
    ).toContain('wellness records (`sync push wellness` needs health:write)');
    expect(text({ uploads: { pending: 2, confirmed: 0, rejected: 1 } })).toContain(
      '2 not delivered yet; 1 refused by the service',
    );
    expect(text({ profile: 'work' })).toContain('(profile "work")');
    expect(text({ store: { kind: 'file', where: '/x' } })).toContain('not the keychain');
  });

  it('counts what waits once for all folders of a watcher, not for each', () => {
    const watcher = {
      since: new Date(NOW - 2 * 3_600_000).toISOString(),
      queue: { waiting: 3, sending: 0, kept: 0, unfinished: 1 },
      connection: { state: 'ok' },
      login: { state: 'ok' },
    };
    const a = { path: '/a', state: 'watching' };
    const b = { path: '/b', state: 'waiting' };
    expect(text({ watching: [{ ...watcher, folders: [a] }] })).toMatch(
      /^Watching {2}\/a, for 2 hours, 3 recordings waiting, 1 unfinished$/m,
    );
    expect(text({ watching: [{ ...watcher, folders: [a, b] }] })).toContain(
      [
        'Watching  /a',
        'Watching  /b: waiting for it',
        '          for 2 hours, 3 recordings waiting, 1 unfinished',
      ].join('\n'),
    );
  });

  it('tells no login from one that cannot be read now', () => {
    const none = text({
      login: { state: 'logged-out', code: 'AUTH_REQUIRED', message: 'Nobody.', hint: 'Log in.' },
    });
    expect(none).toMatch(/Login +none\. Nobody\.\n +Log in\./);
    const locked = text({
      login: { state: 'unknown', code: 'KEYCHAIN_LOCKED', message: 'Locked.' },
    });
    expect(locked).toContain('cannot be read now. Locked.');
  });
});
