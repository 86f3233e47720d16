/* Registers as a daemon and lives until it is killed. Arguments: state folder, folder. */
import { systemClock } from '../../../src/system/clock.ts';
import { watcherPaths } from '../../../src/daemon/registry.ts';
import { registerWatcher } from '../../../src/daemon/registration.ts';

const [stateDir = '', folder = '', manner] = process.argv.slice(2);
void registerWatcher(
  watcherPaths(stateDir, 'default', [folder]),
  { profile: 'default', folders: [folder], kind: 'daemon', appVersion: '1.2.3' },
  { clock: systemClock, signal: new AbortController().signal, platform: process.platform },
).then((registration) => {
  registration.ready();
  const alive = setInterval(() => undefined, 60_000);
  process.on('SIGTERM', () => {
    if (manner === 'stubborn') return;
    if (manner !== 'hangs') clearInterval(alive);
    registration.end(0);
  });
  process.stdout.write('registered\n');
});
