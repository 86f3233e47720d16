import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { spool } from '../../src/archive/spool.ts';
import { scratchDir } from './support.ts';

async function* chunks(...texts: (string | Error)[]): AsyncGenerator<Buffer, void, undefined> {
  await Promise.resolve();
  for (const text of texts) {
    if (text instanceof Error) throw text;
    yield Buffer.from(text);
  }
}

describe('a temporary file', () => {
  it('holds all bytes, has no name, and is of this user alone', async () => {
    const folder = scratchDir();
    const { handle, size, close } = await spool(folder, 8, chunks('abc', 'defgh'));
    expect(readdirSync(folder)).toEqual([]);
    expect(size).toBe(8);
    const { buffer } = await handle.read(Buffer.alloc(8), 0, 8, 0);
    expect(buffer.toString()).toBe('abcdefgh');
    // Windows has no modes.
    if (process.platform !== 'win32') expect((await handle.stat()).mode & 0o777).toBe(0o600);
    await close();
    await close();
  });

  it.each<[string, number, Error]>([
    ['has less room than stated', 1e18, new Error('not read')],
    ['fills up', 10, Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' })],
  ])('is removed if the disk %s', async (_how, size, error) => {
    const folder = scratchDir();
    await expect(spool(folder, size, chunks('abc', error))).rejects.toMatchObject({
      reason: 'no-room',
      message: expect.stringMatching(
        /^It needs [\d,]+ MB in .* to be unpacked, and the disk has less\. .* TMPDIR\.$/,
      ) as unknown,
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is removed if its bytes cannot be read', async () => {
    const folder = scratchDir();
    const failing = spool(folder, 10, chunks('abc', new Error('damaged')));
    await expect(failing).rejects.toThrow('damaged');
    expect(readdirSync(folder)).toEqual([]);
  });
});
