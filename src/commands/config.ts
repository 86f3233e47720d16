import { type Text, phrase, withProgramName } from '../base/phrase.ts';
import type { CommandModule } from '../app/command.ts';
import { configFor, pathsFor } from '../app/config.ts';
import type { AppContext } from '../app/context.ts';
import { refuseUnknownProfile } from '../app/profiles.ts';
import { ExitCode, SyncError } from '../base/errors.ts';
import { mostSimilar } from '../base/similar.ts';
import { type Config, settingsOfAnother } from '../config/config.ts';
import { changeProfile } from '../config/config-write.ts';
import { askedScopes } from '../config/platforms.ts';
import { SETTINGS, type SettingKey, isSettingKey, parseSetting } from '../config/settings.ts';

export const get: CommandModule = {
  declare: (command) => command.argument('<key>', 'a key of `sync config list`'),
  examples: ['sync config get timezone'],
  documents: ['settings.md'],

  run(context, key: string) {
    const config = configFor(context);
    const known = settingKey(key);
    context.output.result(settingJson(config, known), valueText(config, known));
    return Promise.resolve(ExitCode.ok);
  },
};

export const set: CommandModule = {
  declare: (command) =>
    command.argument('<key>', 'one of the keys below').argument('<value>', 'its new value'),
  sections: [
    {
      heading: 'Keys:',
      terms: Object.fromEntries(Object.entries(SETTINGS).map(([key, { about }]) => [key, about])),
    },
  ],
  examples: [
    'sync config set timezone Europe/Berlin',
    'sync config set tokenStore file --profile work',
  ],
  documents: ['settings.md'],

  run: (context, key: string, value: string) => change(context, key, value),
};

export const unset: CommandModule = {
  declare: (command) => command.argument('<key>', 'a key of `sync config list`'),
  examples: ['sync config unset timezone'],
  documents: ['settings.md'],

  run(context, key: string) {
    refuseUnknownProfile(context, configFor(context).profile);
    return change(context, key, null);
  },
};

export const list: CommandModule = {
  examples: ['sync config list', 'sync config list --json'],
  documents: ['settings.md'],

  run(context) {
    const config = configFor(context);
    context.output.summarise();
    const fault = config.system?.fault;
    for (const key of Object.keys(SETTINGS).filter(isSettingKey)) {
      if (!isKnown(config, key)) continue;
      // Few platforms need other paths: people see a path only if it is set.
      const isUsual = key.startsWith('endpoint.') && config.originOf(key) === 'default';
      context.output.result(settingJson(config, key), isUsual ? undefined : line(config, key));
    }
    if (fault !== undefined) throw fault;
    return Promise.resolve(ExitCode.ok);
  },
};

/** Prints the path of the configuration file, also if that cannot be read. */
export const path: CommandModule = {
  examples: ['sync config path'],

  run(context) {
    const { configFile, stateDir } = pathsFor(context);
    const { systemConfigFile: systemFile } = context;
    context.output.result({ type: 'paths', configFile, systemFile, stateDir }, configFile);
    return Promise.resolve(ExitCode.ok);
  },
};

/** A fault of the system's file hides only the settings that it may hold. */
function isKnown(config: Config, key: SettingKey): boolean {
  try {
    config.originOf(key);
    return true;
  } catch (error) {
    if (error === config.system?.fault) return false;
    throw error;
  }
}

function line(config: Config, key: SettingKey): Text {
  const origin = config.originOf(key);
  const where = origin === 'default' ? '' : `   (${originText(config, key)})`;
  return phrase`${key.padEnd(20)} ${valueText(config, key) || '-'}${where}\n${' '.repeat(21)}${withProgramName(SETTINGS[key].about)}`;
}

function settingKey(key: string): SettingKey {
  if (isSettingKey(key)) return key;
  const meant = mostSimilar(key, Object.keys(SETTINGS));
  throw new SyncError('USAGE', `Unknown setting "${key}".`, {
    hint:
      meant === undefined
        ? `Settings: ${Object.keys(SETTINGS).join(', ')}.`
        : `Did you mean ${meant}?`,
  });
}

/** Changes a setting, and prints it as JSON. Warns if a variable of the environment overrides it. */
async function change(context: AppContext, given: string, value: string | null): Promise<ExitCode> {
  const { paths, profile, saved } = configFor(context);
  const key = settingKey(given);
  if (key !== 'prefer' && value !== null) parseSetting(key, value, key);
  if (key === 'prefer' && value !== null) {
    // The sources list the programs that the setting may name.
    const [{ rankBy }, { SOURCES }] = await Promise.all([
      import('../records/prefer.ts'),
      import('../records/sources/all.ts'),
    ]);
    rankBy(parseSetting(key, value, key), SOURCES);
  }
  const foreign =
    key === 'baseUrl' ? settingsOfAnother(saved, value === null ? undefined : new URL(value)) : [];
  const removed = Object.fromEntries(foreign.map((each) => [each, null]));
  await changeProfile(paths, profile, { settings: { ...removed, [key]: value } });
  const config = configFor(context);
  context.output.result(settingJson(config, key));
  if (foreign.length > 0) {
    context.warn(`Set for ${saved.baseUrl ?? ''}, so removed: ${foreign.join(', ')}.`);
  }
  if (settingsOfAnother(config.saved, config.get('baseUrl')).includes(key)) {
    context.warn('SYNC_BASE_URL names another platform than this profile: not used there.');
  }
  if (config.originOf(key) === 'environment') {
    context.warn(`${originText(config, key)} is set, and overrides this setting.`);
  }
  return ExitCode.ok;
}

function settingJson(config: Config, key: SettingKey): Record<string, unknown> {
  return {
    type: 'setting',
    key,
    value: valueText(config, key) || null,
    origin: config.originOf(key),
    profile: config.profile,
  };
}

function valueText(config: Config, key: SettingKey): string {
  if (key === 'watch' || key === 'ignoreDevices') return config.get(key)?.join(', ') ?? '';
  const value = key === 'scope' ? askedScopes(config) : config.get(key);
  if (value === undefined) return '';
  return Array.isArray(value) ? value.join(' ') : String(value);
}

function originText(config: Config, key: SettingKey): string {
  const origin = config.originOf(key);
  if (origin === 'system') return `set in ${config.system?.path ?? ''}`;
  const { env } = SETTINGS[key];
  return origin === 'environment' && env !== undefined ? env : `set in the ${origin}`;
}
