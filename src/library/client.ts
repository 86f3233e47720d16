import { setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { showOrUpdate } from '../app/profile-update.ts';
import { machineZone } from '../app/context.ts';
import { listWorkouts } from '../app/workout-list.ts';
import { openHttp } from '../api/open-http.ts';
import { chooseZoneData } from '../app/zone.ts';
import type { Context } from '../base/context.ts';
import type { Env } from '../base/env.ts';
import { SyncError as ProgramError } from '../base/errors.ts';
import { renderText } from '../base/phrase.ts';
import { isCalendarDate } from '../base/time.ts';
import { onlyAccepts } from '../config/platforms.ts';
import { parseSetting } from '../config/settings.ts';
import { type DeliveryOptions, deliverRecords } from '../records/deliver.ts';
import { emptyDay } from '../records/prepared-record.ts';
import { fileInput, recordsInput } from '../records/read/input.ts';
import { rankBy } from '../records/prefer.ts';
import { prepareInputs } from '../records/prepare.ts';
import type { PreparedRecord } from '../records/types.ts';
import { SOURCES } from '../records/sources/all.ts';
import { makeNamedFolder } from '../system/storage.ts';
import { systemClock } from '../system/this-process.ts';
import { DEFAULT_JOBS, MAX_JOBS } from '../base/parallel.ts';
import { uploadBatch } from '../upload/pipeline.ts';
import { noTrack } from '../upload/known-outcome.ts';
import { contentsOf } from '../upload/read-recording.ts';
import { type FoundRecording, type NoRecording, recordingsOf } from '../upload/recordings-of.ts';
import type { UploadItem } from '../upload/report.ts';
import { Uploader } from '../upload/uploader.ts';
import { verifyUploads } from '../upload/verify.ts';
import {
  checkJson,
  checkLogin,
  checkNumber,
  checkRecording,
  checkWord,
  refuseOptions,
} from './check-options.ts';
import { type Opened, endpointsOf, openClient } from './open.ts';
import { publicError } from './public-error.ts';
import { recordResult, uploadResult, verifyResult } from './results.ts';
import type {
  ClientOptions,
  CommonOptions,
  NutritionOptions,
  NutritionRecord,
  Profile,
  ProfileChange,
  PushOptions,
  RecordResult,
  RecordingBytes,
  UndoOptions,
  UploadOptions,
  UploadResult,
  VerifyResult,
  WellnessRecord,
  Workout,
  WorkoutOptions,
} from './types.ts';

/** Names the place of records without an `origin`. */
const DEFAULT_ORIGIN = 'athlete-sync';

const RANK = rankBy([], SOURCES);

const DEFAULT_WORKOUTS = 20;

/** All options of a client. The compiler reports a missing one. */
const OPTIONS: Readonly<Record<keyof CommonOptions | 'tokens' | 'store', true>> = {
  ...{ baseUrl: true, clientId: true, clientSecret: true, tokens: true, store: true },
  ...{ stateDir: true, timezone: true, platformKind: true, endpoints: true, filePart: true },
  ...{ jobs: true, maxRetryWait: true, now: true, signal: true, onWarning: true },
};

/** Its methods are those of {@link Client}, which says when a result is one and when a list. */
export class LibraryClient {
  readonly #options: ClientOptions;
  readonly #env: Env;
  readonly #openHttp: typeof openHttp;
  readonly #baseUrl: URL;
  readonly #jobs: number;
  readonly #closing = new AbortController();
  readonly #context: Context;
  readonly #running = new Set<Promise<unknown>>();
  #opened: Promise<Opened> | undefined;
  #temporaryDir: string | undefined;
  #isWarned = false;

  /** @throws SyncError `CONFIG` for an invalid address, path or zone; `USAGE` for another invalid option */
  constructor(options: ClientOptions, env: Env, open = openHttp) {
    refuseOptions('createClient', options, OPTIONS);
    const { signal, onWarning, timezone, now = () => systemClock.now() } = options;
    checkWord('platformKind', options.platformKind, ['interface', 'coach-watts']);
    checkNumber('jobs', options.jobs, 1, MAX_JOBS);
    checkNumber('maxRetryWait', options.maxRetryWait, 0);
    checkLogin(options);
    this.#options = options;
    this.#env = env;
    this.#openHttp = open;
    this.#baseUrl = addressOf(options.baseUrl);
    if (timezone !== undefined) parseSetting('timezone', timezone, 'timezone');
    endpointsOf(options);
    this.#jobs = options.jobs ?? DEFAULT_JOBS;
    this.#context = {
      clock: { ...systemClock, now },
      signal: AbortSignal.any([this.#closing.signal, ...(signal === undefined ? [] : [signal])]),
      random: Math.random,
      trace: () => undefined,
      warn: (text) => onWarning?.(renderText(text, undefined)),
    };
    setMaxListeners(0, this.#context.signal);
  }

  async upload(
    given: string | RecordingBytes | readonly (string | RecordingBytes)[],
    { name, metadata = {}, force = false, anyType = false, ...other }: UploadOptions = {},
  ): Promise<UploadResult | UploadResult[]> {
    return await this.#run(async ({ targets }) => {
      refuseOptions('upload', other);
      checkJson('metadata', metadata);
      const all = [given].flat();
      const paths = all.filter((each) => typeof each === 'string');
      const recordings = all.filter((each) => typeof each !== 'string');
      recordings.forEach(checkRecording);
      const results: UploadResult[] = [];
      const report = (item: UploadItem) => void results.push(uploadResult(item));
      const options = { jobs: this.#jobs, name, metadata, force, anyType, dryRun: false };
      const target = {
        cwd: resolve(),
        tempFolder: tmpdir(),
        ...targets.upload,
        report,
      };
      if (paths.length > 0) await uploadBatch(this.#context, paths, options, target);
      const uploader = new Uploader(this.#context, options, target);
      for (const each of recordings) {
        const tools = { now: this.#context.clock.now(), signal: this.#context.signal };
        const parts: (FoundRecording | NoRecording)[] = [];
        for await (const part of recordingsOf(each.path, contentsOf(each.bytes), tools))
          parts.push(part);
        if (isOne(given) && parts.length > 1) {
          throw new ProgramError('USAGE', 'The file holds several activities.', {
            hint: 'Give it in a list: then each activity has a result.',
          });
        }
        for (const found of parts) {
          if ('problem' in found) {
            const { path, problem, reason } = found;
            const isNone = reason === 'not-an-activity';
            const invalid = { path, outcome: 'invalid', reason, detail: problem } as const;
            report(isNone ? noTrack(path, true, problem) : invalid);
          } else {
            const { path, track, contents } = found;
            report(await uploader.uploadContents({ path, named: true, track }, contents));
          }
        }
      }
      return isOne(given) ? only(results) : results;
    });
  }

  async pushWellness(
    given: Given<WellnessRecord>,
    { force, strict, ...other }: PushOptions = {},
  ): Promise<RecordResult | RecordResult[]> {
    return await this.#push('wellness', given, { force, strict }, other);
  }

  async pushNutrition(
    given: Given<NutritionRecord>,
    { force, strict, merge, origin, ...other }: NutritionOptions = {},
  ): Promise<RecordResult | RecordResult[]> {
    return await this.#push('nutrition', given, { force, strict, merge, origin }, other);
  }

  async undoNutrition(date: string, { origin, ...other }: UndoOptions = {}): Promise<RecordResult> {
    return await this.#run(async (opened) => {
      refuseOptions('undoNutrition', other);
      checkDay('date', date);
      const undo = { origin, remember: true };
      const days = await this.#deliver(opened, [emptyDay(date, [])], { force: false, undo });
      return only(days.filter((day) => day.date === date));
    });
  }

  async profile({ weight, ftp, ...other }: ProfileChange = {}): Promise<Profile | undefined> {
    return await this.#run(async ({ service }) => {
      refuseOptions('profile', other);
      const whole = { weight, ftp, force: false, dryRun: false };
      const report = await showOrUpdate(whole, service, this.#context.signal);
      if (report.action === 'updated') {
        for (const warning of report.warnings ?? []) this.#context.warn(warning);
      }
      return 'profile' in report ? (report.profile as Profile | undefined) : undefined;
    });
  }

  async workouts({
    since,
    until,
    limit = DEFAULT_WORKOUTS,
    ...other
  }: WorkoutOptions = {}): Promise<Workout[]> {
    return await this.#run(async ({ client }) => {
      refuseOptions('workouts', other);
      checkNumber('limit', limit, 0);
      for (const [name, day] of Object.entries({ since, until })) {
        if (day !== undefined) checkDay(name, day);
      }
      if (since !== undefined && until !== undefined && since > until) {
        throw new ProgramError('USAGE', `since ${since} is after until ${until}.`);
      }
      const zone = await this.#zone();
      const { signal } = this.#context;
      const list = await listWorkouts(client, { since, until, limit, zone }, signal);
      if ('workouts' in list) return [...list.workouts];
      throw new ProgramError('SERVICE_ANSWER', 'The platform sent something else than workouts.');
    });
  }

  async verify(): Promise<VerifyResult[]> {
    return await this.#run(async ({ service, ledger: { uploads } }) => {
      const { client } = service;
      const sent = uploads.confirmed();
      const { items } = await verifyUploads(this.#context, sent, client, uploads.platform);
      uploads.markVerified(
        items.flatMap(({ outcome, upload }) => (outcome === 'present' ? upload : [])),
      );
      const accepted = onlyAccepts('uploadFit', uploads.platform);
      return items.map((item) => verifyResult(item, accepted));
    });
  }

  async close(): Promise<void> {
    this.#closing.abort(new ProgramError('INTERRUPTED', 'The client was closed.'));
    await Promise.allSettled(this.#running);
    const opened = await this.#opened?.catch(() => undefined);
    this.#opened = undefined;
    await opened?.close();
    if (this.#temporaryDir !== undefined) rmSync(this.#temporaryDir, { recursive: true });
    this.#temporaryDir = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #push(
    kind: 'wellness' | 'nutrition',
    given: Given<WellnessRecord | NutritionRecord>,
    { merge, origin, force = false, strict = false }: NutritionOptions,
    other: object,
  ): Promise<RecordResult | RecordResult[]> {
    return await this.#run(async (opened) => {
      refuseOptions(kind === 'wellness' ? 'pushWellness' : 'pushNutrition', other);
      checkWord('merge', merge, ['update', 'add', 'replace-day']);
      const { ledger } = opened;
      const isUnnamed = typeof given !== 'string' && origin === undefined;
      const name = origin ?? DEFAULT_ORIGIN;
      const zone = await this.#zone();
      const options = {
        zone: { name: zone, from: this.#options.timezone === undefined ? 'machine' : 'profile' },
        strict,
        sources: { list: SOURCES, named: false, choose: refuseChoice },
        now: this.#context.clock.now(),
        lastWeight: ledger.records.wellness.lastWeight(),
        rank: RANK,
        // A file has its own.
        origin: typeof given === 'string' ? origin : name,
        merge: merge === undefined || merge === 'update' ? 'same-input' : merge,
        onlyAdds: isUnnamed && merge === undefined,
      } as const;
      const input = typeof given === 'string' ? fileInput(given) : recordsInput(given, name);
      const prepared = await prepareInputs(kind, [input], options, this.#context.signal);
      const unusable = [...prepared.unreadable, ...prepared.invalid].map(recordResult);
      if (isOne(given) && unusable.length + prepared.records.length > 1) {
        throw new ProgramError('USAGE', 'The record holds several days.', {
          hint: 'Give it in a list: then each day has a result.',
        });
      }
      const sent = await this.#deliver(opened, prepared.records, { force, merge: options.merge });
      if (kind === 'nutrition' && sent.some(isPushed)) this.#warnOfMemory(opened);
      if (!isOne(given)) return [...unusable, ...sent];
      // A nutrition day may take an item of its neighbour, which has a result of its own.
      const [asked] = prepared.records;
      return only([...unusable, ...sent.filter(({ date }) => date === asked?.date)]);
    });
  }

  async #deliver(
    { targets }: Opened,
    records: readonly PreparedRecord[],
    options: Pick<DeliveryOptions, 'force' | 'merge' | 'undo'>,
  ): Promise<RecordResult[]> {
    const results: RecordResult[] = [];
    await deliverRecords(
      this.#context,
      records,
      { ...options, dryRun: false, jobs: this.#jobs, rank: RANK },
      { ...targets.records, report: (item) => void results.push(recordResult(item)) },
    );
    return results;
  }

  /** Warns, once, that a platform replaces days of which the next client knows nothing. */
  #warnOfMemory({ client, ledger }: Opened): void {
    const isCoachWatts =
      client.kind === 'coach-watts' || ledger.records.platform.has('nutrition', 'meal-lists');
    if (this.#options.stateDir !== undefined || isCoachWatts || this.#isWarned) return;
    this.#isWarned = true;
    this.#context.warn(
      'This platform replaces a nutrition day that is sent again. Without stateDir, the next client does not know what this one sent, and its first push of the day erases that.',
    );
  }

  async #run<T>(operation: (opened: Opened) => Promise<T>): Promise<T> {
    const running = this.#attempt(operation);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Runs an operation. Errors of the program become those of the package. */
  async #attempt<T>(operation: (opened: Opened) => Promise<T>): Promise<T> {
    try {
      this.#context.signal.throwIfAborted();
      return await operation(await (this.#opened ??= this.#open()));
    } catch (error) {
      throw publicError(error);
    }
  }

  async #open(): Promise<Opened> {
    try {
      const stateDir = this.#stateDir();
      const http = await this.#openHttp({
        ...this.#context,
        env: this.#env,
        connections: this.#jobs,
      });
      return await openClient(this.#context, this.#options, http, this.#baseUrl, stateDir);
    } catch (error) {
      // The next operation tries again.
      this.#opened = undefined;
      throw error;
    }
  }

  #stateDir(): string {
    const { stateDir } = this.#options;
    if (stateDir === undefined) {
      return (this.#temporaryDir ??= mkdtempSync(join(tmpdir(), 'athlete-sync-')));
    }
    const folder = resolve(stateDir);
    makeNamedFolder(folder, 'stateDir');
    return folder;
  }

  /** Returns the zone of days, and makes the newest zone data decide. */
  async #zone(): Promise<string> {
    await chooseZoneData();
    return this.#options.timezone ?? machineZone(this.#env);
  }
}

function addressOf(given: string | URL): URL {
  const url = parseSetting('baseUrl', String(given), 'baseUrl');
  if (url === undefined) throw new ProgramError('CONFIG', 'baseUrl is missing.');
  return url;
}

function checkDay(name: string, day: string): void {
  if (isCalendarDate(day)) return;
  throw new ProgramError('USAGE', `${name}: ${day} is not a day.`, {
    hint: 'Write it as YYYY-MM-DD.',
  });
}

/** What a method takes: one record, several, or the path of a file. */
type Given<T> = string | T | readonly T[];

/** Returns whether one thing was given, which has one result. */
function isOne(given: Given<object>): boolean {
  return typeof given !== 'string' && !Array.isArray(given);
}

function isPushed({ outcome }: RecordResult): boolean {
  return outcome === 'pushed';
}

function only<T>([result]: readonly T[]): T {
  if (result === undefined) throw new Error('one was given, and has no result');
  return result;
}

function refuseChoice(input: string): never {
  throw new ProgramError('INPUT_INVALID', `${input} may come from several programs.`, {
    hint: 'Convert it to records in the form of docs/records.md.',
  });
}
