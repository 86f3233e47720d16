import { SyncError, isAbort } from '../errors.ts';
import type { Lock } from '../ledger/lock.ts';
import type { OutboxRows } from '../ledger/outbox.ts';
import type { WatchMarks } from '../ledger/watch-marks.ts';
import type { ServiceClient } from '../service/client.ts';
import type { Clock } from '../time.ts';
import type { Place } from '../watch/filesystem-type.ts';
import { lockFolders, takeLock } from '../watch/folder-lock.ts';
import { type Failure, Gate, isLoginFailure } from '../watch/gate.ts';
import { lifeLock, readOne, watchId } from '../watch/health.ts';
import { HealthKeeper, isoTime } from '../watch/health-keeper.ts';
import { type Outbox, openOutbox } from '../watch/outbox.ts';
import type { WatchEvent } from '../watch/report.ts';
import { ROOT_CHECK_MS, Watcher, type WatcherNeeds } from '../watch/watcher.ts';
import type { OpenLedger } from './open-ledger.ts';
import { LOGIN_SHORT_MS, WatchTalk } from './watch-talk.ts';

export interface WatchCommandOptions {
  /** Absolute paths, each once. */
  readonly folders: readonly string[];
  /** What is there at the beginning is not sent. */
  readonly newOnly: boolean;
  /** Poll every folder, every so many ms. */
  readonly pollMs: number | undefined;
  readonly dryRun: boolean;
}

/** One login, opened, with the ledger of its account. */
export interface OpenWatch {
  readonly account: string;
  /** Who logged in, as the service calls them; undefined if nobody has, or that is not known. */
  readonly athlete: string | undefined;
  readonly ledger: OpenLedger;
  readonly marks: WatchMarks;
  readonly outboxRows: OutboxRows;
  readonly client: () => Promise<ServiceClient>;
  readonly uploadUrl: () => URL;
  /**
   * When the refresh token ends, in ms since the epoch, where that is known; reads the store.
   *
   * @throws SyncError `AUTH_REQUIRED`, or that the store cannot be read now.
   */
  readonly loginEndsAt: (signal: AbortSignal) => Promise<number | undefined>;
  /** Uses the login once: a token that is due is refreshed. @throws SyncError */
  readonly useLogin: (signal: AbortSignal) => Promise<void>;
  /** May be called twice. */
  readonly close: () => Promise<void>;
}

export interface WatchNeeds {
  readonly appVersion: string;
  readonly stateDir: string;
  readonly profile: string;
  /** Tells apart whose recordings they are before anybody was asked: see {@link watchId}. */
  readonly login: string;
  /** `sync login` can help: the tokens are not from the environment. */
  readonly loginCanChange: boolean;
  /** Something that changes when somebody logs in; cheap. */
  readonly loginMarker: () => string;
  /** What the file system under a folder means for watching it. */
  readonly place: (folder: string) => Place;
  /** The kernel watches a whole tree with one handle. */
  readonly recursiveEvents: boolean;
  readonly pid: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Opens the login and its ledger, from the configuration as it is now. */
  readonly open: () => Promise<OpenWatch>;
  readonly report: (event: WatchEvent) => void;
  /** Shows a note on the desktop, if there is one. */
  readonly notify: (note: { readonly title: string; readonly text: string }) => void;
  /** Tells a monitor that all is well. @throws when it cannot be told */
  readonly heartbeat: ((signal: AbortSignal) => Promise<void>) | undefined;
}

/** Between two looks at how long the login lasts, in ms. */
const LOGIN_CHECK_MS = 12 * 3_600_000;

/**
 * Watches until it is stopped by the signal.
 *
 * @throws SyncError `BUSY` if one of the folders is watched already, `STORAGE`, `CONFIG`; a dead login
 *   only where none can be stored (tokens from the environment).
 */
export async function runWatch(options: WatchCommandOptions, needs: WatchNeeds): Promise<void> {
  const id = watchId(needs.login, options.folders);
  const life = await takeLock(lifeLock(needs.stateDir, id), needs.clock);
  if (life === undefined) throw sameWatch(id, needs);
  const keeper = new HealthKeeper(
    { id, pid: needs.pid, profile: needs.profile },
    options.folders,
    needs,
  );
  try {
    await watchOnAndOn(options, needs, keeper);
  } catch (error) {
    if (!needs.signal.aborted || !isAbort(error)) throw error;
  } finally {
    keeper.stopped();
    life.release();
  }
  needs.report({ event: 'stopped', queued: keeper.health.queue.waiting });
}

