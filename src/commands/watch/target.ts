import { targetsOf } from '../../app/ledger.ts';
import type { Outbox } from '../../watch/send/outbox.ts';
import type { WatcherTarget } from '../../watch/watcher.ts';
import type { OpenLogin, WatchSetup } from './login.ts';

/** Returns a login and its ledger as a watcher takes them. */
export function watcherTarget(
  setup: Pick<WatchSetup, 'appVersion' | 'filesystemType' | 'recursiveEvents' | 'mtp' | 'wellness'>,
  opened: OpenLogin,
  outbox: Outbox,
) {
  const { ledger, marks, delivers, zone } = opened;
  const { appVersion, filesystemType, recursiveEvents, mtp } = setup;
  const wellness = { records: ledger.records, zone, url: () => opened.url('wellness') };
  return {
    ...targetsOf(appVersion, opened, ledger).upload,
    ...{ filesystemType, recursiveEvents, mtp, marks, outbox, delivers },
    ledger: ledger.uploads,
    wellness: setup.wellness ? wellness : undefined,
  } satisfies Partial<WatcherTarget>;
}
