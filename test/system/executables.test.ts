import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isOwnLauncher } from '../../src/system/executables.ts';
import { scratchDir } from '../support/scratch-dir.ts';

describe.runIf(process.platform !== 'win32')('launchers of this installation', () => {
  it.each(['sync.js', 'sync'])('are recognised through the link to bin/%s on the PATH', (name) => {
    const root = scratchDir();
    for (const folder of ['lib/bin', 'lib/dist', 'path'])
      mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, 'lib/bin', name), '');
    symlinkSync(join('../lib/bin', name), join(root, 'path/sync'));
    writeFileSync(join(root, 'path/other'), '');

    const programDir = join(root, 'lib/dist');
    expect(isOwnLauncher(join(root, 'path/sync'), programDir)).toBe(true);
    expect(isOwnLauncher(join(root, 'lib/bin', name), programDir)).toBe(true);
    expect(isOwnLauncher(join(root, 'path/other'), programDir)).toBe(false);
    expect(isOwnLauncher(join(root, 'path/missing'), programDir)).toBe(false);
  });
});
