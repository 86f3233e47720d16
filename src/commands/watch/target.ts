import type { Outbox } from '../../watch/send/outbox.ts';
import type { WatcherTarget } from '../../watch/watcher.ts';
import type { OpenLogin, WatchSetup } from './login.ts';

/** Returns a login and its ledger as a watcher takes them. */
export function watcherTarget(
  setup: Pick<WatchSetup, 'appVersion' | 'filesystemType' | 'recursiveEvents' | 'mtp' | 'wellness'>,
  opened: OpenLogin,
  outbox: Outbox,
) {
  const { ledger, marks, delivers, client, uploadUrl, zone, wellnessUrl } = opened;
  const { appVersion, filesystemType, recursiveEvents, mtp } = setup;
  const wellness = { records: ledger.records, zone, url: wellnessUrl };
  return {
    ...{ appVersion, filesystemType, recursiveEvents, mtp },
    ...{ marks, outbox, delivers, client, uploadUrl },
    ledger: ledger.uploads,
    known: ledger.known,
    wellness: setup.wellness ? wellness : undefined,
  } satisfies Partial<WatcherTarget>;
}
