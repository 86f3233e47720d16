import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { type Account, type ProfileEntry, readConfigFile } from './config.ts';
import { SyncError, messageOf } from './errors.ts';
import type { Paths } from './paths.ts';
import type { SettingKey } from './settings.ts';

/** What to change in a profile; `null` takes something away, what is absent stays. */
export interface ProfileChange {
  readonly settings?: Readonly<Partial<Record<SettingKey, string | null>>>;
  readonly account?: Account | null;
}

/**
 * Changes one profile in the configuration file; the others stay as they are. The file is replaced
 * as a whole, so that a reader sees the old one or the new one.
 *
 * @throws SyncError `CONFIG` if the file there cannot be read, `STORAGE` if it cannot be written.
 */
export async function changeProfile(
  paths: Paths,
  profile: string,
  change: ProfileChange,
): Promise<void> {
  const file = readConfigFile(paths.configFile);
  const before = file.profiles[profile] ?? { settings: {}, account: undefined };
  const settings = Object.fromEntries(
    Object.entries({ ...before.settings, ...change.settings }).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
  const account = change.account === undefined ? before.account : (change.account ?? undefined);
  const profiles = { ...file.profiles, [profile]: { settings, account } };
  await write(paths.configFile, profiles);
}

async function write(path: string, profiles: Record<string, ProfileEntry>): Promise<void> {
  const content = {
    profiles: Object.fromEntries(
      Object.entries(profiles).map(([name, { settings, account }]) => [
        name,
        account === undefined ? settings : { ...settings, account },
      ]),
    ),
  };
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFileAtomic(path, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  } catch (cause) {
    throw new SyncError('STORAGE', `${path} cannot be written: ${messageOf(cause)}`, { cause });
  }
}
