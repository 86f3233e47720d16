import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { ageText } from '../auth/login-ages.ts';
import { type Config, requireBaseUrl } from '../config/config.ts';
import { hasEnvironmentTokens } from '../credentials/environment.ts';
import { openStore } from '../credentials/open-store.ts';
import { ExitCode, SyncError, messageOf } from '../base/errors.ts';
import { type Text, joinTexts, phrase, sync } from '../base/phrase.ts';
import { isUtc } from '../base/zone-name.ts';
import { isExecutable, isOwnLauncher } from '../system/executables.ts';
import { findDistrust } from '../system/folder-trust.ts';
import { openDatabase } from '../ledger/database.ts';
import { endpointUrl } from '../config/endpoints.ts';
import type { Http } from '../api/http.ts';
import type { CommandModule } from '../app/command.ts';
import { ledgerPath, quietConfigFor } from '../app/config.ts';
import type { AppContext } from '../app/context.ts';
import { withUntracedHttp } from '../app/with-http.ts';
import { releasedBy } from '../records/zones/newest.ts';
import { platformZone, sameClocks } from '../app/platform-zone.ts';
import { zoneDataOf, zoneFor } from '../app/zone.ts';
import { askAboutLogin, loginState } from './status/login.ts';

/** Checks the parts of this machine and of the service that the commands rely on. */
export const doctor: CommandModule = {
  examples: ['sync doctor', 'sync doctor --json'],

  run: (context) => withUntracedHttp(context, (http) => examine(context, http)),
};

/** The result of one check. `bad`: something does not work; `odd`: something may fail later. */
interface Finding {
  readonly check:
    | 'config'
    | 'zone'
    | 'zone-data'
    | 'folders'
    | 'state'
    | 'keychain'
    | 'service'
    | 'clock'
    | 'login'
    | 'watch'
    | 'name';
  readonly state: 'good' | 'odd' | 'bad';
  readonly message: Text;
  /** How to fix it. */
  readonly hint?: Text;
}

const MARKS = { good: 'ok  ', odd: 'note', bad: 'BAD ' } as const;

function findingText({ state, message, hint }: Finding): Text {
  const lines: Text[] = [phrase`${MARKS[state]}  ${message}`];
  if (hint !== undefined) lines.push(phrase`      ${hint}`);
  return joinTexts(lines, '\n');
}

/** Largest harmless clock error (ms): beyond it, token lifetimes and certificates fail. */
const CLOCK_TOLERANCE_MS = 60_000;
/** Enough inotify watches for large device folders and for other programs. */
const ENOUGH_WATCHES = 8_192;

async function examine(context: AppContext, http: Http): Promise<ExitCode> {
  const findings: Finding[] = [];
  const report = (finding: Finding) => {
    findings.push(finding);
    context.output.result({ type: 'finding', ...finding }, findingText(finding));
  };
  const config = loadedConfig(context, report);
  if (config !== undefined) {
    report(await checkZone(context, config));
    for (const finding of checkFolders(config)) report(finding);
    report(checkState(config));
    const store = await checkStore(context, config);
    report(store);
    const service = await checkService(context, config, http);
    for (const finding of service) report(finding);
    if (store.state === 'good') {
      const reachable = service.every(({ state }) => state !== 'bad');
      const login = await checkLogin(context, config, http, reachable);
      for (const finding of login) report(finding);
      if (reachable && login.every(({ state }) => state !== 'bad')) {
        for (const finding of await checkPlatformZone(context, config)) report(finding);
      }
    }
  }
  report(await checkZoneData(context));
  report(checkWatches(context));
  report(checkName(context));
  return exitCodeFor(findings);
}

/** Returns 2 if something on this machine is bad, 4 for the login, 5 if only the service fails. */
function exitCodeFor(findings: readonly Finding[]): ExitCode {
  const bad = findings.filter(({ state }) => state === 'bad');
  if (bad.length === 0) return ExitCode.ok;
  if (bad.some(({ check }) => check !== 'service' && check !== 'login')) return ExitCode.usage;
  return bad.some(({ check }) => check === 'login') ? ExitCode.loginNeeded : ExitCode.unavailable;
}

function loadedConfig(context: AppContext, report: (finding: Finding) => void): Config | undefined {
  try {
    const config = quietConfigFor(context);
    requireBaseUrl(config);
    report({ check: 'config', state: 'good', message: `Settings: ${config.paths.configFile}` });
    return config;
  } catch (error) {
    report({ check: 'config', state: 'bad', ...wordsOf(error) });
    return undefined;
  }
}

