import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/system/this-process.ts';
import { SyncError } from '../../src/base/errors.ts';
import { isHeld, tryLock, withLock } from '../../src/system/process-lock.ts';
import { type ProcessMark, markProcess } from '../../src/system/processes.ts';
import { useWorkers, markIn, scratchDir } from '../ledger/support.ts';
import { caught } from '../support/failure.ts';

const startWorker = useWorkers();

const signal = new AbortController().signal;
const patient = { clock: systemClock, signal };

describe('a lock', () => {
  it('has one holder at a time in one process and is released once', () => {
    const path = join(scratchDir(), 'deep', 'one.lock');
    const first = tryLock(path);
    expect(first).toBeDefined();
    expect(tryLock(path)).toBeUndefined();
    first?.release();
    first?.release();
    const second = tryLock(path);
    expect(second).toBeDefined();
    // A second release of the first does not take the lock from the second.
    first?.release();
    expect(tryLock(path)).toBeUndefined();
    second?.release();
  });

  it('excludes other processes, and is free when its process is killed', async () => {
    const dir = scratchDir();
    const path = join(dir, 'one.lock');
    const other = startWorker('lock', dir);
    expect(await other.line()).toBe('held');
    expect(tryLock(path)).toBeUndefined();
    expect(await startWorker('lock', dir).line()).toBe('busy');
    await other.kill();
    const mine = tryLock(path);
    expect(mine).toBeDefined();
    expect(await startWorker('lock', dir).line()).toBe('busy');
    mine?.release();
    expect(await startWorker('lock', dir).line()).toBe('held');
  });

  it('is created in a folder that only its owner can enter', () => {
    const dir = join(scratchDir(), 'locks');
    tryLock(join(dir, 'one.lock'))?.release();
    if (process.platform !== 'win32') expect(statSync(dir).mode & 0o777).toBe(0o700);
  });

  it('fails as a storage error with the path if it cannot be created', () => {
    const dir = scratchDir();
    writeFileSync(join(dir, 'file'), 'x');
    const paths = [join(dir, 'file', 'one.lock'), join(dir, 'folder.lock')];
    mkdirSync(paths[1] ?? '');
    for (const path of paths) {
      const error = caught(() => tryLock(path));
      expect(error).toMatchObject({ code: 'STORAGE', details: { path } });
      expect(error.message).toContain(path === paths[0] ? join(dir, 'file') : path);
    }
  });

  it('rejects a file with other content and leaves the file unchanged', () => {
    const path = join(scratchDir(), 'one.lock');
    writeFileSync(
      path,
      "this was somebody else's file, and is longer than a header of a database. ".repeat(20),
    );
    expect(caught(() => tryLock(path))).toMatchObject({ code: 'STORAGE' });
  });
});

describe('withLock', () => {
  it('runs the tasks one after the other, among many at once', async () => {
    const path = join(scratchDir(), 'one.lock');
    let inside = 0;
    const most: number[] = [];
    await Promise.all(
      Array.from({ length: 10 }, () =>
        withLock(path, patient, async () => {
          most.push(++inside);
          await systemClock.sleep(2);
          inside--;
        }),
      ),
    );
    expect(most).toEqual(Array(10).fill(1));
  });

  it('releases the lock if its task fails, and throws the error of the task', async () => {
    const path = join(scratchDir(), 'one.lock');
    const reason = new Error('the task failed');
    await expect(withLock(path, patient, () => Promise.reject(reason))).rejects.toBe(reason);
    expect(await withLock(path, patient, () => Promise.resolve('in'))).toBe('in');
  });

  it('fails with BUSY, but waits longer than a refresh can take, without real waiting', async () => {
    const path = join(scratchDir(), 'one.lock');
    const held = tryLock(path);
    let now = 0;
    let slept = 0;
    const clock = {
      now: () => now,
      monotonic: () => now,
      sleep: (ms: number) => {
        now += ms * 100;
        slept++;
        return Promise.resolve();
      },
    };
    const error = await withLock(path, { clock, signal }, () => Promise.resolve('never')).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: 'BUSY', details: { path } });
    expect(now).toBeGreaterThan(340_000);
    expect(slept).toBeGreaterThan(50);
    held?.release();
  });

  it('stops waiting when it is interrupted, with the reason of the signal', async () => {
    const path = join(scratchDir(), 'one.lock');
    const held = tryLock(path);
    const abort = new AbortController();
    const reason = new SyncError('INTERRUPTED', 'Interrupted.');
    let ran = false;
    const waiting = withLock(path, { ...patient, signal: abort.signal }, () => {
      ran = true;
      return Promise.resolve();
    });
    abort.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    held?.release();
    await expect(
      withLock(path, { ...patient, signal: abort.signal }, () => Promise.resolve()),
    ).rejects.toBe(reason);
    expect(ran).toBe(false);
  });

  it('acquires the lock of a process that was killed in the meantime', async () => {
    const dir = scratchDir();
    const other = startWorker('lock', dir);
    expect(await other.line()).toBe('held');
    const entered = withLock(join(dir, 'one.lock'), patient, () => Promise.resolve('in'));
    await other.kill();
    expect(await entered).toBe('in');
  });
});

