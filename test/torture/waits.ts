import { join } from 'node:path';
import { readHealth } from '../daemon/support.ts';
import type { Running } from '../support/program.ts';
import { DatabaseSync } from '../support/sqlite.ts';
import { until } from '../support/until.ts';
import type { World } from '../support/world.ts';

/** Waits until the platform holds this number of recordings. The judge reports what is missing. */
export async function untilHeld({ sandbox }: World, count: number): Promise<void> {
  const held = () => sandbox.control.state('athlete-1').athletes[0]?.recordings.length ?? 0;
  await until(() => held() === count).catch(() => undefined);
}

/**
 * Waits until the ledger has this number of confirmed recordings. The platform may hold more: those of a process that was
 * killed before the answer. The judge reports what is missing.
 */
export async function untilConfirmed({ home }: World, count: number): Promise<void> {
  const confirmed = () => {
    const ledger = new DatabaseSync(join(home.dir, 'state', 'ledger.db'), { readOnly: true });
    const query = "SELECT count(*) AS n FROM uploads WHERE state = 'confirmed'";
    const { n } = ledger.prepare(query).get() as { readonly n: number };
    ledger.close();
    return n;
  };
  await until(() => confirmed() === count).catch(() => undefined);
}

/** Waits for an upload after the first `before` ones: by default the next one. */
export async function untilSending(world: World, before = uploadsTo(world)): Promise<void> {
  await until(() => uploadsTo(world) > before);
}

function uploadsTo({ sandbox }: World): number {
  return sandbox.control.requests({ route: 'upload-fit' }).length;
}

/** Waits until the only watcher holds copies of this number of recordings. */
export async function untilCopied({ home }: World, count: number): Promise<void> {
  const health = () => readHealth(join(home.dir, 'state'), Date.now())[0];
  await until(() => health()?.queue.kept === count);
}

/** Waits until a watcher with `--json` has reported copies of this number of recordings. */
export async function untilKept(watcher: Running, count: number): Promise<void> {
  await until(() => watcher.stdout().split('"event":"kept"').length > count);
}
