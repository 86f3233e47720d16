import { randomBytes } from 'node:crypto';
import { appendFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeZip } from '../support/zip-maker.ts';
import { openArchive, textOf } from './support.ts';

const DAMAGED = expect.stringMatching(/^It is damaged \(/) as unknown;

describe('the members of an archive', () => {
  it('are read with their sizes, stored or deflated, in the order of the directory', async () => {
    const zip = makeZip([
      { name: 'b/long.txt', bytes: 'x'.repeat(300_000) },
      { name: 'a.txt', bytes: 'stored', stored: true },
      { name: 'empty', bytes: '' },
    ]);
    expect(await openArchive(zip).readAll()).toEqual([
      { path: 'a.zip/b/long.txt', size: 300_000, text: 'x'.repeat(300_000) },
      { path: 'a.zip/a.txt', size: 6, text: 'stored' },
      { path: 'a.zip/empty', size: 0, text: '' },
    ]);
  });

  it('of inner archives are read in place, at any depth', async () => {
    const innermost = makeZip([{ name: 'x.json', bytes: '{}' }]);
    const inner = makeZip([
      { name: 'deep.zip', bytes: innermost },
      { name: 'y.json', bytes: '[]', stored: true },
    ]);
    const zip = makeZip([
      { name: 'one.zip', bytes: inner, stored: true },
      { name: 'z.json', bytes: '1' },
      { name: 'TWO.ZIP', bytes: inner },
    ]);
    const opened = openArchive(zip);
    expect((await opened.readAll()).map(({ path }) => path)).toEqual([
      'a.zip/one.zip/deep.zip/x.json',
      'a.zip/one.zip/y.json',
      'a.zip/z.json',
      'a.zip/TWO.ZIP/deep.zip/x.json',
      'a.zip/TWO.ZIP/y.json',
    ]);
  });

  it('can be read again in any order after the archive was listed', async () => {
    const inner = (text: string) => makeZip([{ name: 'x', bytes: text }]);
    const zip = makeZip([
      { name: '1.zip', bytes: inner('first') },
      { name: '2.zip', bytes: inner('second') },
      { name: 'y', bytes: 'outer' },
    ]);
    const opened = openArchive(zip);
    const members = [];
    for await (const member of opened.members()) {
      if ('read' in member) members.push(member);
    }
    const texts = [];
    for (const index of [2, 1, 0, 1]) {
      const member = members[index];
      if (member !== undefined) texts.push(await textOf(member.read()));
    }
    expect(texts).toEqual(['outer', 'second', 'first', 'second']);
  });

  it('do not include folders and the litter of operating systems', async () => {
    const zip = makeZip(
      [
        'folder/',
        '__MACOSX/._ride.fit',
        'a/__MACOSX/ride.fit',
        '.DS_Store',
        'a/.DS_Store',
        'a/._ride.fit',
        'a/Thumbs.db',
        'a/ride.fit',
      ].map((name) => ({ name, stored: true })),
    );
    expect((await openArchive(zip).readAll()).map(({ path }) => path)).toEqual([
      'a.zip/a/ride.fit',
    ]);
  });

  it.each<[string, string | Uint8Array, string]>([
    ['leads out of the archive', '../../etc/passwd', 'etc/passwd'],
    ['is absolute', '/etc/passwd', 'etc/passwd'],
    ['has backslashes', 'a\\..\\b.fit', 'a/b.fit'],
    ['has control characters', 'a\u001b[31m\nb\u202e.fit', 'a [31m b.fit'],
    ['is UTF-8 with the flag for it', 'Größe/ライド.fit', 'Größe/ライド.fit'],
    ['is UTF-8 without the flag', Buffer.from('Größe.fit'), 'Größe.fit'],
    ['is CP437', Uint8Array.of(0x47, 0x72, 0x94, 0xe1, 0x65), 'Größe'],
    ['is empty', '..', '(no name)'],
    ['is too long', `${'d/'.repeat(300)}a.fit`, `${'d/'.repeat(148)}a.fit`.slice(-300)],
  ])('are shown with a clean name if it %s', async (_how, name, shown) => {
    const [member] = await openArchive(makeZip([{ name, bytes: 'x' }])).readAll();
    expect(member?.path.slice('a.zip/'.length)).toBe(
      shown.length > 300 ? shown.slice(-300) : shown,
    );
    expect(member).toMatchObject({ text: 'x' });
  });

  it('with one name are read one by one', async () => {
    const zip = makeZip([
      { name: 'a', bytes: '1' },
      { name: 'a', bytes: '2' },
    ]);
    expect(await openArchive(zip).readAll()).toMatchObject([{ text: '1' }, { text: '2' }]);
  });
});

it.each<[string, Parameters<typeof makeZip>[0][number], string, unknown]>([
  [
    'is encrypted',
    { name: 'x', bytes: 'secret', lies: { flags: 1 } },
    'unreadable',
    'It is encrypted. Unpack it with its password first.',
  ],
  [
    'is packed with an unknown method',
    { name: 'x', bytes: 'x', lies: { method: 9 } },
    'unreadable',
    'It is packed with Deflate64, which sync cannot unpack. Unpack the archive first.',
  ],
  ['has a wrong checksum', { name: 'x', bytes: 'x', lies: { crc: 1 } }, 'corrupt', DAMAGED],
  ['is shorter than stated', { name: 'x', bytes: 'x', lies: { size: 2 } }, 'corrupt', DAMAGED],
  ['is longer than stated', { name: 'x', bytes: 'xyz', lies: { size: 2 } }, 'corrupt', DAMAGED],
  ['is stored', { name: 'x', bytes: 'xyz', stored: true, lies: { method: 8 } }, 'corrupt', DAMAGED],
  ['is not where it should be', { name: 'x', bytes: 'x', lies: { offset: 3 } }, 'corrupt', DAMAGED],
  ['lies outside', { name: 'x', bytes: 'x', lies: { offset: 1e9 } }, 'incomplete', /./],
])('a member that %s is reported, the others are read', async (_how, faulty, reason, problem) => {
  const zip = makeZip([{ name: 'a', bytes: 'before' }, faulty, { name: 'b', bytes: 'after' }]);
  const [first, second, third] = await openArchive(zip).readAll();
  expect(first).toMatchObject({ text: 'before' });
  expect(second).toMatchObject({ path: 'a.zip/x', reason });
  if (!(problem instanceof RegExp)) expect(second).toMatchObject({ problem });
  expect(third).toMatchObject({ text: 'after' });
});

describe('a faulty archive', () => {
  const whole = makeZip([{ name: 'a', bytes: randomBytes(1000) }]);
  it.each<[string, Uint8Array, string, RegExp]>([
    ['has no end', whole.subarray(0, 900), 'incomplete', /The end of the zip archive is missing/],
    ['is another file', Buffer.from('{"a":1}'.repeat(10)), 'unreadable', /is not a zip archive/],
    ['is empty', Buffer.alloc(0), 'unreadable', /is not a zip archive/],
    ['has a tail', Buffer.concat([whole, Buffer.from('x')]), 'corrupt', /something follows/],
    ['has a damaged directory', broken(whole), 'corrupt', /It is damaged \(/],
  ])('that %s is reported', async (_how, bytes, reason, problem) => {
    expect(await openArchive(bytes).readAll()).toEqual([
      { path: 'a.zip', reason, problem: expect.stringMatching(problem) as unknown },
    ]);
  });

  it('inside another one costs only its own members', async () => {
    const zip = makeZip([
      { name: 'bad.zip', bytes: whole.subarray(0, 900) },
      { name: 'good.zip', bytes: makeZip([{ name: 'x', bytes: 'good' }]) },
    ]);
    const opened = openArchive(zip);
    expect(await opened.readAll()).toMatchObject([
      { path: 'a.zip/bad.zip', reason: 'incomplete' },
      { path: 'a.zip/good.zip/x', text: 'good' },
    ]);
    expect(opened.tempFiles()).toEqual([]);
  });

  it('that grows between two passes is reported as still being written', async () => {
    const first = makeZip([{ name: 'x', bytes: 'x' }]);
    const opened = openArchive(first);
    const members = [];
    for await (const member of opened.members()) if ('read' in member) members.push(member);
    await opened.archives.close();
    appendFileSync(opened.absolute, 'more');
    await expect(textOf(members[0]?.read() ?? none())).rejects.toMatchObject({
      reason: 'incomplete',
      message: 'It changed while it was read: it is still being written.',
    });
  });
});

describe('a zip bomb', () => {
  const SMALL = { small: 10_000, ratio: 20, innerRatio: 10 };
  const zeros = (length: number) => Buffer.alloc(length);

  it('with a member of a thousand times its size ends at the limit', async () => {
    const zip = makeZip([
      { name: 'a', bytes: 'fine' },
      { name: 'bomb', bytes: zeros(2_000_000) },
    ]);
    const [first, second] = await openArchive(zip, SMALL).readAll();
    expect(first).toMatchObject({ text: 'fine' });
    expect(second).toMatchObject({
      path: 'a.zip/bomb',
      reason: 'unreadable',
      problem:
        'The archive unpacks to more than 20 times its size, as a zip bomb does: no more of it is read.',
    });
  });

  it('of archives that repeat themselves is stopped before it fills the disk', async () => {
    const inner = makeZip([{ name: 'z', bytes: zeros(1_000_000), stored: true }]);
    const opened = openArchive(makeZip([{ name: 'inner.zip', bytes: inner }]), SMALL);
    expect(await opened.readAll()).toEqual([
      {
        path: 'a.zip/inner.zip',
        reason: 'unreadable',
        problem:
          'It unpacks to more than 10 times its size, as a zip bomb does: no more of it is read.',
      },
    ]);
  });

  it('of many levels is not followed below the limit', async () => {
    let zip = makeZip([{ name: 'x', bytes: 'x' }]);
    for (let level = 0; level < 6; level++) zip = makeZip([{ name: 'n.zip', bytes: zip }]);
    const opened = openArchive(zip);
    expect(await opened.readAll()).toEqual([
      {
        path: 'a.zip/n.zip/n.zip/n.zip/n.zip',
        reason: 'unreadable',
        problem:
          'It lies inside 4 other archives, and 3 are the limit, as a zip bomb does: no more of it is read.',
      },
    ]);
  });

  it('of overlapping members is not read', async () => {
    const bytes = randomBytes(5_000);
    const lies = { offset: 0 };
    const zip = makeZip([
      { name: 'a', bytes },
      ...Array.from({ length: 9 }, (_, index) => ({ name: `b${index}`, bytes, lies })),
    ]);
    // The archive without the members that are stated, and not there.
    const local = zip.indexOf('PK\x03\x04', 4, 'latin1');
    const directory = zip.indexOf('PK\x01\x02', 0, 'latin1');
    const overlapping = Buffer.concat([zip.subarray(0, local), zip.subarray(directory)]);
    overlapping.writeUInt32LE(local, overlapping.length - 6);
    const items = await openArchive(overlapping).readAll();
    expect(items.at(-1)).toEqual({
      path: 'a.zip',
      reason: 'unreadable',
      problem: 'Its members overlap, as in a zip bomb: no more of it is read.',
    });
    expect(items.length).toBeLessThan(4);
  });

  it('of more members than the limit ends there', async () => {
    const zip = makeZip(Array.from({ length: 20 }, (_, index) => ({ name: `m${index}` })));
    const items = await openArchive(zip, { members: 10 }).readAll();
    expect(items).toHaveLength(11);
    expect(items.at(-1)).toMatchObject({
      problem: 'The archive holds more than 10 files, as a zip bomb does: no more of it is read.',
    });
  });

  it.each([
    ['that hold too much', { small: 3_000, ratio: 0 }, 2, 'unpacks to more than 0 times its size'],
    ['beyond the limit', { inner: 10 }, 10, 'holds more than 10 archives'],
    ['that take long', { cpu: { least: 0, perMB: 0 } }, 0, 'takes more time than its size allows'],
  ])(
    'of many archives %s ends at the limit, not in each of them',
    async (_, limits, read, limit) => {
      const inner = makeZip([{ name: 'x', bytes: zeros(1_000), stored: true }]);
      const names = Array.from({ length: 50 }, (_, index) => `${index}.zip`);
      const zip = makeZip(names.map((name) => ({ name, bytes: inner })));
      const items = [];
      for await (const item of openArchive(zip, limits).members()) items.push(item);
      expect(items.slice(read)).toEqual([
        {
          path: 'a.zip',
          reason: 'unreadable',
          problem: `The archive ${limit}, as a zip bomb does: no more of it is read.`,
        },
      ]);
    },
  );

  it('does not use up what other archives of the run may unpack to', async () => {
    const opened = openArchive(makeZip([{ name: 'bomb', bytes: zeros(2_000_000) }]), SMALL);
    await opened.readAll();
    writeFileSync(opened.absolute, makeZip([{ name: 'x', bytes: 'fine' }]));
    expect(await opened.readAll()).toMatchObject([{ text: 'fine' }]);
  });
});

describe('the temporary file of an inner archive', () => {
  const INNER = makeZip([
    { name: 'x', bytes: 'x' },
    { name: 'y', bytes: 'y' },
  ]);

  it('has no name while it is read, and none is left', async () => {
    const opened = openArchive(makeZip([{ name: 'i.zip', bytes: INNER }]));
    const seen = [];
    for await (const member of opened.members()) {
      seen.push(member.path, ...opened.tempFiles());
    }
    expect(seen).toEqual(['a.zip/i.zip/x', 'a.zip/i.zip/y']);
    expect(opened.tempFiles()).toEqual([]);
  });

  it('is gone after an interruption in the middle', async () => {
    const opened = openArchive(makeZip([{ name: 'i.zip', bytes: INNER }]));
    const reading = (async () => {
      for await (const member of opened.members()) {
        if ('read' in member) opened.stop.abort(new Error('stop'));
      }
    })();
    await expect(reading).rejects.toThrow('stop');
    await opened.archives.close();
    expect(opened.tempFiles()).toEqual([]);
  });

  it('is not made without an inner archive', async () => {
    const opened = openArchive(makeZip([{ name: 'x', bytes: 'x' }]));
    const before = statSync(opened.temp).mtimeMs;
    await opened.readAll();
    expect(statSync(opened.temp).mtimeMs).toBe(before);
  });

  it('that finds no folder is a fault of that archive only', async () => {
    const { Archives } = await import('../../src/archive/archives.ts');
    const opened = openArchive(
      makeZip([
        { name: 'i.zip', bytes: INNER },
        { name: 'z', bytes: 'z' },
      ]),
    );
    const archives = new Archives(new AbortController().signal, '/no/such/folder');
    const found = [];
    for await (const item of archives.members('a.zip', opened.absolute)) found.push(item);
    await archives.close();
    expect(found).toMatchObject([
      {
        path: 'a.zip/i.zip',
        reason: 'no-room',
        problem: expect.stringContaining('Name another folder with TMPDIR.') as unknown,
      },
      { path: 'a.zip/z' },
    ]);
  });
});

/** Destroys the signature of the first directory entry. */
function broken(zip: Buffer): Buffer {
  const copy = Buffer.from(zip);
  copy.fill(0, copy.indexOf('PK\x01\x02', 0, 'latin1'), undefined);
  zip.copy(copy, zip.length - 22, zip.length - 22);
  return copy;
}

async function* none(): AsyncGenerator<Buffer, void, undefined> {
  await Promise.resolve();
  yield* [];
}
