import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../src/seed/random.ts';
import { type Running, ndjson } from '../../support/program.ts';
import { NEVER_MS } from '../../support/until.ts';
import type { World } from '../../support/world.ts';
import { type Findings, judgeOutput } from '../judge.ts';
import type { Round } from '../kind.ts';
import type { Shelf } from './shelf.ts';

/** Keeps a watcher of one folder running, in its way: it also ends, kills and stops it. */
export class Keeper {
  readonly #world: World;
  readonly #shelf: Shelf;
  readonly #flags: readonly string[];
  readonly #round: Findings & Pick<Round, 'count'>;
  readonly #started: Running[] = [];
  #running: Running | undefined;

  constructor(
    world: World,
    shelf: Shelf,
    flags: readonly string[],
    round: Findings & Pick<Round, 'count'>,
  ) {
    this.#world = world;
    this.#shelf = shelf;
    this.#flags = flags;
    this.#round = round;
  }

  async start(): Promise<void> {
    this.#round.count('watchers');
    const running = this.#world.start(['watch', this.#shelf.dir, '--json', ...this.#flags]);
    // Judged at the end.
    running.finished.catch(() => undefined);
    this.#started.push(running);
    this.#running = running;
    if (!(await isReady(running)))
      this.#round.failed('hang', `no watcher is ready: ${text(running)}`);
    this.#shelf.watched();
  }

  /** Ends the watcher as Ctrl-C does; it has to exit with 0. */
  async stop(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    this.#shelf.unwatched();
    running.child.kill('SIGTERM');
    const ended = await Promise.race([
      running.finished.catch(() => undefined),
      sleep(NEVER_MS, 'too late' as const),
    ]);
    if (ended === 'too late')
      this.#round.failed('hang', `SIGTERM did not end it: ${text(running)}`);
    // The watchdog kills a process that does not react to a signal for seconds, as on a busy machine.
    else if (ended?.code === null) this.#round.count('ends by the watchdog');
    else if (ended !== undefined && ended.code !== 0) {
      this.#round.failed('wrong report', `ended with ${String(ended.code)}: ${text(running)}`);
    }
    this.#running = undefined;
  }

  async #kill(): Promise<void> {
    this.#shelf.unwatched();
    this.#running?.child.kill('SIGKILL');
    await this.#running?.finished.catch(() => undefined);
    this.#running = undefined;
    this.#round.count('kills');
  }

  /** Disturbs the watcher a few times. @param mayKill otherwise it is left in peace */
  async disturb(random: Random, mayKill: boolean, until: () => boolean): Promise<void> {
    while (!until()) {
      await sleep(random.integer(1_000, 8_000));
      const what = random.pick(['kill', 'restart', 'freeze', 'second'] as const);
      const pauseMs = random.integer(0, 4_000);
      if (!mayKill || until()) continue;
      if (what === 'second') {
        await this.#startSecond();
      } else if (what === 'freeze') {
        this.#shelf.unwatched();
        this.#running?.child.kill('SIGSTOP');
        await sleep(pauseMs);
        this.#running?.child.kill('SIGCONT');
        this.#shelf.watched();
        this.#round.count('freezes');
      } else {
        await (what === 'kill' ? this.#kill() : this.stop());
        await sleep(pauseMs);
        await this.start();
      }
    }
  }

  /** A second watcher of the folder is refused. */
  async #startSecond(): Promise<void> {
    const { code } = await this.#world.start(['watch', this.#shelf.dir]).finished;
    if (code !== 2)
      this.#round.failed('wrong report', `a second watcher ended with ${String(code)}`);
  }

  /** Returns the recordings that its watchers named so far, by hash. */
  named(): ReadonlySet<string> {
    const all = this.#started.map((running) => running.stdout()).join('');
    return new Set(Array.from(all.matchAll(/"sha256":"(\w+)"/g), ([, hash = '']) => hash));
  }

  /** Judges all watchers' output. @returns the lines of all of them */
  async lines(): Promise<Record<string, unknown>[]> {
    const lines: Record<string, unknown>[] = [];
    for (const running of this.#started) {
      // A killed process may leave half a line.
      const isWhole = running.child.signalCode !== 'SIGKILL';
      try {
        judgeOutput(this.#round, 'watch --json', await running.finished);
      } catch (error) {
        if (isWhole) this.#round.failed('wrong report', String(error));
      }
      const text = running.stdout();
      lines.push(...ndjson(isWhole ? text : text.slice(0, text.lastIndexOf('\n') + 1)));
    }
    return lines;
  }

  log(): string {
    return this.#started.map((running, i) => `watcher ${i}: ${text(running)}`).join('\n');
  }
}

/** On a busy machine, a watcher that finds hundreds of recordings is ready late: its lines show that it works. */
async function isReady(running: Running): Promise<boolean> {
  const ready = running.waitFor(/"event":"ready"/).then(
    () => true,
    () => false,
  );
  for (let seen = -1; text(running).length > seen;) {
    seen = text(running).length;
    const isFirst = await Promise.race([ready, sleep(NEVER_MS)]);
    if (isFirst !== undefined) return isFirst;
  }
  return false;
}

function text(running: Running): string {
  return `${running.stdout()}${running.stderr()}`;
}
