import { basename } from 'node:path';
import type { AppContext } from '../../app/context.ts';
import { knownAccount } from '../../app/ledger-account.ts';
import { type OpenLedger, openExistingLedger } from '../../app/ledger.ts';
import { type Config, isLoggedIn } from '../../config/config.ts';
import type { SurveyedDevice } from '../../devices/types.ts';
import type { FileStamp } from '../../ledger/known-files.ts';
import { DeviceNames } from '../../watch/find/device-names.ts';

/** Returns how many recordings of a device were not sent for the account in use. */
export type CountUnsent = (device: SurveyedDevice) => number;

/**
 * Runs a task that counts unsent files. The ledger decides; no recording is read, and no request is
 * made. The count is undefined if this profile has no login.
 */
export async function withUnsent<T>(
  context: AppContext,
  config: Config,
  task: (count: CountUnsent | undefined) => T,
): Promise<T> {
  if (config.get('baseUrl') === undefined || !isLoggedIn(config)) return task(undefined);
  const { key } = await knownAccount(config);
  const ledger = openExistingLedger(config, key, context.clock);
  try {
    return task(ledger === undefined ? ({ files }) => files.length : counterOf(ledger));
  } finally {
    ledger?.close();
  }
}

/**
 * A file that is unchanged since it was read is known by the name of its device (`sync watch`), or by its
 * path (`sync upload`). The others are compared with what was sent, or holds no activity, by name and size,
 * over MTP by name alone: a device is often mounted at another place.
 */
function counterOf({ known, uploads }: Pick<OpenLedger, 'known' | 'uploads'>): CountUnsent {
  /** Names over MTP, which tells no size; `SIZE/NAME` elsewhere. */
  let settled: ReadonlySet<string> | undefined;
  return (device) => {
    const names = new DeviceNames();
    names.add(device);
    const findKnown = (path: string, stamp: FileStamp) =>
      known.find(names.of(path), stamp) ?? known.find(path, stamp);
    return known.reading(
      () =>
        device.files.filter(({ path, stamp }) => {
          const before = stamp === undefined ? undefined : findKnown(path, stamp);
          if (before !== undefined) {
            return before.verdict === 'activity' && before.upload?.state !== 'confirmed';
          }
          settled ??= new Set(
            uploads.settledFiles().flatMap((file) => {
              const name = basename(file.path);
              return [name, `${file.size}/${name}`];
            }),
          );
          const name = basename(path);
          return !settled.has(stamp === undefined ? name : `${stamp.size}/${name}`);
        }).length,
    );
  };
}
