import { basename } from 'node:path';
import type { AppContext } from '../../app/context.ts';
import { knownAccount } from '../../app/ledger-account.ts';
import { type OpenLedger, openExistingLedger } from '../../app/ledger.ts';
import { type Config, isLoggedIn } from '../../config/config.ts';
import type { SurveyedDevice } from '../../devices/types.ts';
import { DeviceNames } from '../../watch/find/device-names.ts';

/**
 * Counts the recordings of each device that were not sent for the account in use. The ledger decides; no recording
 * is read, and no request is made.
 *
 * @returns undefined if this profile has no login
 */
export async function countUnsent(
  context: AppContext,
  config: Config,
  devices: readonly SurveyedDevice[],
): Promise<readonly number[] | undefined> {
  if (config.get('baseUrl') === undefined || !isLoggedIn(config)) return undefined;
  const { key } = await knownAccount(config);
  const ledger = openExistingLedger(config, key, context.clock);
  if (ledger === undefined) return devices.map(({ files }) => files.length);
  try {
    return ledger.known.reading(() => unsentOf(devices, ledger));
  } finally {
    ledger.close();
  }
}

/**
 * A file that is unchanged since it was read is known by the name of its device (`sync watch`), or by its
 * path (`sync upload`). The others are compared with what was sent, or holds no activity, by name and size,
 * over MTP by name alone: a device is often mounted at another place.
 */
function unsentOf(
  devices: readonly SurveyedDevice[],
  { known, uploads }: Pick<OpenLedger, 'known' | 'uploads'>,
): number[] {
  // Names over MTP, which tells no size; `SIZE/NAME` elsewhere.
  const settled = new Set(
    uploads.settledFiles().flatMap(({ path, size }) => {
      const name = basename(path);
      return [name, `${size}/${name}`];
    }),
  );
  return devices.map((device) => {
    const names = new DeviceNames();
    names.add(device);
    const unsent = device.files.filter(({ path, stamp }) => {
      const name = basename(path);
      if (stamp === undefined) return !settled.has(name);
      const before = known.find(names.of(path), stamp) ?? known.find(path, stamp);
      return before === undefined
        ? !settled.has(`${stamp.size}/${name}`)
        : before.verdict === 'activity' && before.upload?.state !== 'confirmed';
    });
    return unsent.length;
  });
}