/** Each round is one login; the next begins when somebody logs in. */
async function watchOnAndOn(
  options: WatchCommandOptions,
  needs: WatchNeeds,
  keeper: HealthKeeper,
): Promise<void> {
  const talk = new WatchTalk(needs);
  let athlete: string | undefined;
  for (;;) {
    const marker = needs.loginMarker();
    const opened = await openPatiently(needs, keeper, talk);
    let locks: Lock | undefined;
    try {
      const { account } = opened;
      athlete ??= opened.athlete;
      if (opened.athlete !== athlete) {
        const why = opened.athlete === undefined ? loggedOut() : somebodyElse(needs.profile);
        talk.tell({ event: 'login-needed', ...why });
        keeper.note({ loginMessage: why.message });
        keeper.gate({ state: 'login', failure: why });
        keeper.write(true);
        await opened.close();
        await changed(needs, marker);
        continue;
      }
      keeper.note({ loginMessage: undefined });
      locks = await lockFolders({ ...needs, account }, options.folders);
      keeper.note({ account });
      talk.started(options.folders);
      if ((await watchOneLogin(options, needs, { opened, marker, keeper, talk })) === 'stopped')
        return;
    } finally {
      locks?.release();
      await opened.close();
    }
  }
}

/** Asks for the login until it can be had; only what nothing but a person can mend ends it. */
async function openPatiently(
  needs: WatchNeeds,
  keeper: HealthKeeper,
  talk: WatchTalk,
): Promise<OpenWatch> {
  const { clock, signal } = needs;
  const gate = new Gate(() => clock.now(), needs.random);
  for (;;) {
    const marker = needs.loginMarker();
    try {
      return await needs.open();
    } catch (error) {
      if (!(error instanceof SyncError) || !passes(error)) throw error;
      if (isLoginFailure(error.code) && !needs.loginCanChange) throw error;
      gate.failed(error);
      keeper.gate(gate.state);
      keeper.write(true);
      talk.hindered(gate, error);
      if (isLoginFailure(error.code)) await changed(needs, marker);
      await clock.sleep(gate.waitMs ?? 0, signal);
    }
  }
}

/** Resolves when somebody may have logged in. */
async function changed({ loginMarker, clock, signal }: WatchNeeds, marker: string): Promise<void> {
  while (loginMarker() === marker) await clock.sleep(ROOT_CHECK_MS, signal);
}

/** What is in the folders is not theirs: it is not sent to their account unless they ask for it. */
function somebodyElse(profile: string) {
  return {
    code: 'AUTH_REQUIRED',
    message: `Somebody else logged in with profile "${profile}"; these recordings are not sent to their account.`,
    hint: 'Log in as before, or stop this and start it again to send them there.',
  } as const;
}

function loggedOut() {
  const hint = 'Run `sync login`; the watcher goes on by itself.';
  return { code: 'AUTH_REQUIRED', message: 'Nobody is logged in any more.', hint } as const;
}

function passes({ code }: SyncError): boolean {
  const lasting = ['USAGE', 'CONFIG', 'STORAGE', 'BUSY', 'INTERRUPTED', 'INPUT_INVALID'];
  return !lasting.includes(code);
}

interface Round {
  readonly opened: OpenWatch;
  /** {@link WatchNeeds.loginMarker}, from before the login was read. */
  readonly marker: string;
  readonly keeper: HealthKeeper;
  readonly talk: WatchTalk;
}

