import { chmodSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  KINDS,
  type World,
  loginWithToken,
  openLoggedInWorld,
  openTerminal,
  openWorld,
  play,
  requestLines,
  sha256,
  terminals,
} from '../support/acceptance.ts';
import {
  appleDoubleStub,
  makeRecording,
  truncated,
  unfinished,
  withBrokenCrc,
  withTrailingBytes,
  zeroFilled,
  zeroTail,
} from '../support/fit-maker.ts';
import { ndjson } from '../support/program.ts';
import { VERSION } from '../../src/base/version.ts';

const NO_COUNTS = {
  ...{ type: 'summary', total: 0 },
  ...{
    uploaded: 0,
    duplicate: 0,
    covered: 0,
    held: 0,
    skipped: 0,
    invalid: 0,
    rejected: 0,
    failed: 0,
  },
};

/** Runs an upload; items by path, as their order is not fixed. The summary must come last. */
async function upload(world: World, ...args: string[]) {
  const { code, stdout } = await world.sync(['upload', '--json', ...args]);
  const lines = ndjson(stdout);
  const summary = lines.pop();
  return { code, items: lines.sort(byPath), summary };
}

function byPath(a: Record<string, unknown>, b: Record<string, unknown>): number {
  return String(a['path']) < String(b['path']) ? -1 : 1;
}

function recordings({ sandbox }: World, athlete = 'athlete-1') {
  return sandbox.control.state(athlete).athletes[0]?.recordings ?? [];
}

const QUEUED = { state: 'queued', fitFileId: /^fit-\d+$/, jobId: /^job-fit-\d+$/ };

/** Recordings as different as devices make them; all are whole activities. */
const WHOLE: Readonly<Record<string, Uint8Array>> = {
  'plain.fit': makeRecording({ seed: 1 }),
  'header-of-12.fit': makeRecording({ seed: 2, headerSize: 12 }),
  'big-endian.fit': makeRecording({ seed: 3, bigEndian: true }),
  'chained.fit': makeRecording({ seed: 4, chained: 2 }),
  'header-crc-zero.fit': makeRecording({ seed: 5, headerCrc: 'zero' }),
  'header-crc-garbage.fit': makeRecording({ seed: 6, headerCrc: 'garbage' }),
  'compressed-times.fit': makeRecording({ seed: 7, compressedTimestamps: true }),
  'developer-fields.fit': makeRecording({ seed: 8, developerField: true }),
  'UPPER.FIT': makeRecording({ seed: 9 }),
  'deep/er/down.fit': makeRecording({ seed: 10, sizeBytes: 300_000 }),
};

/** Returns the hint for a damaged recording. */
function repairHint(name: string): string {
  return `If it stays like this, \`sync repair card/${name}\` saves what can be read.`;
}

const plain = makeRecording({ seed: 20 });

/** What else lies about in such a folder, and why it is not sent. */
const OTHERS: Readonly<Record<string, [Uint8Array, outcome: string, reason: string]>> = {
  'settings.fit': [makeRecording({ seed: 21, type: 2 }), 'skipped', 'not-an-activity'],
  'monitoring.fit': [makeRecording({ seed: 22, type: 32 }), 'skipped', 'not-an-activity'],
  'going-on.fit': [unfinished(plain), 'invalid', 'incomplete'],
  'going-on-too.fit': [unfinished(plain, 0xffffffff), 'invalid', 'incomplete'],
  'cut-off.fit': [truncated(plain, 19), 'invalid', 'incomplete'],
  'cut-off-in-the-second-segment.fit': [
    truncated(makeRecording({ seed: 23, chained: 1 }), 100),
    'invalid',
    'incomplete',
  ],
  'bit-rot.fit': [withBrokenCrc(plain), 'invalid', 'corrupt'],
  'more-behind.fit': [withTrailingBytes(plain, 50), 'invalid', 'corrupt'],
  'half-copied.fit': [zeroTail(plain, 5_000), 'invalid', 'corrupt'],
  'failed-copy.fit': [zeroFilled(20_000), 'invalid', 'not-fit'],
  'empty.fit': [new Uint8Array(), 'invalid', 'not-fit'],
  'letter.fit': [Buffer.from('Dear diary'), 'invalid', 'not-fit'],
  'page.fit': [Buffer.from('<!doctype html><title>Log in</title>'), 'invalid', 'not-fit'],
};

