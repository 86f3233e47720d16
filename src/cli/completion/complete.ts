import { Argument } from 'commander';
import type { CommandModule } from '../../app/command.ts';
import { pathsFor } from '../../app/config.ts';
import type { AppContext } from '../../app/context.ts';
import { ExitCode } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { zoneNames } from '../../base/zone-name.ts';
import { readConfigFile } from '../../config/config.ts';
import { SETTINGS, isSettingKey } from '../../config/settings.ts';

/**
 * The hidden command that completion scripts call: prints a list, each line a word, perhaps with a tab
 * and its meaning. It only reads, and starts as fast as the program can.
 */
export const complete: CommandModule = {
  declare: (command) =>
    command
      .addArgument(new Argument('<list>').choices(LISTS))
      .argument('[before]', 'the word before the one to complete'),

  run(context, list: CompletionList, before: string | undefined) {
    for (const line of LINES[list](context, before ?? '')) context.io.out(line);
    return Promise.resolve(ExitCode.ok);
  },
};

const LINES: Readonly<
  Record<CompletionList, (context: AppContext, before: string) => readonly string[]>
> = {
  profiles: profileLines,
  zones: zoneNames,
  'setting-values': (_context, key) => settingLines(key),
};

function profileLines(context: AppContext): string[] {
  const { profiles } = readConfigFile(pathsFor(context).configFile);
  return Object.keys(profiles).map((name) => {
    try {
      const athlete = profiles[name]?.account?.name;
      return athlete === undefined ? name : `${name}\t${printable(athlete)}`;
    } catch {
      // It has a fault, which the command reports that uses this profile.
      return name;
    }
  });
}

/** Returns the values of a setting, if it has few, or the zones. */
function settingLines(key: string): readonly string[] {
  if (key === 'timezone') return zoneNames();
  if (!isSettingKey(key)) return [];
  const setting = SETTINGS[key];
  const values = 'values' in setting ? setting.values : {};
  return Object.entries(values).map(([word, about]) => `${word}\t${about}`);
}

/** Lists that change, so that completion scripts ask the program: `sync complete LIST`. */
export const LISTS = ['profiles', 'zones', 'setting-values'] as const;
export type CompletionList = (typeof LISTS)[number];
