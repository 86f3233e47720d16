import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createServiceClient } from '../../src/api/client.ts';
import { type Http, requestHeaders } from '../../src/api/http.ts';
import { RETRIES } from '../../src/api/retry.ts';
import { SyncError } from '../../src/base/errors.ts';
import { Secret } from '../../src/base/secret.ts';
import type { Clock } from '../../src/base/time.ts';
import { DEFAULT_ENDPOINTS } from '../../src/config/endpoints.ts';
import { openDatabase } from '../../src/ledger/database.ts';
import { recordLedger } from '../../src/ledger/records.ts';
import { LibraryClient } from '../../src/library/client.ts';
import type { Client } from '../../src/library/types.ts';
import { type DeliveryOptions, deliverRecords } from '../../src/records/deliver.ts';
import { prepareInputs } from '../../src/records/prepare.ts';
import { createSandboxApp } from '../../src/sandbox/app.ts';
import type { Scope } from '../../src/sandbox/oauth/scopes.ts';
import type { PlatformName } from '../../src/sandbox/settings.ts';
import type { Random } from '../../src/seed/random.ts';
import { markProcess } from '../../src/system/processes.ts';

/**
 * A life of one athlete's nutrition: two computers, a program with the library, edits in the app, faults,
 * crashes, and pushes at the same moment. The judge reads the platform's rows; of the reports it takes only
 * whether a day counts as delivered, and what they announce.
 */

export interface Finding {
  readonly kind: 'lost' | 'doubled' | 'returned' | 'erased' | 'untrue';
  readonly what: string;
}

export interface LifeResult {
  readonly platform: string;
  readonly findings: readonly Finding[];
  /** What happened, for a finding. */
  readonly story: readonly string[];
}

/** The kind of platform, and whether the login may read nutrition. */
const PLATFORMS = [
  ['coach-watts', true],
  ['coach-watts', false],
  ['interface', false],
] as const;

/** The client IDs of the athlete: of all computers, or one of the first and one of the others. */
const CLIENTS = ['sandbox-client', 'sandbox-confidential'] as const;

const DAYS = ['2026-02-15', '2026-02-16'] as const;
const ATHLETE = 'athlete-1';
const URL_OF_ALL = 'http://127.0.0.1:8918';
const WRITE: Scope[] = ['nutrition:write', 'profile:read'];
const SCOPE_OF_READING = 'nutrition:read';
const FAULTS = ['504', '504(after)', '500(after)', '429(retry-after=0)', 'html(after)'] as const;

/** The clock of a life: it does not wait. */
const clock: Clock = {
  now: () => Date.parse('2026-02-17T12:00:00Z'),
  monotonic: () => 0,
  sleep: () => Promise.resolve(),
};

interface Item {
  readonly name: string;
  date: string;
  /** Its input had it on this day before. */
  formerly?: string;
  /** The athlete entered the same food before it was sent: its input keeps it as it is. */
  entered?: true;
  /** Who sends it: a computer's name, `library`, or `app` for the athlete. */
  readonly by: readonly string[];
  /** By the input; undefined if the input dropped it. */
  carbs: number | undefined;
  /** What the athlete did to it in the app. */
  edited?: number;
  /** Who sent it with --force since that, beside or in place of the athlete's. */
  forcedBy?: readonly string[];
  deleted?: true;
  /** The input changed it after the athlete edited it. */
  contested?: true;
  /** Its sender has sent it, and not looked since: `crossed` if another computer sent something in the meantime. */
  recent?: 'sent' | 'crossed' | 'seen';
  /**
   * Its sender cannot tell a deletion in the app from a lost race. It may then be absent if a report says that it
   * is no longer on the platform, and present if one says that it was sent again.
   */
  unsure?: true;
  /**
   * Without reading: what a request at the same moment left of it. Until a later push sends the day, no look
   * shows that.
   */
  raced?: { readonly held: readonly number[] };
  /** Its version before the last change of the input. */
  earlier?: number | undefined;
  /** The input has changed it since its sender's last complete run. */
  pending?: true;
  /** --replace-day took it out: its own input sends it as a new item, and names the version in its place. */
  taken?: true;
  /** The athlete changed it meanwhile: the sender may send its new version, or leave the athlete's. */
  either?: true;
  /** The library reported that it did not send the item. */
  refused?: true;
  /** A replacement that nobody saw erased it, before an update of the platform. */
  erased?: true;
}

