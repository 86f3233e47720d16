import { type CommandModule } from '../../app/command.ts';
import { quietConfigFor } from '../../app/config.ts';
import type { AppContext } from '../../app/context.ts';
import { withHttp } from '../../app/with-http.ts';
import { ExitCode } from '../../base/errors.ts';
import { phrase, sync } from '../../base/phrase.ts';
import type { Config } from '../../config/config.ts';
import { type CheckName, type CheckResult, failed, findingText, odd } from './finding.ts';
import { checkKeychain, checkLogin } from './login.ts';
import {
  checkName,
  checkNode,
  checkNodeVariables,
  checkPlatformZone,
  checkSilence,
  checkWatches,
  checkZone,
  checkZoneData,
} from './machine.ts';
import { checkProxy, checkService } from './network.ts';
import { checkDisk, checkFolders, checkLedger, checkSettings, checkCopies } from './storage.ts';

export const doctor: CommandModule = {
  examples: ['sync doctor', 'sync doctor --json'],

  async run(context) {
    const findings: CheckFinding[] = [];
    context.output.summarise();
    await examine(context, (finding) => {
      findings.push(finding);
      context.output.result({ type: 'finding', ...finding }, findingText(finding));
    });
    return exitCodeFor(findings);
  },
};

type CheckResults = CheckResult | readonly CheckResult[];
type CheckFinding = CheckResult & { readonly check: CheckName };

/** The checks of a profile, in the order in which their failures block a login and an upload. */
const OF_PROFILE: readonly (readonly [
  CheckName,
  (context: AppContext, config: Config) => CheckResults | Promise<CheckResults>,
])[] = [
  ['config', checkSettings],
  ['folders', checkFolders],
  ['disk', checkDisk],
  ['state', checkLedger],
  ['state', checkCopies],
  ['keychain', checkKeychain],
  ['zone', checkZone],
  ['watch', checkSilence],
  ['node', checkNodeVariables],
  ['proxy', checkProxy],
];

/** The checks that need no settings. */
const OF_MACHINE: readonly (readonly [
  CheckName,
  (context: AppContext) => CheckResults | Promise<CheckResults>,
])[] = [
  ['node', checkNode],
  ['zone-data', checkZoneData],
  ['watch', checkWatches],
  ['name', checkName],
];

async function examine(
  context: AppContext,
  report: (finding: CheckFinding) => void,
): Promise<void> {
  const bad = new Set<CheckName>();
  const run = async (name: CheckName, check: () => CheckResults | Promise<CheckResults>) => {
    for (const result of await resultsOf(check)) {
      const finding = { check: name, ...result };
      if (finding.state === 'bad') bad.add(finding.check);
      report(finding);
    }
  };
  const config = loadConfig(context, report);
  if (config !== undefined) {
    for (const [name, check] of OF_PROFILE) await run(name, () => check(context, config));
    if (config.get('baseUrl') === undefined) report({ check: 'service', ...NO_ADDRESS });
    else if (!bad.has('proxy') && !bad.has('node')) {
      await run('service', () => withHttp(context, (http) => checkService(context, config, http)));
      const reachable = !bad.has('service');
      if (!bad.has('keychain')) await run('login', () => checkLogin(context, config, reachable));
      if (reachable && !bad.has('login')) {
        await run('zone', () => checkPlatformZone(context, config));
      }
    }
  }
  for (const [name, check] of OF_MACHINE) await run(name, () => check(context));
}

async function resultsOf(
  check: () => CheckResults | Promise<CheckResults>,
): Promise<readonly CheckResult[]> {
  try {
    return [await check()].flat();
  } catch (error) {
    return [failed(error)];
  }
}

const NO_ADDRESS = odd(
  'No platform is set up yet: its address, the clock and the login were not checked.',
  phrase`Run ${sync('login')}.`,
);

function loadConfig(
  context: AppContext,
  report: (finding: CheckFinding) => void,
): Config | undefined {
  try {
    const config = quietConfigFor(context);
    // A damaged address is a fault of the settings.
    config.get('baseUrl');
    return config;
  } catch (error) {
    report({ check: 'config', ...failed(error) });
    return undefined;
  }
}

/** Returns 2 if something on this machine is bad, 4 for the login, 5 if only the network fails. */
function exitCodeFor(findings: readonly CheckFinding[]): ExitCode {
  const bad = new Set(findings.filter(({ state }) => state === 'bad').map(({ check }) => check));
  if (bad.size === 0) return ExitCode.ok;
  const unavailable = ['service', 'proxy'].filter((check) => bad.delete(check as CheckName));
  if (bad.delete('login') && bad.size === 0) return ExitCode.loginNeeded;
  return bad.size === 0 && unavailable.length > 0 ? ExitCode.unavailable : ExitCode.usage;
}
