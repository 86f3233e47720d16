import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findFiles } from '../../src/inputs/find-files.ts';
import { ODD_NAME } from '../../src/inputs/recording-names.ts';
import { walk } from '../../src/inputs/find-files.ts';
import { put, scratchDir } from '../upload/support.ts';

const foundIn = (paths: string[], cwd: string) => [...findFiles(paths, cwd)];

/** Lists the results in short: the path, `*` if it was named, or the problem. */
const find = (paths: string[], cwd: string) =>
  foundIn(paths, cwd).flatMap((file) => {
    if ('problem' in file) return `${file.path}: ${file.problem}`;
    return `${file.path}${file.named ? ' *' : ''}`;
  });

// Elsewhere the file system takes no such names.
describe.skipIf(process.platform !== 'linux')('names that are not valid UTF-8', () => {
  const oddly = (dir: string, ...name: (string | number)[]) =>
    Buffer.concat([
      Buffer.from(`${dir}/`),
      ...name.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))),
    ]);

  it('are reported for recordings and for folders with some, and the rest is found', () => {
    const dir = scratchDir();
    put(dir, 'good/München.fit');
    // This name is valid: an earlier program replaced its invalid bytes.
    put(dir, 'good/M\ufffdlheim.fit');
    writeFileSync(oddly(join(dir, 'good'), 'M', 0xfc, 'nchen.fit'), 'x');
    writeFileSync(oddly(join(dir, 'good'), 'M', 0xe9, 'nchen.fit'), 'x');
    writeFileSync(oddly(join(dir, 'good'), 'notes', 0xfc, '.txt'), 'x');
    mkdirSync(oddly(dir, 'good/T', 0xfc, 'r'));
    expect(find(['good'], dir)).toEqual([
      'good/München.fit',
      'good/M\ufffdlheim.fit',
      `good/M\ufffdnchen.fit: ${ODD_NAME}`,
      `good/M\ufffdnchen.fit: ${ODD_NAME}`,
      `good/T\ufffdr: ${ODD_NAME}`,
    ]);
    const walked = [...walk(join(dir, 'good'))].map((found) =>
      found.found === 'problem' ? `${found.path}: ${found.problem}` : found.path,
    );
    expect(walked.map((path) => path.slice(dir.length + 1)).sort()).toEqual([
      'good',
      ...find(['good'], dir).sort(),
    ]);
  });
});

describe('searching a folder', () => {
  it('finds GPX, TCX and zip files, which may hold activities', () => {
    const dir = scratchDir();
    for (const name of [
      'a.gpx',
      'b.TCX.gz',
      'c.gpx.gz',
      'd/e.ZIP',
      'f.tcx',
      '.g.gpx',
      'h.zip.gz',
    ]) {
      put(dir, `r/${name}`);
    }
    expect(find(['r'], dir)).toEqual([
      'r/a.gpx',
      'r/b.TCX.gz',
      'r/c.gpx.gz',
      'r/d/e.ZIP',
      'r/f.tcx',
    ]);
  });

  it('finds every file with the name of a recording at any depth, in name order', () => {
    const dir = scratchDir();
    for (const name of [
      'r/b.fit',
      'r/a.fit',
      'r/B.FIT',
      'r/c.fit.gz',
      'r/d.Fit.GZ',
      'r/2024/z.fit',
      'r/2024/01/x.fit',
      'r/aa/y.fit',
    ]) {
      put(dir, name);
    }
    expect(find(['r'], dir)).toEqual([
      'r/2024/01/x.fit',
      'r/2024/z.fit',
      'r/B.FIT',
      'r/a.fit',
      'r/aa/y.fit',
      'r/b.fit',
      'r/c.fit.gz',
      'r/d.Fit.GZ',
    ]);
  });

  it('skips files that are certainly not recordings', () => {
    const dir = scratchDir();
    for (const name of [
      'r/._a.fit',
      'r/.hidden.fit',
      'r/.Trash/b.fit',
      'r/inProgressActivity.fit',
      'r/TEMPFIT/c.fit',
      'r/NewFiles/d.fit',
      'r/notes.txt',
      'r/a.fit.bak',
      'r/a.fit.part',
      'r/fit',
      'r/a.tcx.bak',
    ]) {
      put(dir, name);
    }
    // A folder with the name of a recording is a folder.
    put(dir, 'r/folder.fit/inside.fit');
    expect(find(['r'], dir)).toEqual(['r/folder.fit/inside.fit']);
  });

  it('keeps the spelling of the path: with a slash, with a dot, absolute, and from above', () => {
    const dir = scratchDir();
    put(dir, 'r/a.fit');
    expect(find(['r/'], dir)).toEqual(['r/a.fit']);
    expect(find(['./r//'], dir)).toEqual(['./r/a.fit']);
    expect(find(['.'], dir)).toEqual(['./r/a.fit']);
    expect(find(['..'], join(dir, 'r'))).toEqual(['../r/a.fit']);
    expect(find([join(dir, 'r')], '/')).toEqual([join(dir, 'r/a.fit')]);
  });

  it('returns the stamp that identifies a file', () => {
    const dir = scratchDir();
    const path = put(dir, 'r/a.fit', 'abc');
    const [found] = foundIn(['r'], dir);
    const { size, mtimeMs, ctimeMs } = statSync(path);
    expect(found).toMatchObject({
      path: 'r/a.fit',
      absolute: path,
      named: false,
      stamp: { size, mtimeMs, ctimeMs },
    });
  });
});