it('sync upload --since sends from the beginning of that day on, by the local time of each recording', async () => {
  const world = await openLoggedInWorld();
  const startingAt = (time: string, seed: number) =>
    makeRecording({ seed, startTime: new Date(time), localOffsetMinutes: 120 });
  world.write('card/day-before.fit', startingAt('2026-02-14T21:59:00Z', 1));
  world.write('card/midnight.fit', startingAt('2026-02-14T22:00:00Z', 2));
  const { code, items } = await upload(world, 'card', '--since', '2026-02-15');
  expect(code).toBe(0);
  expect(items).toMatchObject([
    { path: 'card/day-before.fit', outcome: 'skipped', reason: 'before-since' },
    { path: 'card/midnight.fit', outcome: 'uploaded' },
  ]);
  expect(recordings(world)).toHaveLength(1);
});

describe.each(KINDS)('sync upload of a folder on %s', (platform) => {
  play(platform);
  /** The interface shows nothing of what becomes of a recording. */
  const processing = platform === 'coach-watts' ? ' (the platform is processing it)' : '';

  it('sends every complete activity once, byte for byte, and gives the reason for the others', async () => {
    const world = await openLoggedInWorld();
    for (const [name, bytes] of Object.entries(WHOLE)) world.write(`card/${name}`, bytes);
    for (const [name, [bytes]] of Object.entries(OTHERS)) world.write(`card/${name}`, bytes);
    // Not looked at in a folder: companions of macOS, scratch files, other endings.
    world.write('card/._plain.fit', appleDoubleStub());
    world.write('card/inProgressActivity.fit', plain);
    world.write('card/TEMPFIT/x.fit', plain);
    world.write('card/notes.txt', 'Dear diary');

    const first = await upload(world, 'card');
    const expected = [
      ...Object.entries(WHOLE).map(([name, bytes]) => ({
        type: 'upload',
        path: `card/${name}`,
        sha256: sha256(bytes),
        size: bytes.length,
        outcome: 'uploaded',
        activity: expect.objectContaining({ name: 'Ride' }) as unknown,
        attempts: 1,
        service: platform === 'coach-watts' ? QUEUED : {},
      })),
      ...Object.entries(OTHERS).map(([name, [, outcome, reason]]) => ({
        type: 'upload',
        path: `card/${name}`,
        outcome,
        reason,
        detail: /\w\./,
        ...(reason === 'incomplete' || reason === 'corrupt' ? { hint: repairHint(name) } : {}),
      })),
    ].sort(byPath);
    // The recordings have one start, and other files name them.
    const items = first.items.map((item) => ({ ...item, sameRideAs: undefined }));
    expect(items).toEqual(expected);
    expect(first.code).toBe(3);
    expect(first.summary).toEqual({
      ...NO_COUNTS,
      total: 23,
      uploaded: 10,
      skipped: 2,
      invalid: 11,
    });
    for (const bytes of Object.values(WHOLE)) {
      const held = await fetch(`${world.sandbox.url}/_sandbox/recordings/${sha256(bytes)}`);
      expect(sha256(new Uint8Array(await held.arrayBuffer()))).toBe(sha256(bytes));
    }
    expect(recordings(world).map(({ receivedCount }) => receivedCount)).toEqual(
      Object.keys(WHOLE).map(() => 1),
    );

    world.sandbox.control.clearRequests();
    const second = await upload(world, 'card');
    expect(second.code).toBe(3);
    expect(second.summary).toEqual({ ...NO_COUNTS, total: 23, skipped: 12, invalid: 11 });
    expect(second.items.filter(({ outcome }) => outcome === 'skipped')).toHaveLength(12);
    expect(requestLines(world.sandbox)).toEqual([]);
  });

  it('ends with a summary in words', async () => {
    const world = await openLoggedInWorld();
    world.write('card/ride.fit', WHOLE['plain.fit'] ?? '');
    world.write('card/bad.fit', 'Dear diary');
    const { code, stdout } = await world.sync(['upload', 'card']);
    expect(code).toBe(3);
    expect(stdout.trimEnd().split('\n').sort()).toEqual([
      `2 files: 1 uploaded${processing}, 1 invalid.`,
      /^Sun 15 Feb( \d{4})? 0\d:30 {2}Ride {2}10:00 {2}4.8 km {2}uploaded$/,
      'card/bad.fit: not sent. This is a text file, not a FIT recording.',
    ]);
    const again = await world.sync(['upload', 'card/ride.fit']);
    expect(again.stdout).toBe('Nothing to send. 1 file: 1 uploaded before.\n');
    expect((await world.sync(['upload', 'card/ride.fit', '--quiet', '--json'])).stdout).not.toBe(
      '',
    );
  });

  it('shows when a recording without a local time began, in the zone of --tz', async () => {
    const world = await openLoggedInWorld();
    world.write('ride.fit', makeRecording({ startTime: new Date('2026-02-15T07:30:00Z') }));
    const { stdout } = await world.sync(['upload', 'ride.fit', '--tz', 'Pacific/Auckland']);
    expect(stdout).toMatch(/^Sun 15 Feb( 2026)? 20:30 /);
  });
});

