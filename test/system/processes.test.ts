import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { markProcess } from '../../src/system/processes.ts';
import { mountCrashDisk, whyNoCrashDisk } from '../support/crash-disk.ts';
import { scratchDir } from '../support/scratch-dir.ts';

const missing = whyNoCrashDisk();
const note = missing === undefined ? '' : ` (skipped: ${missing})`;

it.skipIf(missing !== undefined)(
  `a process mark on a disk that became read-only is released, and leaves its file${note}`,
  () => {
    const dir = scratchDir();
    const disk = mountCrashDisk(join(dir, 'state'));
    const mark = markProcess(join(dir, 'state'));
    const { id } = mark;
    disk.failReadOnly();
    mark.release();
    const later = markProcess(join(dir, 'state'));
    expect(later.isAbandoned(id, 'a recording')).toBe(true);
    expect(readdirSync(join(dir, 'state', 'locks'))).toContain(`process-${id}.lock`);
  },
);