describe('inspecting a lock', () => {
  it('returns whether it is held, also after its process was killed, and creates no file', async () => {
    const dir = scratchDir();
    const path = join(dir, 'one.lock');
    expect(isHeld(path)).toBe(false);
    expect(existsSync(path)).toBe(false);
    const mine = tryLock(path);
    expect(isHeld(path)).toBe(true);
    mine?.release();
    expect(isHeld(path)).toBe(false);
    const other = startWorker('lock', dir);
    expect(await other.line()).toBe('held');
    expect(isHeld(path)).toBe(true);
    await other.kill();
    expect(isHeld(path)).toBe(false);
    expect(tryLock(path)).toBeDefined();
  });

  it('never counts another inspection as a holder', async () => {
    const dir = scratchDir();
    const dead = startWorker('lock', dir);
    expect(await dead.line()).toBe('held');
    await dead.kill();
    const lookers = Array.from({ length: 4 }, () => startWorker('look-when-told', dir));
    await Promise.all(lookers.map((one) => one.line()));
    for (const one of lookers) one.tell();
    const seen = await Promise.all(lookers.map((one) => one.line()));
    expect(seen).toEqual(Array(4).fill('held 0 of 2000'));
  });

  it('fails if the file is not a lock', () => {
    const path = join(scratchDir(), 'one.lock');
    mkdirSync(path);
    expect(() => isHeld(path)).toThrow(expect.objectContaining({ code: 'STORAGE' }) as Error);
  });
});

describe('the mark of a process', () => {
  /** SQLite keeps a journal beside a lock that is held. */
  const marksIn = (dir: string) =>
    new Set(readdirSync(join(dir, 'locks')).map((name) => name.replace(/-journal$/, '')));
  const fileOf = (id: string) => `process-${id}.lock`;
  const isDead = (seenBy: ProcessMark, id: string) => seenBy.isAbandoned(id, 'a ride');

  it('counts as alive for others until it is released', () => {
    const dir = scratchDir();
    const [mine, theirs] = [markIn(dir), markProcess(dir)];
    expect(mine.id).not.toBe(theirs.id);
    expect([isDead(mine, theirs.id), isDead(theirs, mine.id)]).toEqual([false, false]);
    expect(marksIn(dir)).toEqual(new Set([fileOf(mine.id), fileOf(theirs.id)]));
    theirs.release();
    theirs.release();
    expect(isDead(mine, theirs.id)).toBe(true);
    expect(marksIn(dir)).toEqual(new Set([fileOf(mine.id)]));
  });

  it('distinguishes the current work of its process from abandoned work', () => {
    const dir = scratchDir();
    const [mine, theirs] = [markIn(dir), markIn(dir)];
    const { id } = mine;
    expect(mine.isAbandoned(id, 'a ride')).toBe(true);
    mine.begin('a ride');
    theirs.begin('a run');
    expect([mine.isAbandoned(id, 'a ride'), mine.isAbandoned(id, 'a run')]).toEqual([false, true]);
    mine.end('a ride');
    expect(mine.isAbandoned(id, 'a ride')).toBe(true);
    // Other marks cannot know its current work: while it is alive, it owns all its files.
    expect(theirs.isAbandoned(id, 'a ride')).toBe(false);
  });

  it('ends with a killed process, and the files of that process are deleted', async () => {
    const dir = scratchDir();
    const mine = markIn(dir);
    const other = startWorker('mark', dir);
    const id = await other.line();
    expect(isDead(mine, id)).toBe(false);
    await other.kill();
    expect(existsSync(join(dir, 'locks', `process-${id}.lock`))).toBe(true);
    expect(isDead(mine, id)).toBe(true);
    const own = fileOf(mine.id);
    expect(marksIn(dir)).toEqual(new Set([own]));
    // And stays dead.
    expect(isDead(mine, id)).toBe(true);
  });

  it('is deleted a day later if its process was killed and left no files', async () => {
    const dir = scratchDir();
    const killed = startWorker('mark', dir);
    const alive = startWorker('mark', dir);
    const [dead, living] = [await killed.line(), await alive.line()];
    await killed.kill();
    const recent = markIn(dir).id;
    expect(marksIn(dir)).toEqual(new Set([dead, living, recent].map(fileOf)));
    const yesterday = new Date(Date.now() - 25 * 60 * 60_000);
    for (const id of [dead, living])
      utimesSync(join(dir, 'locks', fileOf(id)), yesterday, yesterday);
    const mine = markIn(dir).id;
    const kept = [living, recent, mine];
    expect(marksIn(dir)).toEqual(new Set(kept.map(fileOf)));
  });

  it('stays while its process starts, if the clock of another process is ahead', () => {
    const dir = scratchDir();
    mkdirSync(join(dir, 'locks'));
    const starting = fileOf('00000000-0000-4000-8000-000000000000');
    // Made, and not locked yet.
    writeFileSync(join(dir, 'locks', starting), '');
    vi.useFakeTimers({ now: Date.now() + 2 * 24 * 60 * 60_000, toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const mine = markIn(dir).id;
    expect(marksIn(dir)).toEqual(new Set([starting, fileOf(mine)]));
  });
});