describe('sync upload of a folder', () => {
  it('reports an empty folder and exits 0', async () => {
    const world = await openLoggedInWorld();
    world.write('empty/notes.txt', 'nothing');
    const { code, stdout } = await world.sync(['upload', 'empty']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'No recordings found.\n' });
  });

  it.skipIf(!terminals.present)(`shows its progress on a terminal${terminals.note}`, async () => {
    const world = await openLoggedInWorld();
    world.sandbox.control.addFaults('upload-fit:delay=300ms*inf');
    for (const [name, bytes] of Object.entries(WHOLE)) world.write(`card/${name}`, bytes);
    const terminal = openTerminal(world, ['upload', 'card', '--jobs', '2']);
    await terminal.waitFor(/[1-9] of 10 {2}[\d.]+ (kB|bytes) {2}\S+\.fit/i);
    expect((await terminal.finished).code).toBe(0);
    expect(terminal.screen()).toContain('10 files: 10 uploaded (the platform is processing them).');
  });
});

describe('sync upload of files named by hand', () => {
  // Root may read everything.
  const asRoot = process.getuid?.() === 0;
  it.skipIf(asRoot)('reports a file without read permission (not run as root)', async () => {
    const world = await openLoggedInWorld();
    const ride = world.write('ride.fit', plain);
    chmodSync(ride, 0);
    expect((await upload(world, ride)).items).toMatchObject([
      { outcome: 'invalid', reason: 'unreadable', detail: 'It may not be read by this user.' },
    ]);
  });
});

describe.each(KINDS)('an uploaded recording on %s', (platform) => {
  play(platform);

  it('is sent again for another account', async () => {
    const world = await openLoggedInWorld();
    const ride = world.write('ride.fit', plain);
    await upload(world, ride);
    const input = JSON.stringify(world.sandbox.control.mint({ athlete: 'athlete-2' }));
    await world.sync(['login', '--with-token', '--profile', 'ben'], { input });
    expect((await upload(world, ride, '--profile', 'ben')).items).toMatchObject([
      { outcome: 'uploaded' },
    ]);
    expect(recordings(world, 'athlete-2')).toMatchObject([{ receivedCount: 1 }]);
  });

  it('is recognised after a logout and a new login of the same athlete', async () => {
    const world = await openLoggedInWorld();
    const ride = world.write('ride.fit', plain);
    await upload(world, ride);
    await world.sync(['logout']);
    const input = JSON.stringify(world.sandbox.control.mint());
    await world.sync(['login', '--with-token', '--same-athlete'], { input });
    expect((await upload(world, ride)).summary).toMatchObject({ skipped: 1, uploaded: 0 });
    expect(recordings(world)).toMatchObject([{ receivedCount: 1 }]);
  });
});

