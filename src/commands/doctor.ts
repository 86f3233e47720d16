import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { ageText } from '../auth/login-ages.ts';
import { type Config, requireBaseUrl } from '../config/config.ts';
import { hasEnvironmentTokens } from '../credentials/environment.ts';
import { openStore } from '../credentials/open-store.ts';
import type { Deps } from '../app/deps.ts';
import { ExitCode, SyncError, messageOf } from '../base/errors.ts';
import { isExecutable, realPath } from '../system/executables.ts';
import { findDistrust } from '../system/folder-trust.ts';
import { openDatabase } from '../ledger/database.ts';
import { endpointUrl } from '../config/endpoints.ts';
import type { Http } from '../api/http.ts';
import { ledgerPath } from '../app/open-ledger.ts';
import { checkLogin, loginState } from './status.ts';

/** One thing that was looked at. `bad`: something does not work; `odd`: it may not work some day. */
export interface Finding {
  readonly check:
    | 'config'
    | 'zone'
    | 'folders'
    | 'state'
    | 'keychain'
    | 'service'
    | 'clock'
    | 'login'
    | 'watch'
    | 'name';
  readonly state: 'good' | 'odd' | 'bad';
  readonly message: string;
  /** How to mend it. */
  readonly hint?: string;
}

export interface DoctorNeeds {
  /** Loads the configuration: that it cannot be loaded is a finding, too. */
  readonly config: () => Config;
  /** The zone that decides about days. Throws where it cannot be told. */
  readonly zone: () => string;
  readonly deps: Deps;
  readonly http: Http;
  readonly report: (finding: Finding) => void;
}

/** A clock that is this wrong, in ms, spoils token lifetimes and certificates. */
const CLOCK_TOLERANCE_MS = 60_000;
/** Folders that a watch may need, with room for other programs. */
const ENOUGH_WATCHES = 8_192;

/**
 * Looks at everything that the commands rely on.
 *
 * @returns the exit code: 2 when something is bad here, 4 when the login has ended, 5 when only the
 *   service does not answer.
 */
export async function runDoctor(needs: DoctorNeeds): Promise<ExitCode> {
  const findings: Finding[] = [];
  const tell = (finding: Finding) => {
    findings.push(finding);
    needs.report(finding);
  };
  const config = loadedConfig(needs, tell);
  if (config !== undefined) {
    tell(checkZone(needs));
    for (const finding of checkFolders(config)) tell(finding);
    tell(checkState(config));
    const store = await checkStore(config, needs.deps);
    tell(store);
    const service = await checkService(config, needs);
    for (const finding of service) tell(finding);
    if (store.state === 'good') {
      const reachable = service.every(({ state }) => state !== 'bad');
      for (const finding of await findLogin(config, needs, reachable)) tell(finding);
    }
  }
  tell(checkWatches(needs.deps));
  tell(checkName(needs.deps));
  const bad = findings.filter(({ state }) => state === 'bad');
  if (bad.length === 0) return ExitCode.ok;
  if (bad.some(({ check }) => check !== 'service' && check !== 'login')) return ExitCode.usage;
  return bad.some(({ check }) => check === 'login') ? ExitCode.loginNeeded : ExitCode.unavailable;
}

function loadedConfig({ config }: DoctorNeeds, tell: (finding: Finding) => void) {
  try {
    const loaded = config();
    requireBaseUrl(loaded);
    tell({ check: 'config', state: 'good', message: `Settings: ${loaded.paths.configFile}` });
    return loaded;
  } catch (error) {
    tell({ check: 'config', state: 'bad', ...said(error) });
    return undefined;
  }
}

function checkZone({ zone }: DoctorNeeds): Finding {
  try {
    return { check: 'zone', state: 'good', message: `Days are counted in ${zone()}.` };
  } catch (error) {
    return { check: 'zone', state: 'bad', ...said(error) };
  }
}

/** Who else can change what this program keeps. Tokens are kept in no such folder. */
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
          message: 'Nobody else can change the settings or the state folder.',
        },
      ];
}

function checkState(config: Config): Finding {
  try {
    openDatabase(ledgerPath(config)).close();
    return { check: 'state', state: 'good', message: `Ledger: ${ledgerPath(config)}` };
  } catch (error) {
    const { message, hint } = said(error);
    return {
      check: 'state',
      state: 'bad',
      message: `Ledger: ${message}`,
      ...(hint === undefined ? {} : { hint }),
    };
  }
}