async function watchOneLogin(options: WatchCommandOptions, needs: WatchNeeds, round: Round) {
  const { opened, marker, keeper, talk } = round;
  const { clock } = needs;
  const ended = new AbortController();
  const signal = AbortSignal.any([needs.signal, ended.signal]);
  const outbox = openOutbox(needs.stateDir, opened.outboxRows, () => clock.now());
  const watcher: Watcher = new Watcher(options, {
    ...watcherNeeds(needs, opened, outbox),
    report: (event) => {
      if (event.event === 'login-needed' && !needs.loginCanChange) ended.abort(asError(event));
      keeper.note(errorFact(event, clock.now()));
      change(true);
      talk.tell(event);
    },
    signal,
    loginChanged: () => needs.loginMarker() !== marker,
    onChange: () => change(false),
    onSwept: () => errand(beat()),
    onTick: () => {
      if (clock.now() >= checkLoginAt) errand(checkLogin());
      keeper.write(false);
    },
  });
  const change = (force: boolean) => {
    keeper.update(watcher, outbox.count);
    keeper.write(force);
  };

  // Waited for at the end: what one login still has to say must not be written over the next one's.
  const errands = new Set<Promise<void>>();
  const errand = (task: Promise<void>) => {
    errands.add(task);
    void task.finally(() => errands.delete(task));
  };

  let checkLoginAt = 0;
  const checkLogin = async () => {
    checkLoginAt = clock.now() + LOGIN_CHECK_MS;
    try {
      const endsAt = await lifetime({ ...needs, signal }, opened, talk);
      if (endsAt === undefined) return;
      keeper.note({ refreshEndsAt: isoTime(endsAt) });
      talk.lasts(endsAt - clock.now(), isoTime(endsAt));
      change(true);
    } catch (error) {
      if (signal.aborted || !(error instanceof SyncError)) return;
      // A locked keychain or a service that is away is told when something has to be sent.
      if (isLoginFailure(error.code)) watcher.hinder(error);
    }
  };

  const beat = async () => {
    if (needs.heartbeat === undefined || watcher.gate.state.state === 'login') return;
    try {
      await needs.heartbeat(signal);
      keeper.note({ lastHeartbeatAt: isoTime(clock.now()) });
    } catch (error) {
      if (signal.aborted) return;
      const message = `The heartbeat was not delivered: ${(error as Error).message}`;
      keeper.note({ lastError: { at: isoTime(clock.now()), message } });
    }
  };

  try {
    if (talk.loginNeeded) await tryNewLogin(needs, opened, watcher, talk);
    change(true);
    const end = await watcher.run();
    if (ended.signal.aborted) throw ended.signal.reason;
    return end;
  } finally {
    ended.abort();
    await Promise.allSettled(errands);
    change(true);
  }
}

/** Somebody may have logged in: one call shows. */
async function tryNewLogin(
  needs: WatchNeeds,
  opened: OpenWatch,
  watcher: Watcher,
  talk: WatchTalk,
): Promise<void> {
  try {
    await opened.useLogin(needs.signal);
    talk.loginWorks();
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    if (isLoginFailure(error.code)) watcher.hinder(error);
  }
}

/** How long the login lasts. One that ends soon is used once: that may make it last longer. */
async function lifetime(
  { signal, clock, loginCanChange }: WatchNeeds,
  opened: OpenWatch,
  talk: WatchTalk,
): Promise<number | undefined> {
  const endsAt = await opened.loginEndsAt(signal);
  const short = endsAt !== undefined && endsAt - clock.now() < LOGIN_SHORT_MS;
  if (!short || talk.loginNeeded || !loginCanChange) return endsAt;
  await opened.useLogin(signal);
  return await opened.loginEndsAt(signal);
}

/** What a watcher needs of a login and its ledger. */
export function watcherNeeds(needs: WatchNeeds, opened: OpenWatch, outbox: Outbox) {
  const { ledger, marks, client, uploadUrl } = opened;
  const { appVersion, place, recursiveEvents, clock, random } = needs;
  return {
    ...{ appVersion, place, recursiveEvents, clock, random },
    ...{ marks, outbox, client, uploadUrl },
    ledger: ledger.uploads,
    known: ledger.known,
  } satisfies Partial<WatcherNeeds>;
}

function errorFact(event: WatchEvent, now: number) {
  switch (event.event) {
    case 'obstacle':
    case 'login-needed':
    case 'problem':
      return { lastError: { at: isoTime(now), message: event.message } };
    default:
      return {};
  }
}

function asError({ code, message, hint }: Failure): SyncError {
  return new SyncError(code, message, { hint });
}

function sameWatch(id: string, { stateDir, clock }: WatchNeeds): SyncError {
  const holder = readOne(stateDir, id, clock.now());
  const who = holder === undefined ? '' : ` by process ${holder.pid}, since ${holder.since}`;
  const folders = holder?.folders.map(({ path }) => path).join(', ') ?? 'This';
  return new SyncError('BUSY', `${folders}: being watched already${who}.`, {
    hint: 'See `sync status`; `sync daemon stop` ends the one in the background.',
    details: holder === undefined ? {} : { pid: holder.pid, since: holder.since },
  });
}
