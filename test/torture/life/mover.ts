import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../src/seed/random.ts';
import { whyNoMount } from '../../support/disk.ts';
import { DUE_MS, type Shelf } from './shelf.ts';

/**
 * Moves, removes, hides and locks whole watched folders, and always undoes it. Each step is synchronous,
 * so that the shelf knows at any moment what lies in the folder.
 */
export class Mover {
  readonly #random: Random;
  readonly #shelf: Shelf;
  readonly #outside: string;
  readonly #note: (text: string) => void;
  readonly #canMount = whyNoMount() === undefined;
  #count = 0;
  #undo: (() => void) | undefined;

  constructor(random: Random, shelf: Shelf, outside: string, note: (text: string) => void) {
    this.#random = random;
    this.#shelf = shelf;
    this.#outside = outside;
    this.#note = note;
  }

  /**
   * The first of its changes lasts long enough for recordings in the new folder to become due.
   *
   * @param first what it may be
   */
  async move(first: Moves, until: () => boolean): Promise<void> {
    let moves = first;
    for (let longMs = DUE_MS + 4_000; !until(); longMs = 0) {
      await sleep(this.#random.integer(1_000, 8_000));
      const what = this.#random.pick(moves);
      moves = MOVES;
      const pauseMs = longMs + this.#random.integer(0, 5_000);
      if (until()) return;
      this.#note(`${what} ${this.#shelf.dir} for ${pauseMs} ms`);
      this.#do(what);
      await sleep(pauseMs);
      this.restore();
    }
  }

  /** Undoes what is not undone yet. May be called twice. */
  restore(): void {
    const undo = this.#undo;
    this.#undo = undefined;
    if (undo !== undefined) this.#step(undo);
  }

  #do(what: Moves[number]): void {
    const { dir } = this.#shelf;
    const aside = join(this.#outside, `aside-${this.#count++}`);
    switch (what) {
      case 'remove':
        this.#step(() => rmSync(dir, { recursive: true, force: true }));
        this.#undo = () => mkdirSync(dir, { recursive: true });
        return;
      case 'rename':
        this.#step(() => renameSync(dir, aside));
        this.#undo = () => {
          // A writer may have made the folder anew.
          if (existsSync(dir)) renameSync(dir, `${aside}-new`);
          renameSync(aside, dir);
        };
        return;
      case 'swap':
        mkdirSync(aside);
        this.#step(() => {
          renameSync(dir, `${aside}-old`);
          renameSync(aside, dir);
        });
        this.#undo = () => {
          renameSync(dir, aside);
          renameSync(`${aside}-old`, dir);
        };
        return;
      case 'lock':
        this.#step(() => chmodSync(dir, 0));
        this.#undo = () => chmodSync(dir, 0o755);
        return;
      case 'tmpfs':
        this.#mount(['-t', 'tmpfs', 'tmpfs', dir]);
        return;
      case 'bind':
        mkdirSync(aside);
        this.#mount(['--bind', aside, dir]);
        return;
    }
  }

  #mount(args: readonly string[]): void {
    if (!this.#canMount) return;
    this.#step(() => void spawnSync('mount', args));
    this.#undo = () => void spawnSync('umount', ['-l', this.#shelf.dir]);
  }

  #step(step: () => void): void {
    this.#shelf.leaves(this.#shelf.dir);
    step();
    this.#shelf.look();
  }
}

/** Another file system appears over the folder: the folder itself does not change. */
export const MOUNTS = ['tmpfs', 'bind'] as const;
export const MOVES = ['remove', 'rename', 'swap', 'lock', ...MOUNTS] as const;
type Moves = readonly [(typeof MOVES)[number], ...(typeof MOVES)[number][]];