/** An item as the platform stores it. */
interface Row {
  readonly id: string;
  readonly name: string;
  readonly carbs: number;
  readonly source: string;
}

/** `--force`, `--replace-day`. */
type Flags = Partial<Pick<DeliveryOptions, 'force' | 'merge'>>;
const FLAGS: readonly [Flags, ...Flags[]] = [{}, {}, {}, { force: true }, { merge: 'replace-day' }];

interface Report {
  readonly outcome: string;
  readonly said: string;
}

interface Computer {
  readonly name: string;
  /** The platform's name for its client ID. */
  readonly source: string;
  readonly push: (files: readonly string[], flags?: Flags) => Promise<'done' | 'stopped'>;
  /** The reports of each day, the last one first. */
  readonly reports: Map<string, Report[]>;
  readonly close: () => void;
}

/** Runs a life of `steps` steps, and judges what the platform holds at its end. */
export async function live(random: Random, number: number, steps: number): Promise<LifeResult> {
  const [platform, reads] = PLATFORMS[number % PLATFORMS.length] ?? PLATFORMS[0];
  const turn = Math.floor(number / PLATFORMS.length);
  const life = new Life(random, platform, reads, {
    isCrowded: turn % 2 === 1,
    clients: CLIENTS.slice(0, turn % 4 > 1 ? 2 : 1),
  });
  try {
    for (let step = 0; step < steps; step++) await life.step();
    return await life.end();
  } finally {
    await life.close();
  }
}

class Life {
  readonly #random: Random;
  readonly #platform: string;
  readonly #reads: boolean;
  #replaces: boolean;
  /** It has a third computer, edits between a look and the request after it, and an update of the platform. */
  readonly #isCrowded: boolean;
  readonly #sandbox: ReturnType<typeof createSandboxApp>;
  /** In memory, if the system can: no life outlasts a power failure. */
  readonly #dir = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'sync-life-'));
  readonly #computers: readonly [Computer, Computer, ...Computer[]];
  readonly #library: Client;
  readonly #libraryReports = new Map<string, Report[]>();
  /** The items of each input, by its name. */
  readonly #files = new Map<string, Item[]>();
  readonly #items: Item[] = [];
  readonly #findings: Finding[] = [];
  readonly #story: string[] = [];
  #count = 0;
  /** The computer whose push reached the platform last, by day. */
  readonly #last = new Map<string, string>();
  /** Runs once, before the next request that sends a day. */
  #beforeNext: { readonly date: string; readonly run: () => Promise<unknown> } | undefined;
  /** Runs once, between the reading and the writing of the next request that sends a day. */
  #between: { readonly date: string; readonly run: () => Promise<unknown> } | undefined;