async function checkStore(config: Config, deps: Deps): Promise<Finding> {
  if (hasEnvironmentTokens(config)) {
    return { check: 'keychain', state: 'good', message: 'Tokens come from the environment.' };
  }
  const store = openStore(config, { ...deps, attended: deps.io.interactive });
  try {
    await store.probe(deps.signal);
    return {
      check: 'keychain',
      state: 'good',
      message: `Logins can be kept in ${store.describe()}.`,
    };
  } catch (error) {
    if (error instanceof SyncError && error.code === 'INTERRUPTED') throw error;
    return { check: 'keychain', state: 'bad', ...said(error) };
  }
}

/** Asks for something that needs no login: that it answers at all, and its clock, are what counts. */
async function checkService(config: Config, { deps, http }: DoctorNeeds): Promise<Finding[]> {
  const url = endpointUrl(requireBaseUrl(config), config.endpoints.userinfo);
  try {
    const answer = await http.send({
      method: 'GET',
      url,
      answerTimeoutMs: 10_000,
      signal: deps.signal,
    });
    const now = deps.clock.now();
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
    const clock: Finding =
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
    return [reached, clock];
  } catch (error) {
    if (error instanceof SyncError && error.code === 'INTERRUPTED') throw error;
    return [{ check: 'service', state: 'bad', ...said(error) }];
  }
}

/** Whose login this is, as the service says. */
async function findLogin(
  config: Config,
  { deps, http }: DoctorNeeds,
  reachable: boolean,
): Promise<Finding[]> {
  const check = 'login';
  const needs = { config, deps, http };
  const stored = await loginState(needs);
  const uncertain = stored.state === 'unknown' && stored.code === 'FATE_UNKNOWN';
  if (stored.state !== 'logged-in' && !uncertain) {
    const { state, code, message, hint } = stored;
    // A machine where nobody logged in yet is not broken.
    const level = state === 'logged-out' && code === 'AUTH_REQUIRED' ? 'odd' : 'bad';
    return [{ check, state: level, message, ...(hint === undefined ? {} : { hint }) }];
  }
  if (!reachable) {
    return [{ check, state: 'odd', message: 'There is a login; it cannot be checked now.' }];
  }
  const checked = await checkLogin(needs);
  if (checked.outcome !== 'accepted') {
    const { message, hint } = checked;
    const state = checked.code.startsWith('AUTH_') ? 'bad' : 'odd';
    return [{ check, state, message, ...(hint === undefined ? {} : { hint }) }];
  }
  const now = await loginState(needs);
  const age = now.state === 'logged-in' ? now.age : undefined;
  const account = checked.account;
  return [
    {
      check,
      state: 'good',
      message:
        account === undefined
          ? 'The service does not reject the login, and does not say whose it is.'
          : `Logged in as ${account.name ?? account.email ?? account.id}.`,
    },
    ...(age === undefined
      ? []
      : [{ check, state: 'odd', message: ageText(age), hint: 'Run `sync login`.' } as const]),
  ];
}

function checkWatches({ platform }: Deps): Finding {
  const check = 'watch';
  if (platform !== 'linux') {
    return {
      check,
      state: 'good',
      message: 'Folders can be watched (no limit that is known here).',
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
          hint: 'Raise it: `sudo sysctl fs.inotify.max_user_watches=524288`. `sync watch --poll` needs none.',
        };
  } catch {
    return {
      check,
      state: 'odd',
      message: 'This system does not tell of new files.',
      hint: 'Use `sync watch --poll`.',
    };
  }
}

/** Which `sync` a shell starts: this one, or the one that flushes disks. */
function checkName({ env, platform }: Deps): Finding {
  const check = 'name';
  const own = realPath(process.argv[1] ?? '');
  const first = (env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, platform === 'win32' ? 'sync.cmd' : 'sync'))
    .find(isExecutable);
  if (first === undefined || realPath(first) === own || platform === 'win32') {
    return { check, state: 'good', message: '`sync` in a shell is this program.' };
  }
  return {
    check,
    state: 'odd',
    message: `\`sync\` in a shell is ${first}, not this program.`,
    hint: 'Type `athlete-sync` instead, or put the folder of this program first on the PATH.',
  };
}

function said(error: unknown): { message: string; hint?: string } {
  const hint = error instanceof SyncError ? error.hint : undefined;
  return { message: messageOf(error), ...(hint === undefined ? {} : { hint }) };
}