async function checkZone(context: AppContext, config: Config): Promise<Finding> {
  try {
    const { name, from } = await zoneFor(config, context);
    if (from !== 'machine' || !isUtc(name)) {
      return { check: 'zone', state: 'good', message: `Days are counted in ${name}.` };
    }
    return {
      check: 'zone',
      state: 'odd',
      message: `Days are counted in ${name}, this machine's zone.`,
      hint: phrase`If you live elsewhere, run ${sync('config', 'set', 'timezone', 'Europe/Berlin')}.`,
    };
  } catch (error) {
    return { check: 'zone', state: 'bad', ...wordsOf(error) };
  }
}

/** Compares the platform's zone with the one that decides about days. */
async function checkPlatformZone(context: AppContext, config: Config): Promise<Finding[]> {
  const theirs = await platformZone(context, config);
  if (theirs === undefined) return [];
  const { name } = await zoneFor(config, context).catch(() => ({ name: undefined }));
  if (name === undefined || sameClocks(theirs, name, context.clock.now())) return [];
  return [
    {
      check: 'zone',
      state: 'odd',
      message: `The platform has you in ${theirs}, and days are counted in ${name}.`,
      hint: phrase`If you live in ${theirs}, run ${sync('config', 'set', 'timezone', theirs)}.`,
    },
  ];
}

const ZONE_DATA_FROM = {
  runtime: 'part of Node.js',
  system: 'installed on this system',
  shipped: 'shipped with sync',
} as const;

const YEAR_MS = 365 * 86_400_000;

/** Names the zone data that decides about days, and warns if it is more than a year old. */
async function checkZoneData(context: AppContext): Promise<Finding> {
  const check = 'zone-data';
  const { version, origin } = await zoneDataOf(context);
  const name = `Zone data ${version}, ${ZONE_DATA_FROM[origin]}`;
  const age = context.clock.now() - Date.parse(releasedBy(version));
  if (age <= YEAR_MS) return { check, state: 'good', message: `${name}.` };
  return {
    check,
    state: 'odd',
    message: `${name}, is more than a year old: days and times are wrong wherever rules changed since.`,
    hint: 'Update sync, Node.js or the time zone data of this system.',
  };
}

/** Finds other users who can change this program's folders. A token store refuses such a folder. */
function checkFolders(config: Config): Finding[] {
  const check = 'folders';
  const { configFile, stateDir } = config.paths;
  const inFile = config.get('tokenStore') === 'file' && !hasEnvironmentTokens(config);
  const found = [
    { folder: dirname(configFile), state: 'odd' as const },
    { folder: stateDir, state: inFile ? ('bad' as const) : ('odd' as const) },
  ].flatMap(({ folder, state }): Finding[] => {
    const distrust = findDistrust(folder);
    if (distrust === undefined) return [];
    const { path, reason, fix } = distrust;
    const message = `${path} ${reason}, who can so change what is in ${folder}.`;
    return [{ check, state, message, hint: `Run \`${fix}\`.` }];
  });
  return found.length > 0
    ? found
    : [
        {
          check,
          state: 'good',
          message: 'Only you can change the settings and the state folder.',
        },
      ];
}

function checkState(config: Config): Finding {
  try {
    openDatabase(ledgerPath(config)).close();
    return { check: 'state', state: 'good', message: `Ledger: ${ledgerPath(config)}` };
  } catch (error) {
    const { message, hint } = wordsOf(error);
    return {
      check: 'state',
      state: 'bad',
      message: `Ledger: ${message}`,
      ...(hint === undefined ? {} : { hint }),
    };
  }
}

async function checkStore(context: AppContext, config: Config): Promise<Finding> {
  if (hasEnvironmentTokens(config)) {
    return { check: 'keychain', state: 'good', message: 'Tokens come from the environment.' };
  }
  const store = openStore(config, { ...context, attended: context.io.interactive });
  try {
    await store.probe(context.signal);
    return {
      check: 'keychain',
      state: 'good',
      message: `Logins can be kept in ${store.describe()}.`,
    };
  } catch (error) {
    if (error instanceof SyncError && error.code === 'INTERRUPTED') throw error;
    return { check: 'keychain', state: 'bad', ...wordsOf(error) };
  }
}

