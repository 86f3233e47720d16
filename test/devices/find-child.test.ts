import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchDir } from '../support/scratch-dir.ts';
import { deviceSearch, write } from './support.ts';

const { find } = deviceSearch();

describe('the child process of findDevices', () => {
  /** Runs a script in its place. */
  async function findWith(script: string, env: Record<string, string> = {}) {
    const childPath = join(scratchDir(), 'child.cjs');
    write(childPath, script);
    return await find({ childPath, env: { ...process.env, ...env } });
  }

  it('gets no token and no password', async () => {
    const seen = join(scratchDir(), 'seen');
    const record = `process.on('message', (request) => {
      require('fs').writeFileSync(${JSON.stringify(seen)}, JSON.stringify([request, process.env]));
      process.send({ state: 'done' });
    });`;
    const secrets = { SYNC_ACCESS_TOKEN: 'at-hush', HTTPS_PROXY: 'http://ada:pw-hush@proxy' };
    await findWith(record, { ...secrets, LOCALAPPDATA: '/local' });
    expect(readFileSync(seen, 'utf8')).toContain('/local');
    expect(readFileSync(seen, 'utf8')).not.toContain('hush');
  });

  it.each([
    ['ends', 'process.exitCode = 3;', /ended \(code 3\)/],
    ['fails', `process.send({ state: 'failed', message: 'no memory' });`, /no memory/],
    ['crashes', `throw new Error('broken');`, /Error: broken/],
  ])('is reported if it %s', async (_, script, message) => {
    await expect(findWith(script)).rejects.toMatchObject({
      code: 'STORAGE',
      message: expect.stringMatching(message) as string,
    });
  });
});
