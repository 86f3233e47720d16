import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../src/seed/random.ts';
import { type World, loginWithToken } from '../../support/world.ts';
import type { Round } from '../kind.ts';

/** Faults of the service that pass: none of them is about a recording. */
const FAULTS = [
  'upload-fit:503*3',
  'upload-fit:429(retry-after=2)*2',
  'upload-fit:502*6',
  'upload-fit:html*2',
  'upload-fit:reset*4',
  'upload-fit:reset-after*2',
  'upload-fit:reset-mid',
  'upload-fit:close-mid*2',
  'upload-fit:truncate',
  'upload-fit:delay=3s*4',
  'upload-fit:delay=9s*2',
  'upload-fit:hang*3',
  'upload-fit:hang*9',
  'upload-fit:hang-after*3',
  'upload-fit:401',
  'refresh:503*2',
] as const;

/** Faults that occupy both uploads of a watcher for a minute, while recordings come and go. */
const HANGS = ['upload-fit:hang*9', 'upload-fit:hang-after*9'] as const;

/** Lets the service fail, vanish and end the login, again and again. It leaves it in order. */
export async function troubleService(
  random: Random,
  world: World,
  round: Pick<Round, 'count' | 'note'>,
  until: () => boolean,
): Promise<void> {
  for (let isFirst = true; !until(); isFirst = false) {
    await sleep(random.integer(500, 8_000));
    const kind = random.pick(['fault', 'fault', 'fault', 'offline', 'login'] as const);
    const what = isFirst ? 'fault' : kind;
    const fault = random.pick(isFirst ? HANGS : FAULTS);
    const pauseMs = random.integer(500, 10_000) + (isFirst ? 5_000 : 0);
    if (until()) break;
    round.note(`service: ${what === 'fault' ? fault : what} for ${pauseMs} ms`);
    round.count('service faults');
    switch (what) {
      case 'fault':
        world.sandbox.control.addFaults(fault);
        await sleep(pauseMs);
        world.sandbox.control.clearFaults();
        break;
      case 'offline':
        await world.stopService();
        await sleep(pauseMs);
        await world.startService();
        break;
      case 'login':
        world.sandbox.control.revoke();
        await sleep(pauseMs);
        await loginWithToken(world, {}, ['--same-athlete']);
        break;
    }
  }
}