/** Sends a request without a login: any answer shows that the service is up, and its clock. */
async function checkService(
  { clock, signal }: AppContext,
  config: Config,
  http: Http,
): Promise<Finding[]> {
  const url = endpointUrl(requireBaseUrl(config), config.endpoints.userinfo);
  try {
    const answer = await http.send({
      method: 'GET',
      url,
      answerTimeoutMs: 10_000,
      signal,
    });
    const now = clock.now();
    const theirs = Date.parse(answer.headers['date'] ?? '');
    const reached: Finding =
      answer.status >= 500
        ? {
            check: 'service',
            state: 'bad',
            message: `${url.host} answers with ${answer.status}.`,
            hint: 'Try again later.',
          }
        : { check: 'service', state: 'good', message: `${url.host} answers.` };
    if (Number.isNaN(theirs)) return [reached];
    const off = Math.round((now - theirs) / 1000);
    const difference: Finding =
      Math.abs(now - theirs) <= CLOCK_TOLERANCE_MS
        ? {
            check: 'clock',
            state: 'good',
            message: "This machine's clock agrees with the service's.",
          }
        : {
            check: 'clock',
            state: 'odd',
            message: `This machine's clock is ${Math.abs(off)} s ${off > 0 ? 'ahead of' : 'behind'} the service's.`,
            hint: 'Let the system set its clock from the network.',
          };
    return [reached, difference];
  } catch (error) {
    if (error instanceof SyncError && error.code === 'INTERRUPTED') throw error;
    return [{ check: 'service', state: 'bad', ...wordsOf(error) }];
  }
}

/** Checks the login, also with the service if that is reachable. */
async function checkLogin(
  context: AppContext,
  config: Config,
  http: Http,
  reachable: boolean,
): Promise<Finding[]> {
  const check = 'login';
  const stored = await loginState(context, config, http);
  const uncertain = stored.state === 'unknown' && stored.code === 'FATE_UNKNOWN';
  if (stored.state !== 'logged-in' && !uncertain) {
    const { state, code, message, hint } = stored;
    // A machine before its first login is not broken.
    const level = state === 'logged-out' && code === 'AUTH_REQUIRED' ? 'odd' : 'bad';
    return [{ check, state: level, message, ...(hint === undefined ? {} : { hint }) }];
  }
  if (!reachable) {
    return [{ check, state: 'odd', message: 'There is a login; it cannot be checked now.' }];
  }
  const checked = await askAboutLogin(context, config, http);
  if (checked.outcome !== 'accepted') {
    const { message, hint } = checked;
    const state = checked.code.startsWith('AUTH_') ? 'bad' : 'odd';
    return [{ check, state, message, ...(hint === undefined ? {} : { hint }) }];
  }
  const now = await loginState(context, config, http);
  const age = now.state === 'logged-in' ? now.age : undefined;
  const account = checked.account;
  return [
    {
      check,
      state: 'good',
      message:
        account === undefined
          ? 'The service does not reject the login, and does not name the athlete.'
          : `Logged in as ${account.name ?? account.email ?? account.id}.`,
    },
    ...(age === undefined
      ? []
      : [
          {
            check,
            state: 'odd',
            message: ageText(age),
            hint: phrase`Run ${sync('login')}.`,
          } as const,
        ]),
  ];
}

function checkWatches({ platform }: AppContext): Finding {
  const check = 'watch';
  if (platform !== 'linux') {
    return {
      check,
      state: 'good',
      message: 'Folders can be watched (this system has no known limit).',
    };
  }
  try {
    const limit = Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8'));
    return limit >= ENOUGH_WATCHES
      ? { check, state: 'good', message: `Up to ${limit} folders can be watched.` }
      : {
          check,
          state: 'odd',
          message: `Only ${limit} folders can be watched, by all programs together.`,
          hint: phrase`Raise it: \`sudo sysctl fs.inotify.max_user_watches=524288\`. ${sync('watch', '--poll')} needs none.`,
        };
  } catch {
    return {
      check,
      state: 'odd',
      message: 'This system does not report new files.',
      hint: phrase`Use ${sync('watch', '--poll')}.`,
    };
  }
}

/** Checks which `sync` a shell starts: this program, or the system's. */
function checkName({ env, platform, programDir }: AppContext): Finding {
  const check = 'name';
  const first = (env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, platform === 'win32' ? 'sync.cmd' : 'sync'))
    .find(isExecutable);
  if (first === undefined || isOwnLauncher(first, programDir) || platform === 'win32') {
    return { check, state: 'good', message: '`sync` in a shell is this program.' };
  }
  return {
    check,
    state: 'odd',
    message: `\`sync\` in a shell is ${first}, not this program.`,
    hint: 'Type `athlete-sync` instead, or put the folder of this program first on the PATH.',
  };
}

function wordsOf(error: unknown): { message: string; hint?: Text } {
  const hint = error instanceof SyncError ? error.hint : undefined;
  return { message: messageOf(error), ...(hint === undefined ? {} : { hint }) };
}
