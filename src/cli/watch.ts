import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { connect } from '../app/connect.ts';
import { openLedger } from '../app/open-ledger.ts';
import { notLoggedIn } from '../auth/login-errors.ts';
import { runWatch } from '../commands/watch.ts';
import type { OpenWatch, WatchCommandOptions, WatchNeeds } from '../commands/watch-needs.ts';
import { runWatchOnce } from '../commands/watch-once.ts';
import { type Config, requireBaseUrl } from '../config/config.ts';
import { hasEnvironmentTokens } from '../credentials/environment.ts';
import { serviceId } from '../credentials/store.ts';
import { openStore } from '../credentials/open-store.ts';
import { ExitCode, SyncError, exitCodeOf, messageOf } from '../base/errors.ts';
import { adoptOutbox } from '../ledger/accounts.ts';
import { outboxRows } from '../ledger/outbox.ts';
import { watchMarks } from '../ledger/watch-marks.ts';
import { namingProfile } from '../terminal/profile-hint.ts';
import { uploadSummaryJson, uploadSummaryText } from '../commands/upload.ts';
import { watchEventReport, watchEventText } from '../render/watch.ts';
import { endpointUrl } from '../config/endpoints.ts';
import { openHttp } from '../api/open-http.ts';
import { DEFAULT_RETRY } from '../api/retry.ts';
import { type Registration, eachOnce, registerWatcher } from '../daemon/registration.ts';
import { watcherLogin, watcherPaths } from '../daemon/registry.ts';
import { hasRecursiveEvents, filesystemType } from '../watch/filesystem-type.ts';
import { notify } from '../watch/notify.ts';
import { AT_ONCE } from '../watch/sender.ts';
import { POLL_MS } from '../watch/rescan.ts';
import { type Invocation, configFor, connectOptions, wholeNumber } from '../app/invocation.ts';

export interface WatchFlags {
  readonly once: boolean;
  readonly daemon: boolean;
  readonly newOnly: boolean;
  /** `--poll [SECONDS]`: true where no number was given. */
  readonly poll?: string | boolean;
  readonly dryRun: boolean;
}

/** Seams for the background: both are the daemon's. */
export interface WatchHooks {
  /** `--daemon`: starts this very watch in the background, and says whether it is up. */
  readonly detach?: (
    invocation: Invocation,
    folders: readonly string[],
    flags: WatchFlags,
  ) => Promise<ExitCode>;
  /** Called when everything was looked at once, and what happens is heard. */
  readonly onReady?: () => void;
  /** The daemon's registration; a watcher at a terminal registers itself. */
  readonly registration?: Registration;
}

/** Longest pause between two polls that makes sense, in s: a day. */
const MAX_POLL_SECS = 86_400;

/** Not more than one try a call: the watcher's own pauses are longer, and can be interrupted. */
const ONE_TRY = { ...DEFAULT_RETRY, attempts: 1 };

export async function watch(
  invocation: Invocation,
  dirs: readonly string[],
  flags: WatchFlags,
  hooks: WatchHooks = {},
): Promise<ExitCode> {
  const { deps, output } = invocation;
  const config = configFor(invocation);
  requireBaseUrl(config);
  const once = flags.once || flags.dryRun;
  const options: WatchCommandOptions = {
    folders: eachOnce(dirs.map((dir) => resolve(deps.cwd, dir))),
    newOnly: flags.newOnly,
    pollMs: pollMs(flags.poll),
    dryRun: flags.dryRun,
  };
  for (const folder of options.folders) refuseFile(folder);
  if (flags.daemon) {
    if (once) throw new SyncError('USAGE', '--daemon does not go with --once or --dry-run.');
    if (hooks.detach === undefined) throw new Error('watch: --daemon without a detach hook');
    return await hooks.detach(invocation, options.folders, flags);
  }
  const needs = watchNeeds(invocation, config, once, hooks);
  if (!once) {
    const { folders } = options;
    const { profile, paths } = config;
    const stateDir = resolve(deps.cwd, paths.stateDir);
    if (hooks.registration !== undefined) {
      await runWatch(options, { ...needs, registration: hooks.registration });
      return ExitCode.ok;
    }
    const registration = await registerWatcher(
      watcherPaths(stateDir, watcherLogin(config), folders),
      { profile, folders, kind: 'terminal', appVersion: invocation.version },
      deps,
    );
    try {
      await runWatch(options, { ...needs, registration });
      registration.end(ExitCode.ok);
      return ExitCode.ok;
    } catch (error) {
      const code = error instanceof SyncError ? exitCodeOf(error.code) : ExitCode.internal;
      registration.end(code, messageOf(error));
      throw error;
    }
  }
  const report = await runWatchOnce(options, needs);
  output.result(uploadSummaryJson(report.summary), uploadSummaryText(report));
  return report.exitCode;
}

