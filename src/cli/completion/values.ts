import { pathsFor } from '../../app/config.ts';
import type { AppContext } from '../../app/context.ts';
import { printable } from '../../base/printable.ts';
import { zoneNames } from '../../base/zone-name.ts';
import { readConfigFile } from '../../config/config.ts';
import { PLATFORMS } from '../../config/platforms.ts';
import { SETTINGS, isSettingKey } from '../../config/settings.ts';
import { SOURCES } from '../../records/sources/all.ts';

/** A word that a shell offers, with its meaning for shells that show one. */
export interface Word {
  readonly word: string;
  readonly about?: string | undefined;
}

export interface Values {
  readonly words: readonly Word[];
  /** Files (with the folders that lead to them), or folders alone. */
  readonly paths?: 'files' | 'folders';
}

/** What a value may depend on: the last argument before it, such as the key of a setting. */
type Ask = (context: AppContext, before: string) => Values;

/** By the placeholder of the value: `<dir>`, `[dir...]`, `<file|date>`. */
const BY_PLACEHOLDER: Readonly<Record<string, Ask>> = {
  path: () => ({ words: [], paths: 'files' }),
  file: () => ({ words: [], paths: 'files' }),
  dir: () => ({ words: [], paths: 'folders' }),
  date: () => ({
    words: [
      { word: 'today', about: 'this day' },
      { word: 'yesterday', about: 'the day before' },
      { word: '7d', about: 'seven days back' },
    ],
  }),
  platform: () => ({ words: PLATFORMS.map(({ name, title }) => ({ word: name, about: title })) }),
  profile: (context) => ({ words: profiles(context) }),
  zone: () => ({ words: zones() }),
  key: () => ({ words: Object.entries(SETTINGS).map(([word, { about }]) => ({ word, about })) }),
  value: (_context, key) => ({ words: settingValues(key) }),
  source: () => ({ words: SOURCES.map(({ name, title }) => ({ word: name, about: title })) }),
};

/** Returns what a shell offers for a placeholder: nothing if any text will do. */
export function valuesOf(placeholder: string, context: AppContext, before: string): Values {
  const kinds = placeholder
    .split('|')
    .flatMap((kind) => BY_PLACEHOLDER[kind]?.(context, before) ?? []);
  return Object.assign({}, ...kinds, { words: kinds.flatMap(({ words }) => words) }) as Values;
}

function profiles(context: AppContext): Word[] {
  const found = readConfigFile(pathsFor(context).configFile).profiles;
  return Object.keys(found).map((word) => {
    try {
      const athlete = found[word]?.account?.name;
      return { word, about: athlete === undefined ? undefined : printable(athlete) };
    } catch {
      // It has a fault, which the command reports that uses this profile.
      return { word };
    }
  });
}

function zones(): Word[] {
  return zoneNames().map((word) => ({ word }));
}

/** Returns the values of a setting, if it has few, or the zones. */
function settingValues(key: string): readonly Word[] {
  if (key === 'timezone') return zones();
  if (!isSettingKey(key)) return [];
  const setting = SETTINGS[key];
  const values = 'values' in setting ? setting.values : {};
  return Object.entries(values).map(([word, about]) => ({ word, about }));
}
