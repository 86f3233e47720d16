import { lstatSync } from 'node:fs';
import { SyncError, attempt } from '../base/errors.ts';
import { shellWord } from '../base/printable.ts';
import { type TrustOptions, findDistrust } from '../system/folder-trust.ts';
import { asObject, readJsonFile } from './json-file.ts';
import { SETTINGS, type SettingKey, isSettingKey, parseSetting } from './settings.ts';

/** What an operator sets for all users of this machine; see docs/operators.md. */
export interface SystemFile {
  readonly path: string;
  readonly settings: Readonly<Partial<Record<SettingKey, string>>>;
  readonly fault: SyncError | undefined;
}

const HINT = 'Ask the administrator of this machine to fix it.';

const SECRET = /secret|password|token$/i;

/**
 * Reads the system's configuration file. A missing file is empty. If it is damaged, or if another user than
 * root can change it, it has a `fault` and no settings: the commands that need none still run.
 *
 * @param trust says who may change the file
 */
export function readSystemFile(path: string, trust: TrustOptions): SystemFile {
  try {
    return { path, settings: settingsIn(path, trust), fault: undefined };
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    const { message, hint = HINT, cause } = error;
    return { path, settings: {}, fault: new SyncError('CONFIG', message, { hint, cause }) };
  }
}

function settingsIn(path: string, trust: TrustOptions): SystemFile['settings'] {
  if (isMissing(path)) return {};
  const distrust = findDistrust(path, trust);
  if (distrust !== undefined) {
    throw new SyncError('CONFIG', `${path} is not used: ${distrust.path} ${distrust.reason}.`, {
      hint: `Only root may change it: \`sudo chown root ${shellWord(distrust.path)} && sudo chmod go-w ${shellWord(distrust.path)}\`.`,
    });
  }
  const file = readJsonFile(path, HINT);
  if (file === undefined) return {};
  const settings: Partial<Record<SettingKey, string>> = {};
  for (const [key, value] of Object.entries(asObject(file.value, path))) {
    const where = `${path}, line ${lineOf(key, file.text)}`;
    settings[presetKey(key, where)] = textOf(value, `${where}: ${key}`);
  }
  for (const [key, text] of Object.entries(settings) as [SettingKey, string][]) {
    parseSetting(key, text, `${path}, line ${lineOf(key, file.text)}: ${key}`);
  }
  return settings;
}

/** A folder that this user may not search is not missing: reading the file reports that. */
function isMissing(path: string): boolean {
  return attempt(() => lstatSync(path, { throwIfNoEntry: false }) === undefined) ?? false;
}

function presetKey(key: string, where: string): SettingKey {
  if (isSettingKey(key) && SETTINGS[key].preset === true) return key;
  if (!isSettingKey(key) && SECRET.test(key)) {
    throw new SyncError(
      'CONFIG',
      `${where}: "${key}" would be a secret that every user can read.`,
      {
        hint: 'Remove it. A service that needs a client secret gets it from each user: `SYNC_CLIENT_SECRET`.',
      },
    );
  }
  const about = isSettingKey(key) ? `each user sets "${key}"` : `there is no setting "${key}"`;
  throw new SyncError('CONFIG', `${where}: ${about}.`, {
    hint: `This file holds ${presetKeys().join(', ')}.`,
  });
}

export function presetKeys(): readonly SettingKey[] {
  return Object.keys(SETTINGS)
    .filter(isSettingKey)
    .filter((key) => SETTINGS[key].preset === true);
}

function textOf(value: unknown, where: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw new SyncError('CONFIG', `${where} is not a text in quotes.`);
}

/** Returns the line of a member in a JSON text, from 1; its first line if the key is escaped there. */
function lineOf(key: string, text: string): number {
  const at = text.indexOf(JSON.stringify(key));
  return text.slice(0, Math.max(at, 0)).split('\n').length;
}
