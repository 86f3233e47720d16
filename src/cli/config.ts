import { type Config, type Origin, parseSetting } from '../config/config.ts';
import { changeProfile } from '../config/config-write.ts';
import { ExitCode, SyncError } from '../base/errors.ts';
import { SETTINGS, type SettingKey, isSettingKey } from '../config/settings.ts';
import { type Invocation, configFor, pathsFor } from '../app/invocation.ts';

export function get(invocation: Invocation, key: string): Promise<ExitCode> {
  const config = configFor(invocation);
  const known = settingKey(key);
  const value = valueText(config, known);
  invocation.output.result({ type: 'setting', ...settingReport(config, known) }, value);
  return Promise.resolve(ExitCode.ok);
}

export async function set(invocation: Invocation, key: string, value: string): Promise<ExitCode> {
  const config = configFor(invocation);
  const known = settingKey(key);
  parseSetting(known, value, known);
  await changeProfile(config.paths, config.profile, { settings: { [known]: value } });
  tellChanged(invocation, known);
  return ExitCode.ok;
}

export async function unset(invocation: Invocation, key: string): Promise<ExitCode> {
  const config = configFor(invocation);
  const known = settingKey(key);
  await changeProfile(config.paths, config.profile, { settings: { [known]: null } });
  tellChanged(invocation, known);
  return ExitCode.ok;
}

export function list(invocation: Invocation): Promise<ExitCode> {
  const config = configFor(invocation);
  for (const key of Object.keys(SETTINGS).filter(isSettingKey)) {
    const { origin } = settingReport(config, key);
    const where = origin === 'default' ? '' : `   (${originWords(origin, key)})`;
    invocation.output.result(
      { type: 'setting', ...settingReport(config, key) },
      `${key.padEnd(20)} ${valueText(config, key) || '-'}${where}\n${' '.repeat(21)}${SETTINGS[key].about}`,
    );
  }
  return Promise.resolve(ExitCode.ok);
}

export function path(invocation: Invocation): Promise<ExitCode> {
  // Where the file is has to be told above all when it cannot be read.
  const { configFile, stateDir } = pathsFor(invocation);
  invocation.output.result({ type: 'paths', configFile, stateDir }, configFile);
  return Promise.resolve(ExitCode.ok);
}

/**
 * The setting as it is now, for programs. A change that the environment hides does nothing for now: say
 * so.
 */
function tellChanged(invocation: Invocation, key: SettingKey): void {
  const config = configFor(invocation);
  invocation.output.result({ type: 'setting', ...settingReport(config, key) });
  if (config.originOf(key) !== 'environment') return;
  invocation.output.warn(`${originWords('environment', key)} is set, and wins over this setting.`);
}

function settingReport(config: Config, key: SettingKey) {
  return {
    key,
    value: valueText(config, key) || null,
    origin: config.originOf(key),
    profile: config.profile,
  };
}

function valueText(config: Config, key: SettingKey): string {
  const value = config.get(key);
  if (value === undefined) return '';
  return Array.isArray(value) ? value.join(' ') : String(value);
}

function originWords(origin: Origin, key: SettingKey): string {
  const setting = SETTINGS[key];
  return origin === 'environment' && 'env' in setting ? setting.env : `set in the ${origin}`;
}

function settingKey(key: string): SettingKey {
  if (isSettingKey(key)) return key;
  throw new SyncError('USAGE', `There is no setting "${key}".`, {
    hint: `There are: ${Object.keys(SETTINGS).join(', ')}.`,
  });
}
