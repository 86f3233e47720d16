/* Registers as the daemon of a place and lives until it is killed. Arguments: state folder, folder. */
import { systemClock } from '../../../src/system/clock.ts';
import { daemonPlace } from '../../../src/daemon/place.ts';
import { registerDaemon } from '../../../src/daemon/registration.ts';

const [stateDir = '', folder = '', manner] = process.argv.slice(2);
void registerDaemon(
  daemonPlace(stateDir, 'default', [folder]),
  { profile: 'default', folders: [folder], kind: 'daemon', version: '1.2.3' },
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
