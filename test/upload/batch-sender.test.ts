import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { goneItem } from '../../src/upload/batch-sender.ts';
import { scratchDir } from './support.ts';

describe('a searched folder', () => {
  const folderAt = (absolute: string, device: number) => ({ path: 'card', absolute, device });

  it('is there while its device is', () => {
    const dir = scratchDir();
    expect(goneItem('card/a.fit', folderAt(dir, statSync(dir).dev))).toBeUndefined();
  });

  it.each([
    ['it does not exist', 'nowhere', 0],
    ['an empty mount point of another device remains', '.', 1],
  ])('is gone if %s', (_what, below, otherDevice) => {
    const dir = scratchDir();
    const device = statSync(dir).dev + otherDevice;
    expect(goneItem('card/a.fit', folderAt(join(dir, below), device))).toMatchObject({
      path: 'card/a.fit',
      outcome: 'failed',
      code: 'FOLDER_GONE',
    });
  });
});
