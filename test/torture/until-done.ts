import { join } from 'node:path';
import { readHealth } from '../daemon/support.ts';
import type { Running } from '../support/program.ts';
import { until } from '../support/until.ts';
import type { World } from '../support/world.ts';
import { onlyLooks } from './judge.ts';
import type { Round } from './kind.ts';
import { judgePlatform, judgeRun } from './sent.ts';
import { type Sending, undisturbed } from './sending.ts';

/** Runs of the same command that may be necessary after a disturbance. */
const RUNS = 4;

/**
 * Runs a command until it reports that all is done, then compares the platform with what was sent. The
 * command once more must then send nothing.
 */
export async function finish(round: Round, world: World, sending: Sending): Promise<void> {
  const { args, sent } = sending;
  const json = [...args, '--json'];
  let code: number | null = null;
  for (let run = 1; run <= RUNS && code !== 0; run++) {
    const finished = await world.program(json);
    judgeRun(round, world.sandbox, sent, json, finished);
    code = finished.code;
  }
  if (code !== 0) round.failed('wrong report', `${args.join(' ')} never ended with 0`);
  judgePlatform(round, world.sandbox, sent);
  await expectNothingToSend(round, world, sending);
}

async function expectNothingToSend(round: Round, world: World, { args, sent }: Sending) {
  // An update of the profile is sent again; it has no ledger.
  if (sent.profile !== undefined) return;
  const { control } = world.sandbox;
  const after = control.requestCount();
  const again = await undisturbed(world).sync([...args, '--json']);
  judgeRun(round, world.sandbox, sent, args, again);
  const requests = control.requests({ after }).filter((request) => !onlyLooks(request));
  if (again.code !== 0 || requests.length > 0) {
    const routes = requests.map(({ route, status }) => `${String(route)} ${String(status)}`);
    const what = `again: exit code ${String(again.code)}, requests: ${routes.join(', ')}`;
    round.failed('wrong report', `${args.join(' ')} ${what}`);
  }
}

/** Waits until the platform holds this number of recordings. The judge reports what is missing. */
export async function untilHeld({ sandbox }: World, count: number): Promise<void> {
  const held = () => sandbox.control.state('athlete-1').athletes[0]?.recordings.length ?? 0;
  await until(() => held() === count).catch(() => undefined);
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
