import { type CommandModule } from '../../app/command.ts';
import { quietConfigFor } from '../../app/config.ts';
import type { AppContext } from '../../app/context.ts';
import { withHttp } from '../../app/with-http.ts';
import { ExitCode, worstExitCode } from '../../base/errors.ts';
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
    const { output } = context;
    output.summarise();
    const bad = new Set<CheckName>();
    const run = async (name: CheckName, check: () => Results) => {
      let results: Awaited<Results>;
      try {
        results = await check();
      } catch (error) {
        results = failed(error);
      }
      for (const result of [results].flat()) {
        const finding = { check: name, ...result };
        if (finding.state === 'bad') bad.add(finding.check);
        output.result({ type: 'finding', ...finding }, findingText(finding));
      }
    };
    let config = undefined as Config | undefined;
    await run('config', () => {
      const found = quietConfigFor(context);
      // A damaged address is a fault of the settings.
      found.get('baseUrl');
      config = found;
      return checkSettings(found);
    });
    if (config !== undefined) await checkProfile(context, config, bad, run);
    for (const [name, check] of OF_MACHINE) await run(name, () => check(context));
    return worstExitCode([...bad].map((name) => EXIT_CODES[name] ?? ExitCode.usage));
  },
};

type CheckResults = CheckResult | readonly CheckResult[];
type Results = CheckResults | Promise<CheckResults>;

/** Exit codes of failed checks; any other check is about this machine, and exits with 2. */
const EXIT_CODES: Partial<Record<CheckName, ExitCode>> = {
  login: ExitCode.loginNeeded,
  service: ExitCode.unavailable,
  proxy: ExitCode.unavailable,
};

/** The further checks of a profile, in the order in which their failures block a login and an upload. */
const OF_PROFILE: readonly (readonly [
  CheckName,
  (context: AppContext, config: Config) => Results,
])[] = [
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
const OF_MACHINE: readonly (readonly [CheckName, (context: AppContext) => Results])[] = [
  ['node', checkNode],
  ['zone-data', checkZoneData],
  ['watch', checkWatches],
  ['name', checkName],
];

/** @param bad the checks that failed so far, to which `run` adds */
async function checkProfile(
  context: AppContext,
  config: Config,
  bad: ReadonlySet<CheckName>,
  run: (name: CheckName, check: () => Results) => Promise<void>,
): Promise<void> {
  for (const [name, check] of OF_PROFILE) await run(name, () => check(context, config));
  if (config.get('baseUrl') === undefined) {
    await run('service', () => NO_ADDRESS);
    return;
  }
  if (bad.has('proxy') || bad.has('node')) return;
  await run('service', () => withHttp(context, (http) => checkService(context, config, http)));
  const reachable = !bad.has('service');
  if (!bad.has('keychain')) await run('login', () => checkLogin(context, config, reachable));
  if (reachable && !bad.has('login')) await run('zone', () => checkPlatformZone(context, config));
}

const NO_ADDRESS = odd(
  'No platform is set up yet: its address, the clock and the login were not checked.',
  phrase`Run ${sync('login')}.`,
);
