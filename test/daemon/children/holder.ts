/* Registers as a daemon and lives until it is killed. Arguments: state folder, folder. */
import { watcherPaths } from '../../../src/daemon/registry.ts';
import { registerWatcher } from '../../../src/daemon/registration.ts';
import { testContext } from '../../support/context.ts';

const [stateDir = '', folder = '', manner] = process.argv.slice(2);
void registerWatcher(
  { ...testContext(), platform: process.platform },
  watcherPaths(stateDir, 'default', { folders: [folder] }),
  { profile: 'default', folders: [folder], kind: 'daemon' },
).then((registration) => {
  registration.ready();
  const alive = setInterval(() => undefined, 60_000);
  process.on('SIGTERM', () => {
    if (manner === 'stubborn') return;
    if (manner !== 'hangs') clearInterval(alive);
    registration.end(0, 'asked');
  });
  process.stdout.write('registered\n');
});