describe('the metadata of an upload', () => {
  it.each<[string, string[], { name?: string; metadata?: object }]>([
    ['by default a name from the recording, the version and the device', [], {}],
    ['a name from the recording in place of an empty one', ['--name', ' '], {}],
    ['the name that was given', ['--name', 'Zürich "loop"'], { name: 'Zürich "loop"' }],
    [
      'metadata as KEY=VALUE and as JSON, the later winning',
      ['--metadata', 'bike=gravel=2', '--metadata', '{"bike":"road","tyres":[28,28]}'],
      { metadata: { bike: 'road', tyres: [28, 28] } },
    ],
    [
      'metadata that takes the place of its own',
      ['--metadata', 'device_id=my-watch'],
      { metadata: { device_id: 'my-watch' } },
    ],
  ])('is %s', async (_what, args, { name = 'Morning ride', metadata = {} }) => {
    const world = await openLoggedInWorld();
    // Half past eight on the athlete's wrist.
    const ride = world.write('ride.fit', makeRecording({ serial: 77, localOffsetMinutes: 60 }));
    expect((await upload(world, ride, ...args)).code).toBe(0);
    const [request, ...more] = world.sandbox.control.requests({ route: 'upload-fit' });
    expect(more).toEqual([]);
    const device = { app_version: VERSION, device_id: 'garmin-4062-77', file_name: 'ride.fit' };
    expect(request?.parts?.map((part) => [part.name, part.text])).toEqual([
      ['name', name],
      ['metadata', JSON.stringify({ ...device, ...metadata })],
      ['file', undefined],
    ]);
  });

  it('is refused with exit code 2 if it is neither KEY=VALUE nor a JSON object', async () => {
    const world = await openLoggedInWorld();
    const ride = world.write('ride.fit', plain);
    for (const metadata of ['novalue', '=x', '[1]', '{"a":', '{}x']) {
      const { code, stderr } = await world.sync(['upload', ride, '--metadata', metadata]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`--metadata ${metadata}`)]);
    }
    expect(requestLines(world.sandbox)).toEqual([]);
  });
});

describe('sync upload --dry-run', () => {
  it('shows the exact requests and sends nothing, even with a login', async () => {
    const world = await openLoggedInWorld();
    const ride = world.write('Früh "morgens".FIT', makeRecording({ localOffsetMinutes: 60 }));
    const args = [ride, '--metadata', 'bike=gravel'];
    const dry = await upload(world, ...args, '--dry-run');
    expect(requestLines(world.sandbox)).toEqual([]);
    const bytes = readFileSync(ride);
    expect(dry).toEqual({
      code: 0,
      items: [
        {
          type: 'upload',
          path: ride,
          outcome: 'would-upload',
          activity: expect.objectContaining({ name: 'Morning ride' }) as unknown,
          sha256: sha256(bytes),
          size: bytes.length,
          request: {
            method: 'POST',
            url: `${world.sandbox.url}/api/workouts/upload-fit`,
            parts: expect.any(Array) as unknown[],
          },
        },
      ],
      summary: { ...NO_COUNTS, total: 1, 'would-upload': 1 },
    });

    expect((await upload(world, ...args)).items).toMatchObject([{ outcome: 'uploaded' }]);
    const [request] = world.sandbox.control.requests({ route: 'upload-fit' });
    const promised = dry.items[0]?.['request'] as { parts: Record<string, unknown>[] };
    expect(
      promised.parts.map(({ name, value, filename, size, sha256: hash }) =>
        value === undefined ? { name, filename, size, hash } : { name, value },
      ),
    ).toEqual(
      request?.parts?.map(({ name, text, fileName, size, sha256: hash }) =>
        fileName === null ? { name, value: text } : { name, filename: fileName, size, hash },
      ),
    );
    const words = await world.sync(['upload', '--dry-run', '--force', ride]);
    expect(words.stdout).toContain(`POST ${world.sandbox.url}/api/workouts/upload-fit`);
  });

  it('needs no login and writes no state', async () => {
    const world = await openWorld();
    const ride = world.write('ride.fit', plain);
    const dry = await upload(world, ride, '--dry-run');
    expect({ code: dry.code, items: dry.items }).toMatchObject({
      code: 0,
      items: [{ outcome: 'would-upload' }],
    });
    await loginWithToken(world);
    expect((await upload(world, ride)).items).toMatchObject([{ outcome: 'uploaded' }]);
  });
});

describe('another service', () => {
  it('is reached at a configured path', async () => {
    const world = await openLoggedInWorld();
    await world.sync(['config', 'set', 'endpoint.uploadFit', '/v0/upload']);
    const { code, items } = await upload(world, world.write('ride.fit', plain));
    expect({ code, items }).toMatchObject({
      code: 5,
      items: [{ outcome: 'failed', code: 'REJECTED', hint: /config set endpoint\.uploadFit/ }],
    });
    expect(requestLines(world.sandbox)).toEqual(['POST /v0/upload 404']);
  });
});