describe('searching named paths', () => {
  it('returns a named file with any name', () => {
    const dir = scratchDir();
    for (const name of ['ride', '.hidden.fit', 'inProgressActivity.fit', 'a.fit']) put(dir, name);
    expect(find(['ride', '.hidden.fit', 'inProgressActivity.fit', './a.fit'], dir)).toEqual([
      'ride *',
      '.hidden.fit *',
      'inProgressActivity.fit *',
      './a.fit *',
    ]);
  });

  it('returns each file once, under its first name', () => {
    const dir = scratchDir();
    put(dir, 'r/a.fit');
    put(dir, 'r/b.fit');
    expect(find(['r/b.fit', 'r', './r', 'r/../r/a.fit', 'r/b.fit'], dir)).toEqual([
      'r/b.fit *',
      'r/a.fit',
    ]);
  });

  it('reports a missing path and continues with the rest', () => {
    const dir = scratchDir();
    put(dir, 'a.fit');
    put(dir, 'file');
    expect(find(['missing.fit', 'file/below.fit', '', 'a.fit'], dir)).toEqual([
      'missing.fit: There is no such file or folder.',
      'file/below.fit: There is no such file or folder.',
      // A variable of a script that was not set: not the folder that it happens to run in.
      ': There is no such file or folder.',
      'a.fit *',
    ]);
  });

  it.runIf(process.platform !== 'win32')(
    'rejects a pipe, because opening it would block until another process writes to it',
    () => {
      const dir = scratchDir();
      execFileSync('mkfifo', [join(dir, 'pipe.fit')]);
      put(dir, 'a.fit');
      const problem = 'It is a pipe or a device, not a file: save it as one first.';
      expect(find(['pipe.fit', '/dev/null', 'a.fit'], dir)).toEqual([
        `pipe.fit: ${problem}`,
        `/dev/null: ${problem}`,
        'a.fit *',
      ]);
      expect(find(['.'], dir)).toEqual(['./a.fit']);
    },
  );
});

describe.runIf(process.platform !== 'win32')('links', () => {
  it('are followed if they are named', () => {
    const dir = scratchDir();
    put(dir, 'real/a.fit', 'abcd');
    symlinkSync('real', join(dir, 'folder'));
    symlinkSync('real/a.fit', join(dir, 'link.fit'));
    expect(find(['folder', 'link.fit'], dir)).toEqual(['folder/a.fit', 'link.fit *']);
    const [, link] = foundIn(['folder', 'link.fit'], dir);
    expect(link).toMatchObject({ stamp: { size: 4 } });
  });

  it('are not followed below a folder, to avoid loops and other trees', () => {
    const dir = scratchDir();
    put(dir, 'r/a.fit');
    put(dir, 'outside/b.fit');
    symlinkSync('..', join(dir, 'r/loop'));
    symlinkSync('../outside', join(dir, 'r/out'));
    symlinkSync('../outside/b.fit', join(dir, 'r/b.fit'));
    expect(find(['r'], dir)).toEqual(['r/a.fit']);
  });

  it('are reported if they lead nowhere or to themselves', () => {
    const dir = scratchDir();
    symlinkSync('nowhere', join(dir, 'broken.fit'));
    symlinkSync('self.fit', join(dir, 'self.fit'));
    expect(find(['broken.fit', 'self.fit'], dir)).toEqual([
      'broken.fit: There is no such file or folder.',
      'self.fit: It is a link that leads back to itself.',
    ]);
  });
});

describe('an unreadable folder', () => {
  const isRoot = process.geteuid?.() === 0;
  it.runIf(process.platform !== 'win32')('is reported and does not hide its neighbours', () => {
    const dir = scratchDir();
    put(dir, 'r/a.fit');
    put(dir, 'r/locked/b.fit');
    put(dir, 'r/z.fit');
    chmodSync(dir, 0o755);
    chmodSync(join(dir, 'r'), 0o755);
    chmodSync(join(dir, 'r/locked'), 0o000);
    onTestFinished(() => chmodSync(join(dir, 'r/locked'), 0o700));
    // Root can read every folder: the test switches to another user.
    if (isRoot) process.seteuid?.(65_534);
    try {
      expect(find(['r'], dir)).toEqual([
        'r/a.fit',
        'r/locked: It may not be read by this user.',
        'r/z.fit',
      ]);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });
});