  constructor(
    random: Random,
    platform: PlatformName,
    reads: boolean,
    { isCrowded, clients }: { readonly isCrowded: boolean; readonly clients: readonly string[] },
  ) {
    this.#random = random;
    this.#isCrowded = isCrowded;
    const [first = CLIENTS[0], others = first] = clients;
    this.#reads = reads;
    this.#replaces = platform !== 'coach-watts';
    this.#platform = `${platform} ${reads ? 'with' : 'without'} nutrition:read, ${clients.length} client IDs`;
    this.#sandbox = createSandboxApp({ settings: { platform } });
    this.#computers = [
      this.#computer('a', first),
      this.#computer('b', others),
      ...(this.#isCrowded ? [this.#computer('c', others)] : []),
    ];
    const { access_token: accessToken } = this.#sandbox.control.mint({ scopes: this.#scopes });
    this.#library = new LibraryClient(
      {
        baseUrl: URL_OF_ALL,
        tokens: { accessToken, scopes: this.#scopes },
        timezone: 'Europe/Berlin',
        stateDir: join(this.#dir, 'library'),
      },
      {},
      () => Promise.resolve(this.#http()),
    ) as Client;
  }

  get #scopes(): Scope[] {
    return this.#reads ? [...WRITE, SCOPE_OF_READING] : WRITE;
  }

  async close(): Promise<void> {
    for (const { close } of this.#computers) close();
    await this.#library.close();
    this.#sandbox.close();
    rmSync(this.#dir, { recursive: true });
  }

  async step(): Promise<void> {
    const random = this.#random;
    const computer = random.pick(this.#computers);
    const dice = random.integer(1, 20);
    if (this.#isCrowded && random.chance(0.25)) {
      if (random.chance(0.1)) this.#update();
      else await this.#pushDuringEdit(computer);
      return;
    }
    if (dice <= 8) await this.#push(computer);
    else if (dice <= 11) await this.#pushWithFault(computer);
    else if (dice <= 14) await this.#pushAtOnce(computer);
    else if (dice <= 15) await this.#call();
    else if (dice <= 16) await this.#pushMoved(computer);
    else if (dice <= 17) await this.#pushEntered(computer);
    else await this.#useApp();
  }

  /** Lets all computers finish, then judges. */
  async end(): Promise<LifeResult> {
    this.#note('the end');
    for (let round = 0; round < 3; round++) {
      for (const computer of this.#computers) {
        await computer.push([...this.#files.keys()].filter((file) => isOf(computer, file)));
      }
    }
    this.#judge();
    return { platform: this.#platform, findings: this.#findings, story: this.#story };
  }

  async #push(computer: Computer): Promise<void> {
    const file = this.#change(computer);
    const flags = this.#random.pick(FLAGS);
    this.#note(`${computer.name} pushes ${file} ${JSON.stringify(flags)}`);
    await computer.push([file], flags);
  }

  /** An item of a file is on another day now. */
  async #pushMoved(computer: Computer): Promise<void> {
    const file = `${computer.name}-1`;
    const item = this.#fileOf(file).find(
      (each) =>
        each.carbs !== undefined &&
        ![each.edited, each.deleted, each.unsure, each.either, each.raced, each.entered].some(
          (is) => is !== undefined,
        ) &&
        this.#rows(each.date).filter(({ name }) => name === each.name).length === 1,
    );
    if (item === undefined) return;
    this.#loseEvidence(item);
    item.formerly = item.date;
    item.date = DAYS.find((date) => date !== item.date) ?? item.date;
    item.pending = true;
    this.#note(`${file}: moves ${item.name} to ${item.date}`);
    await computer.push([file]);
  }

  /** The athlete enters a food that a file has, too. */
  async #pushEntered(computer: Computer): Promise<void> {
    if (this.#replaces) return;
    const file = `${computer.name}-2`;
    const item = this.#add(file, this.#random.pick(DAYS), [computer.name]);
    item.entered = true;
    this.#fileOf(file).push(item);
    this.#sandbox.control.addFood({ date: item.date, meal: 'lunch', item: bodyOf(item) });
    this.#note(`app: adds ${item.name}, and ${file} too`);
    await computer.push([file]);
  }

  async #pushWithFault(computer: Computer): Promise<void> {
    const { control } = this.#sandbox;
    const file = this.#change(computer);
    const fault = `any:${this.#random.pick(FAULTS)}*${this.#random.pick(['1', '2', 'inf'])}+${this.#random.integer(0, 3)}`;
    const crash = this.#random.chance(0.4) ? this.#random.integer(0, 4) : undefined;
    if (crash === undefined) control.addFaults(fault);
    else this.#dyingAt = { at: crash, after: this.#random.chance(0.5) };
    this.#note(crash === undefined ? fault : `killed at request ${crash}`);
    await computer.push([file]);
    this.#dyingAt = undefined;
    control.clearFaults();
    if (this.#random.chance(0.7)) await computer.push([file]);
  }

  /** The other computer's whole run is between the reading and the writing of one request. */
  async #pushAtOnce(computer: Computer): Promise<void> {
    const other = this.#other(computer);
    const shared = this.#random.chance(0.3);
    const date = this.#random.pick(DAYS);
    let [file, theirs] = [`${computer.name}-1`, `${other.name}-1`];
    if (shared) {
      const both = [computer.name, other.name].sort();
      const item = this.#add(both.join(''), date, both);
      file = theirs = `${both.join('')}-1`;
      this.#fileOf(file).push(item);
    } else {
      for (const [name, by] of [
        [file, computer.name],
        [theirs, other.name],
      ] as const) {
        this.#fileOf(name).push(this.#add(name, date, [by]));
      }
    }
    this.#note(
      `${computer.name} and ${other.name} at once on ${date}${shared ? ', the same file' : ''}`,
    );
    this.#between = { date, run: () => other.push([theirs]) };
    await computer.push([file]);
    this.#between = undefined;
    for (const [item, held] of this.#racing) item.raced = { held };
    this.#racing.clear();
  }

  /** The athlete uses the app after the look at a day, and before the request that follows. */
  async #pushDuringEdit(computer: Computer): Promise<void> {
    // A replacement erases what came after the look.
    if (this.#replaces) return;
    const file = this.#change(computer);
    const date = this.#fileOf(file).at(-1)?.date ?? DAYS[0];
    this.#beforeNext = { date, run: () => this.#useApp(date) };
    await computer.push([file]);
    this.#beforeNext = undefined;
  }

  /** The platform is updated: it adds from now on. */
  #update(): void {
    if (!this.#replaces) return;
    this.#note('the platform is updated');
    this.#sandbox.control.settings({ platform: 'coach-watts' });
    this.#replaces = false;
    for (const item of this.#items) {
      const isThere = this.#rows(item.date).some(({ name }) => name === item.name);
      // What a replacement erased unseen stays away.
      if (!this.#reads && !isThere) item.erased = true;
    }
  }

  async #call(): Promise<void> {
    const date = this.#random.pick(DAYS);
    const item = this.#add('library', date, ['library']);
    this.#note(`library: ${item.name} ${String(item.carbs)}`);
    const results = await this.#library.pushNutrition([{ date, items: [bodyOf(item)] }]);
    for (const result of results) {
      if (result.outcome === 'invalid') throw new Error('the library refused the item');
      const said = result.warnings.map(({ message }) => message).join(' ');
      addReport(this.#libraryReports, result.date, { outcome: result.outcome, said });
      // It may have sent an earlier day again.
      const sent = result.date === date ? [item] : [];
      if (result.outcome === 'pushed') this.#sent('library', result.date, sent);
      this.#note(`library ${result.date}: ${result.outcome} ${said}`);
    }
    const outcome = this.#reportsOf('library', date)[0]?.outcome;
    if (outcome !== 'pushed') item.refused = true;
  }

  /** The athlete adds, edits or deletes a food in the app. */
  #app = 0;
  async #useApp(date: string = this.#random.pick(DAYS)): Promise<void> {
    const { control } = this.#sandbox;
    // Without reading, a platform that replaces days erases what the athlete does; docs/nutrition.md says so.
    if (this.#replaces && !this.#reads) return;
    if (this.#random.chance(0.25)) {
      const item = this.#add('app', date, ['app']);
      control.addFood({ date, meal: 'lunch', item: bodyOf(item) });
      this.#note(`app: adds ${item.name}`);
      return;
    }
    if (this.#random.chance(0.2)) {
      const rows = this.#rows(date);
      // Of what a race had dropped before, nothing tells that the athlete did not remove it.
      const isThere = (item: Item) => rows.some(({ name }) => name === item.name);
      for (const item of this.#items) if (item.date === date && !isThere(item)) item.unsure = true;
      for (const { id, name } of rows) {
        control.editFood(id, null);
        for (const item of this.#items) if (item.name === name) this.#delete(item);
      }
      this.#note(`app: empties ${date}`);
      return;
    }
    const rows = this.#rows(date);
    const known = this.#items.filter(
      (item) =>
        item.date === date &&
        item.deleted === undefined &&
        item.entered === undefined &&
        rows.filter(({ name }) => name === item.name).length === 1,
    );
    if (known.length === 0) return;
    const item = this.#random.pick(known as [Item, ...Item[]]);
    const id = rows.find(({ name }) => name === item.name)?.id ?? '';
    if (this.#random.chance(0.5)) {
      control.editFood(id, null);
      this.#delete(item);
      this.#note(`app: deletes ${item.name}`);
    } else {
      item.edited = this.#app++ + 1000;
      delete item.forcedBy;
      control.editFood(id, { carbs: item.edited });
      this.#note(`app: edits ${item.name} to ${item.edited}`);
    }
    await Promise.resolve();
  }

  /** Changes one of a computer's files. @returns its name */
  #change({ name }: Computer): string {
    const file = `${name}-${this.#random.integer(1, 2)}`;
    const items = this.#fileOf(file);
    const kept = items.filter(({ carbs, entered }) => carbs !== undefined && entered === undefined);
    const dice = this.#random.integer(1, 10);
    if (kept.length === 0 || dice <= 5) {
      const item = this.#add(file, this.#random.pick(DAYS), [name]);
      items.push(item);
      this.#note(`${file}: adds ${item.name} on ${item.date}`);
    } else {
      const item = this.#random.pick(kept as [Item, ...Item[]]);
      if (dice <= 8) {
        item.earlier = item.carbs;
        item.carbs = this.#nextCarbs();
        item.pending = true;
        if (item.edited !== undefined) item.contested = true;
        // A new version is sent, although the athlete removed the earlier one.
        delete item.deleted;
        delete item.recent;
        this.#note(`${file}: changes ${item.name} to ${item.carbs}`);
      } else {
        item.carbs = undefined;
        this.#loseEvidence(item);
        delete item.contested;
        this.#note(`${file}: drops ${item.name}`);
      }
    }
    return file;
  }

  #add(prefix: string, date: string, by: readonly string[]): Item {
    const item: Item = {
      name: `${prefix}-food-${++this.#count}`,
      date,
      by,
      carbs: this.#nextCarbs(),
      pending: true,
    };
    this.#items.push(item);
    return item;
  }

  #nextCarbs(): number {
    return ++this.#count;
  }

  #fileOf(name: string): Item[] {
    const items = this.#files.get(name) ?? [];
    this.#files.set(name, items);
    return items;
  }

  #other(computer: Computer): Computer {
    const others = this.#computers.filter((each) => each !== computer);
    return this.#random.pick(others as [Computer, ...Computer[]]);
  }

