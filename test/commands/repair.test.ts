import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { SyncError } from '../../src/base/errors.ts';
import { repair } from '../../src/commands/repair.ts';
import { findFiles } from '../../src/inputs/find-files.ts';
import { testSystem } from '../auth/support.ts';
import { startCommand, startJsonCommand } from '../support/command.ts';
import { makeRecording, truncated, unfinished, withBrokenCrc } from '../support/fit-maker.ts';
import { scratchDir } from '../support/scratch-dir.ts';

const ride = makeRecording({ durationSecs: 300 });

let folder: string;
beforeEach(() => void (folder = scratchDir()));

function put(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

/** Runs `sync repair` for people. */
async function repairText(...args: string[]) {
  const { done, stdout } = startCommand(repair, testSystem({ homeDir: folder }), args);
  return { exitCode: await done, text: stdout.join('\n') };
}

async function repairJson(path: string, flags: { out?: string } = {}) {
  const { lines, finished } = startJsonCommand(repair, [path, flags], { homeDir: folder });
  await finished;
  return lines()[0];
}

/** Returns the error of a repair, and checks that it wrote nothing. */
async function refusal(...args: string[]): Promise<SyncError> {
  const before = readdirSync(folder);
  const error: unknown = await repairText(...args).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(readdirSync(folder)).toEqual(before);
  if (error instanceof SyncError) return error;
  throw new Error('it was not refused');
}

describe('sync repair', () => {
  it('writes a whole copy beside the original, which it does not change', async () => {
    const broken = unfinished(ride);
    const path = put('ride.fit', broken);
    expect(await repairJson('ride.fit')).toEqual({
      type: 'repair',
      path: 'ride.fit',
      outcome: 'repaired',
      copy: 'ride.repaired.fit',
      sha256: createHash('sha256').update(ride).digest('hex'),
      size: ride.length,
      problem: 'recording',
      detail: /has not finished this recording/,
      isDoubtful: false,
      records: 300,
      startTime: '2026-02-15T07:30:00.000Z',
      endTime: '2026-02-15T07:34:59.000Z',
      cutBytes: 0,
      droppedBytes: 0,
      lostSecs: 1,
      hasSession: true,
    });
    expect(readFileSync(join(folder, 'ride.repaired.fit')).equals(ride)).toBe(true);
    expect(readFileSync(path).equals(broken)).toBe(true);
  });

  it('reports kept and lost data, and how to send the copy', async () => {
    put('ride.fit', truncated(ride, 2000));
    const { exitCode, text } = await repairText('ride.fit');
    expect(exitCode).toBe(0);
    expect(text).toContain('ride.fit: The end is missing: 2,000 bytes of');
    expect(text).toContain('  Copy     ride.repaired.fit; the original is unchanged');
    expect(text).toMatch(/ {2}Kept {5}2\d\d records over [34]:\d\d\n/);
    expect(text).toMatch(/ {2}Lost {5}\d\d? bytes? behind the last readable record\n/);
    expect(text).toContain('  Summary  none (no session message)');
    expect(text).not.toContain('  Values ');
    const next =
      '`sync upload ride.repaired.fit` sends the copy. Uploads of its folder, and watchers, ';
    expect(text).toContain(`${next}leave it out.`);
  });

  it('warns that values may be wrong if only the checksum differs', async () => {
    put('ride.fit', withBrokenCrc(ride));
    const { text } = await repairText('ride.fit');
    expect(text).toContain('  Lost     nothing that was in the file\n  Values   some may be wrong');
    expect(text).not.toContain('Summary');
    expect(text).not.toContain('Copy it from the device again');
  });

  it('shows the dropped bytes between records, and warns of the others', async () => {
    const at = ride.length / 2;
    put('ride.fit', new Uint8Array(ride).fill(0, at, at + 512));
    const { text } = await repairText('ride.fit');
    expect(text).toMatch(/ {2}Lost {5}[\d,]+ (?:unreadable )?bytes /);
    expect(text).toContain('  Values   some may be wrong');
  });

  it.each([
    ['ride.fit', 'ride.repaired.fit'],
    ['RIDE.FIT', 'RIDE.repaired.fit'],
    ['ride', 'ride.repaired.fit'],
  ])('of %s is %s', async (name, copy) => {
    put(name, unfinished(ride));
    expect(await repairJson(name)).toMatchObject({ copy });
  });

  it('unpacks .fit.gz', async () => {
    put('ride.fit.gz', gzipSync(unfinished(ride)));
    expect(await repairJson('ride.fit.gz')).toMatchObject({ copy: 'ride.repaired.fit' });
    expect(readFileSync(join(folder, 'ride.repaired.fit')).equals(ride)).toBe(true);
  });

  it('writes the copy to --out', async () => {
    put('ride.fit', unfinished(ride));
    expect(await repairJson('ride.fit', { out: 'saved.fit' })).toMatchObject({ copy: 'saved.fit' });
    expect(readFileSync(join(folder, 'saved.fit')).equals(ride)).toBe(true);
    const { text } = await repairText('ride.fit', '--out', 'too.fit');
    expect(text).toContain('Uploads of its folder, and watchers, send it, too.');
  });

  it('writes nothing for a whole recording', async () => {
    put('ride.fit', ride);
    expect(await repairJson('ride.fit')).toEqual({
      type: 'repair',
      path: 'ride.fit',
      outcome: 'whole',
    });
    const { exitCode, text } = await repairText('ride.fit');
    expect([exitCode, text]).toEqual([
      0,
      'ride.fit is whole: there is nothing to repair. `sync upload ride.fit` sends it, if it was never sent.',
    ]);
    expect(readdirSync(folder)).toEqual(['ride.fit']);
  });

  it('writes an unchanged copy of a whole recording to the file of --out', async () => {
    put('ride.fit', ride);
    expect(await repairJson('ride.fit', { out: 'saved.fit' })).toMatchObject({
      outcome: 'whole',
      copy: 'saved.fit',
    });
    expect(readFileSync(join(folder, 'saved.fit')).equals(ride)).toBe(true);
    const { text } = await repairText('ride.fit', '--out', 'again.fit');
    expect(text).toContain('nothing to repair. again.fit is an unchanged copy. `sync upload');
    expect((await refusal('ride.fit', '--out', 'saved.fit')).message).toContain('saved.fit');
  });

  it('names the command for a whole file that is no activity', async () => {
    put('plan.fit', makeRecording({ type: 5 }));
    const { text } = await repairText('plan.fit');
    expect(text).toContain('there is nothing to repair. `sync inspect plan.fit` shows');
  });

  it.each([
    ['the original', 'ride.fit'],
    ['another file', 'other.fit'],
  ])('never overwrites %s', async (_, out) => {
    const broken = unfinished(ride);
    const path = put('ride.fit', broken);
    const other = put('other.fit', Buffer.from('mine'));
    const { code, message, hint } = await refusal('ride.fit', '--out', out);
    expect([code, message]).toEqual([
      'USAGE',
      `${join(folder, out)} cannot be written. It exists already.`,
    ]);
    expect(String(hint)).toBe('Name another file: `sync repair ride.fit --out FILE`.');
    expect(readFileSync(path).equals(broken)).toBe(true);
    expect(readFileSync(other, 'utf8')).toBe('mine');
  });

  it('never overwrites an earlier copy', async () => {
    put('ride.fit', unfinished(ride));
    await repairJson('ride.fit');
    const copy = readFileSync(join(folder, 'ride.repaired.fit'));
    expect((await refusal('ride.fit')).message).toContain('It exists already.');
    expect(readFileSync(join(folder, 'ride.repaired.fit')).equals(copy)).toBe(true);
  });

  it('reports a folder that does not exist', async () => {
    put('ride.fit', unfinished(ride));
    const { code, message } = await refusal('ride.fit', '--out', 'no/ride.fit');
    expect([code, message]).toEqual([
      'USAGE',
      `${join(folder, 'no', 'ride.fit')} cannot be written. There is no folder ${join(folder, 'no')}.`,
    ]);
  });

  it.each([
    ['a file without a record', unfinished(ride).subarray(0, 40), 'No record can be read.'],
    ['a web page', Buffer.from('<!doctype html><title>Sign in</title>'), 'This is a web page'],
    ['an empty file', new Uint8Array(0), 'The file is empty.'],
  ])('refuses %s', async (_, bytes, why) => {
    put('ride.fit', bytes);
    const { code, message } = await refusal('ride.fit');
    expect(code).toBe('INPUT_INVALID');
    expect(message).toContain('ride.fit cannot be repaired. ');
    expect(message).toContain(why);
  });

  it('refuses a file that does not exist', async () => {
    const { code, message } = await refusal('absent.fit');
    expect([code, message]).toEqual([
      'INPUT_INVALID',
      'absent.fit cannot be repaired. There is no such file or folder.',
    ]);
  });
});

it('a folder upload leaves the copy out, and an upload that names it does not', async () => {
  put('ride.fit', unfinished(ride));
  await repairJson('ride.fit');
  const found = (path: string) => [...findFiles([path], folder)].map((file) => file.path);
  expect(found('.')).toEqual(['./ride.fit']);
  expect(found('ride.repaired.fit')).toEqual(['ride.repaired.fit']);
  expect(existsSync(join(folder, 'ride.repaired.fit'))).toBe(true);
});