function watchNeeds(
  invocation: Invocation,
  config: Config,
  once: boolean,
  hooks: WatchHooks,
): Omit<WatchNeeds, 'registration'> {
  const { deps, output, version } = invocation;
  const { stateDir, configFile } = config.paths;
  const { access, refresh } = config.environmentTokens;
  const given = access ?? refresh;
  const heartbeatUrl = config.get('heartbeatUrl');
  return {
    appVersion: version,
    stateDir,
    profile: config.profile,
    loginCanChange: given === undefined,
    // Whoever logs in or out writes it; a token that is renewed does not.
    loginMarker: () => markOf(configFile),
    filesystemType: (folder) => filesystemType(folder, deps.platform),
    recursiveEvents: hasRecursiveEvents(deps.platform),
    clock: deps.clock,
    random: Math.random,
    signal: deps.signal,
    open: (how) => open(invocation, once, how),
    report: (event) => {
      const at = new Date(deps.clock.now());
      const text = watchEventText(event, once ? undefined : at);
      output.result(watchEventReport(event, once ? undefined : at), text);
      if (event.event === 'ready') hooks.onReady?.();
    },
    notify: ({ title, text }) =>
      notify(deps.platform, deps.env, { title, text: namingProfile(text, config.profile) }),
    heartbeat:
      heartbeatUrl === undefined ? undefined : (signal) => beat(invocation, heartbeatUrl, signal),
  };
}

/** The configuration is read anew: the login may have changed it. */
async function open(
  invocation: Invocation,
  once: boolean,
  how: 'online' | 'offline',
): Promise<OpenWatch> {
  const { deps } = invocation;
  const config = configFor(invocation);
  const baseUrl = requireBaseUrl(config);
  const connection = connect(config, deps, {
    // One beside the uploads, so that no other request delays them.
    ...connectOptions(invocation, AT_ONCE + 1),
    attended: once && deps.io.interactive,
    ...(once ? {} : { retry: ONE_TRY }),
  });
  try {
    const account = await connection.ledgerAccount({ offline: how === 'offline' });
    const ledger = openLedger(config, account, deps.clock);
    const now = () => deps.clock.now();
    return {
      account,
      service: serviceId(baseUrl),
      // Read again: whose login it is may have become known just now.
      athlete: configFor(invocation).account?.id,
      delivers: how === 'online',
      ledger,
      marks: watchMarks(ledger.database, account, now),
      outboxRows: outboxRows(ledger.database, account, ledger.mark, now),
      client: () => connection.client(),
      uploadUrl: () => endpointUrl(baseUrl, config.endpoints.uploadFit),
      loginEndsAt: (signal) => loginEndsAt(invocation, config, signal),
      useLogin: async (signal) => {
        try {
          await (await connection.client()).userinfo(signal);
        } catch (error) {
          // The token was taken; that this service does not say whose it is does not matter.
          const unknown = error instanceof SyncError && error.code === 'REJECTED';
          if (!unknown && !(error instanceof SyncError && error.code === 'SCOPE_MISSING'))
            throw error;
        }
      },
      adopt: (before) => adoptOutbox(ledger.database, before, account),
      close: async () => {
        ledger.close();
        await connection.close();
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function loginEndsAt(
  { deps }: Invocation,
  config: Config,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (hasEnvironmentTokens(config)) return undefined;
  const { env, platform, programDir } = deps;
  const store = openStore(config, { env, platform, programDir, attended: false });
  const found = await store.load(signal);
  if (found === undefined) {
    throw notLoggedIn(config.profile, 'Run `sync login`; the watcher then continues.');
  }
  return found.tokens.refreshExpiresAt;
}

async function beat({ deps, version }: Invocation, url: URL, signal: AbortSignal): Promise<void> {
  const http = await openHttp({ env: deps.env, version, connections: 1 });
  try {
    const { status } = await http.send({ method: 'GET', url, signal, answerTimeoutMs: 30_000 });
    if (status >= 400) throw new SyncError('SERVICE_ANSWER', `${url.host} answered ${status}.`);
  } finally {
    await http.close();
  }
}

function pollMs(flag: string | boolean | undefined): number | undefined {
  if (flag === undefined || flag === false) return undefined;
  return flag === true ? POLL_MS : wholeNumber('--poll', flag, 1, MAX_POLL_SECS) * 1000;
}

function refuseFile(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
  throw new SyncError('USAGE', `${path} is a file; sync watch takes folders.`, {
    hint: `To send it, run \`sync upload ${path}\`.`,
  });
}

/** Changes whenever a file is replaced. */
function markOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '-' : `${stats.ino}:${stats.mtimeMs}:${stats.size}`;
}
