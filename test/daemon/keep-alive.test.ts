import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keepAlive } from '../../src/daemon/keep-alive.ts';
import { mountFuse, whyNoFuse } from '../support/fuse.ts';
import { scratchDir } from '../support/scratch-dir.ts';
import { manualClock } from '../watch/manual-clock.ts';
import { openWorld, stop, until, world } from '../watch/support.ts';

const why = process.platform === 'win32' ? 'systemd is a part of Linux' : undefined;
const noFuse = whyNoFuse();

/** Puts a `systemd-notify` on a PATH that records its calls. */
function recordNotifications() {
  const dir = scratchDir();
  const file = join(dir, 'calls');
  const script = `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >>'${file}'\n`;
  writeFileSync(file, '');
  writeFileSync(join(dir, 'systemd-notify'), script, { mode: 0o700 });
  const env = {
    PATH: `${dir}:${process.env['PATH'] ?? ''}`,
    NOTIFY_SOCKET: '/run/user/1000/systemd/notify',
  };
  const calls = () =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  return { env, calls };
}

const CALL = '/run/user/1000/systemd/notify --ready WATCHDOG=1';

it.skipIf(why !== undefined)(
  'notifies systemd at most once a minute, and not outside of a service that notifies',
  async () => {
    const { env, calls } = recordNotifications();
    const clock = manualClock();
    const alive = keepAlive(clock, env);
    const without = keepAlive(clock, { PATH: env.PATH });
    for (let second = 0; second <= 125; second++) {
      alive();
      without();
      await clock.advance(1_000);
    }
    await until(() => calls().length >= 3);
    expect(calls()).toEqual([CALL, CALL, CALL]);
  },
);

it.skipIf(why !== undefined)('runs without the tool of systemd', () => {
  keepAlive(manualClock(), { PATH: scratchDir(), NOTIFY_SOCKET: '/nothing' })();
});

it.skipIf(why !== undefined)(
  "notifies systemd once when it starts, and keeps systemd's socket from the command of onEvent",
  async () => {
    const { env, calls } = recordNotifications();
    await openWorld();
    mkdirSync(world.folder);
    const socket = join(world.home.dir, 'socket');
    const command = `echo "\${NOTIFY_SOCKET-none}" >>'${socket}'`;
    await world.sync(['config', 'set', 'onEvent', command]);
    for (const kind of ['systemd', 'daemon']) {
      writeFileSync(socket, '');
      const watcher = world.start(['watch', world.folder, '--background', kind], { env });
      // `started` and `ready`.
      await until(() => readFileSync(socket, 'utf8').startsWith('none\nnone\n'));
      expect(await stop(watcher)).toBe(0);
    }
    expect(calls()).toEqual([CALL]);
  },
);

it.skipIf(noFuse !== undefined)(
  `notifies systemd before it looks at a folder that hangs${noFuse === undefined ? '' : ` (skipped: ${noFuse})`}`,
  async () => {
    const { env, calls } = recordNotifications();
    await openWorld();
    const source = scratchDir();
    const mount = await mountFuse(source, world.folder);
    mount.hang();
    world.start(['watch', world.folder, '--background', 'systemd'], { env });
    await until(() => calls().length > 0);
    expect(calls()).toEqual([CALL]);
    mount.answer();
  },
);