  #note(text: string): void {
    this.#story.push(text);
  }

  /** With an item goes what could show that a race has dropped another computer's. */
  #loseEvidence({ date, by }: Pick<Item, 'date' | 'by'>): void {
    const rows = this.#rows(date);
    for (const each of this.#items) {
      const isThere = rows.some(({ name }) => name === each.name);
      if (each.date === date && !isThere && !each.by.some((one) => by.includes(one))) {
        each.unsure = true;
      }
    }
  }

  #delete(item: Item): void {
    item.deleted = true;
    // Without the other application's version, the conflict is over, and the computer sends its own.
    const isConflict = (by: string) =>
      this.#reportsOf(by, item.date).some(
        ({ outcome, said }) => outcome === 'conflict' && said.includes(item.name),
      );
    if (item.pending === true || item.by.some(isConflict)) item.either = true;
    this.#loseEvidence(item);
    if (item.recent === 'crossed' || item.by.length > 1) item.unsure = true;
    // The new version of the input was never on the platform.
    if (item.contested === true) delete item.deleted;
    delete item.edited;
    delete item.contested;
  }

  /** Notes who sent a day. @param items of the inputs */
  #sent(by: string, date: string, items: readonly Item[], again = false): void {
    this.#last.set(date, by);
    for (const item of this.#items) {
      if (item.date !== date) continue;
      if (item.by.includes(by)) {
        if (item.raced !== undefined) item.unsure = true;
        delete item.raced;
        const isFirst = item.pending === true && items.includes(item);
        if (isFirst) delete item.pending;
        if (isFirst || item.recent !== undefined) item.recent = isFirst || again ? 'sent' : 'seen';
      }
    }
    this.#wrote(by, date);
  }

  /** Notes that a day was written to: to other senders, an item that left may look dropped by that. */
  #wrote(by: string, date: string): void {
    for (const item of this.#items.filter((each) => each.date === date && !each.by.includes(by))) {
      if (item.recent === 'sent') item.recent = 'crossed';
      if (item.deleted === true && item.recent === 'crossed') item.unsure = true;
    }
  }

  /** Notes what a delivered day holds since a run with flags. @param sent the items of the input */
  #settle(by: string, date: string, sent: readonly Item[], flags: Flags, said: string): void {
    const { force = false, merge } = flags;
    const rows = this.#rows(date);
    for (const item of this.#items.filter((each) => each.date === date)) {
      if (force && item.by.includes('app') && !rows.some(({ name }) => name === item.name)) {
        if (/erased, since/.test(said) && said.includes(item.name)) item.deleted = true;
      }
      if (!item.by.includes(by)) continue;
      if (force) item.forcedBy = [...(item.forcedBy ?? []), by];
      if (force && item.carbs === undefined) item.either = true;
      else if (force && !this.#isOfOther(by, item)) {
        // Its version was sent in place of the athlete's.
        if (item.edited !== undefined) item.recent = 'sent';
        delete item.edited;
        delete item.contested;
      }
      if (merge !== 'replace-day' || item.carbs === undefined) continue;
      if (sent.includes(item)) {
        // If it was not there, it was sent again.
        item.recent = 'sent';
        delete item.deleted;
        delete item.unsure;
        delete item.either;
      } else {
        // Another computer may have sent the item, too: only this one's request is gone.
        this.#loseEvidence({ date, by: [by] });
        item.taken = true;
        // Its own input sends it again, and does not know what the athlete did to it.
        item.pending = true;
        if (item.deleted === true) item.either = true;
      }
    }
  }

  /** Checks that another application sent the item that the platform holds: no flag overwrites it. */
  #isOfOther(by: string, { name, date }: Item): boolean {
    const source = this.#computers.find((each) => each.name === by)?.source;
    return this.#rows(date).some((row) => row.name === name && row.source !== source);
  }

  #judge(): void {
    for (const date of DAYS) {
      const rows = this.#rows(date);
      for (const item of this.#items) if (item.date === date) this.#judgeItem(item, rows);
    }
  }

  #judgeItem(item: Item, rows: readonly { name: string; carbs: number }[]): void {
    const { name, date, carbs, edited, deleted, contested, by } = item;
    const there = rows.filter((row) => row.name === name).map((row) => row.carbs);
    const found = `${name}: the platform holds ${there.join(', ') || 'none'}`;
    // `--force` sends an item beside the version of another application.
    const isBeside = ({ said }: Report) => said.includes('sent beside it') && said.includes(name);
    const isForced = by.some((each) => this.#reportsOf(each, date).some(isBeside));
    const isOverwritten = there[0] === carbs && by.every((each) => item.forcedBy?.includes(each));
    if (isForced && (there.length > 1 || isOverwritten)) return;
    // Both versions, if it undid the removal of the earlier one.
    const isRaced = item.raced !== undefined && isDeepStrictEqual(there, item.raced.held);
    if (there.length > 1 && !isRaced) this.#found('doubled', found);
    const before = this.#rows(item.formerly ?? '').some((row) => row.name === name);
    if (before && item.raced === undefined) this.#found('doubled', `${name} is on ${date}, too`);
    // Such days are `unseen`.
    if (this.#replaces && !this.#reads && !by.includes(this.#last.get(date) ?? '')) return;
    const expected = deleted === true ? undefined : (edited ?? carbs);
    const [held] = there;
    const isDelivered = by.every((one) => this.#isDelivered(one, date));
    if (held === expected) {
      if (contested === true && isDelivered) {
        this.#found('untrue', `${name}: both changed it, and the day counts as delivered`);
      }
    } else if (by.includes('app')) {
      this.#found('erased', `${found}, the athlete entered ${String(expected)}`);
    } else if (!isRaced && !this.#isExcused(item, held, rows)) {
      const kind = expected === undefined ? 'returned' : held === undefined ? 'lost' : 'untrue';
      this.#found(kind, `${found} instead of ${String(expected)}`);
    }
  }

  #isExcused(item: Item, held: number | undefined, rows: readonly { name: string }[]): boolean {
    const { name, date, by, carbs, unsure, refused, either, erased } = item;
    // A platform that replaces days would erase foods of the athlete: no computer sends such a day.
    const hasFoods = rows.some((row) => row.name.startsWith('app-'));
    const isConflict = (one: string) => this.#reportsOf(one, date)[0]?.outcome === 'conflict';
    if (this.#replaces && hasFoods && by.some(isConflict)) return true;
    const isTold = (texts: readonly string[]) =>
      by.some((one) =>
        this.#reportsOf(one, date).some(
          ({ said }) =>
            texts.some((text) => said.includes(text)) &&
            (said.includes(name) || / more\b/.test(said)),
        ),
      );
    // A request of the same moment brought it back: without reading, the next look takes it for an edit.
    const isEarlier = !this.#reads && held !== undefined && held === item.earlier;
    if (isEarlier && isTold(['changed in the platform'])) return true;
    if (erased === true) return held === undefined || held === carbs;
    if (refused === true) return held === undefined;
    if (either === true) return held === undefined || held === carbs;
    const isReplaced = item.taken === true && held !== undefined && held === carbs;
    if (unsure !== true && !isReplaced) return false;
    const told = held === undefined ? ['no longer on the platform'] : ['sent again'];
    if (isReplaced) told.push('an earlier version');
    return isTold(told);
  }

  #reportsOf(by: string, date: string): readonly Report[] {
    const computer = this.#computers.find(({ name }) => name === by);
    return (computer?.reports ?? this.#libraryReports).get(date) ?? [];
  }

  #isDelivered(by: string, date: string): boolean {
    const [last] = this.#reportsOf(by, date);
    return last?.outcome === 'pushed' || last?.outcome === 'skipped';
  }

  #found(kind: Finding['kind'], what: string): void {
    this.#findings.push({ kind, what });
  }

  /** What the platform holds, by its own rows. */
  #rows(date: string): Row[] {
    const record = this.#sandbox.world.daily.find(ATHLETE, 'nutrition', date)?.record ?? {};
    return ['breakfast', 'lunch', 'dinner', 'snacks'].flatMap(
      (meal) => (record[meal] ?? []) as Row[],
    );
  }

  #dyingAt: { at: number; readonly after: boolean } | undefined;

  /** Sends a request to the platform, in this process. */
  async #fetch(request: Request): Promise<Response> {
    const body = request.method === 'POST' ? await request.clone().text() : '';
    const before = this.#beforeNext;
    if (before !== undefined && /"items":\[\{|itemId/.test(body) && body.includes(before.date)) {
      this.#beforeNext = undefined;
      await before.run();
    }
    const between = this.#between;
    if (between !== undefined && /"items":\[\{/.test(body) && body.includes(between.date)) {
      this.#between = undefined;
      const { daily } = this.#sandbox.world;
      const before = daily.find(ATHLETE, 'nutrition', between.date)?.record;
      const rows = this.#rows(between.date);
      await between.run();
      this.#race(between.date, rows);
      const empty = { breakfast: [], lunch: [], dinner: [], snacks: [] };
      daily.put(ATHLETE, 'nutrition', between.date, before ?? empty, 0);
    }
    return await this.#sandbox.app.fetch(request);
  }

  /** What is held of the items that two requests at the same moment disagree about. */
  readonly #racing = new Map<Item, readonly number[]>();

  /** Notes what a request undoes that had read these rows before the last run. */
  #race(date: string, before: readonly { name: string; carbs: number }[]): void {
    if (this.#reads) return;
    const heldIn = (rows: typeof before, { name }: Item) =>
      rows.filter((row) => row.name === name).map((row) => row.carbs);
    const after = this.#rows(date);
    for (const item of this.#items.filter((each) => each.date === date)) {
      const held = heldIn(before, item);
      if (!isDeepStrictEqual(held, heldIn(after, item))) this.#racing.set(item, held);
    }
  }

  #http(): Http {
    return {
      send: async ({ method, url, body, ...rest }) => {
        const headers = requestHeaders({ method, url, ...rest });
        delete headers['content-length'];
        const dying = this.#dyingAt;
        const dies = dying !== undefined && dying.at-- === 0;
        if (dies && !dying.after) throw new SyncError('INTERRUPTED', 'killed');
        const sent = body === undefined ? {} : { body: Buffer.concat(body) };
        const response = await this.#fetch(new Request(url, { method, headers, ...sent }));
        if (dies) throw new SyncError('INTERRUPTED', 'killed');
        return {
          status: response.status,
          headers: Object.fromEntries(response.headers),
          text: await response.text(),
        };
      },
      close: () => Promise.resolve(),
    };
  }

  #computer(name: string, clientId: string): Computer {
    const dir = join(this.#dir, name);
    const database = openDatabase(join(mkdtempSync(`${dir}-`), 'ledger.db'));
    const mark = markProcess(this.#dir);
    const ledger = recordLedger(database, 'athlete:1', mark, () => clock.now());
    const minted = this.#sandbox.control.mint({ scopes: this.#scopes, clientId });
    const token = new Secret(minted.access_token);
    const { signal } = new AbortController();
    const context = {
      clock,
      signal,
      random: () => 0,
      trace: () => undefined,
      warn: () => undefined,
    };
    const client = createServiceClient(context, {
      baseUrl: new URL(URL_OF_ALL),
      endpoints: DEFAULT_ENDPOINTS,
      http: this.#http(),
      tokens: {
        accessToken: () => Promise.resolve(token),
        replace: () => Promise.resolve(new Secret('another-token')),
        scopes: () => Promise.resolve(this.#scopes),
      },
      policy: RETRIES.run,
    });
    const reports = new Map<string, Report[]>();
    const push = async (
      files: readonly string[],
      flags: Flags = {},
    ): Promise<'done' | 'stopped'> => {
      const before = DAYS.map((date) => JSON.stringify(this.#rows(date)));
      const inputs = files.map((file) => ({ name: file, chunks: one(this.#recordsOf(file)) }));
      const zone = { name: 'Europe/Berlin', from: 'profile' } as const;
      const { records } = await prepareInputs('nutrition', inputs, { zone, strict: false }, signal);
      try {
        await deliverRecords(
          context,
          records,
          { force: false, dryRun: false, jobs: 1, ...flags },
          {
            ledger,
            client: () => Promise.resolve(client),
            url: (of) => new URL(`/api/${of}`, URL_OF_ALL),
            report: (item) => {
              const said = item.warnings.map(({ message }) => String(message)).join(' ');
              const isFirst = !(reports.get(item.date) ?? []).some(isPushed);
              const message = 'message' in item ? item.message : '';
              // The message of a conflict names the items.
              const words = item.outcome === 'conflict' ? `${message} ${said}` : said;
              addReport(reports, item.date, { outcome: item.outcome, said: words });
              this.#note(`${name} ${item.date}: ${item.outcome} ${message} ${said}`);
              if (this.#replaces && isFirst && isPushed(item) && !isUnseen(item)) {
                this.#found('erased', `${name} replaced ${item.date} without a word`);
              }
              // It may have sent other items of the day.
              if (item.outcome === 'conflict' && !this.#replaces) this.#sent(name, item.date, []);
              const sent = files.flatMap((file) => this.#fileOf(file));
              if (item.outcome === 'pushed') {
                this.#sent(name, item.date, sent, said.includes('sent again'));
              }
              const isKept = item.outcome === 'conflict' && this.#replaces;
              // A file names the former day of a moved item, too.
              const isInput = sent.some((each) => [each.date, each.formerly].includes(item.date));
              if (isInput && !isKept) this.#settle(name, item.date, sent, flags, said);
            },
          },
        );
        return 'done';
      } catch (error) {
        if (!(error instanceof SyncError) || error.code !== 'INTERRUPTED') throw error;
        // A killed run reports nothing, and the next one sends again what it may have sent.
        for (const item of this.#items.filter(({ by }) => by.includes(name))) {
          if (item.unsure === true) item.either = true;
          if (item.recent !== undefined) item.pending = true;
        }
        return 'stopped';
      } finally {
        // A run that failed or was killed may have written, too.
        const isChanged = (date: string, at: number) =>
          JSON.stringify(this.#rows(date)) !== before[at];
        for (const date of DAYS.filter(isChanged)) this.#wrote(name, date);
      }
    };
    return {
      name,
      source: clientId === CLIENTS[0] ? 'oauth:app-1' : 'oauth:app-2',
      push,
      reports,
      close: () => {
        mark.release();
        database.close();
      },
    };
  }

  #recordsOf(file: string): string {
    const items = this.#files.get(file) ?? [];
    const days = DAYS.filter((date) =>
      items.some((item) => item.date === date || item.formerly === date),
    );
    return JSON.stringify(
      days.map((date) => ({
        date,
        items: items.filter((item) => item.date === date && item.carbs !== undefined).map(bodyOf),
      })),
    );
  }
}

function bodyOf({ name, date, carbs = 0 }: Item) {
  return { name, carbs, logged_at: `${date}T12:00:00+01:00` };
}

function isOf({ name }: Computer, file: string): boolean {
  return (file.split('-')[0] ?? '').includes(name);
}

function isPushed({ outcome }: { readonly outcome: string }): boolean {
  return outcome === 'pushed';
}

function isUnseen(item: unknown): boolean {
  return typeof item === 'object' && item !== null && 'unseen' in item && item.unseen === true;
}

async function* one(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text));
}

function addReport(reports: Map<string, Report[]>, date: string, report: Report): void {
  reports.set(date, [report, ...(reports.get(date) ?? [])]);
}
