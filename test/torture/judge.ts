import type { Finished } from '../support/program.ts';
import { foodsHeld, sha256 } from '../support/acceptance.ts';
import { type Cargo, type Food, foodKey } from './cargo.ts';
import type { Round } from './kind.ts';
import type { StoredItem } from '../../src/sandbox/resources/nutrition-day.ts';
import type { Control, RequestRecord } from '../../src/sandbox/types.ts';

/** What a sandbox shows of an athlete's data. */
export interface Platform {
  readonly control: Pick<Control, 'state' | 'recordingBytes'>;
}

export type Findings = Pick<Round, 'failed'>;

/** Compares the recordings that the platform holds with those that were sent, byte by byte. */
export function judgeRecordings(
  round: Findings,
  { control }: Platform,
  sent: ReadonlyMap<string, Uint8Array>,
): void {
  const held = control.state('athlete-1').athletes[0]?.recordings ?? [];
  const byHash = new Map([...sent].map(([name, bytes]) => [sha256(bytes), { name, bytes }]));
  const counts = new Map<string, number>();
  for (const { sha256: hash } of held) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  for (const [hash, { name, bytes }] of byHash) {
    const received = control.recordingBytes(hash);
    if (!counts.has(hash) || received === null) round.failed('lost', name);
    else if (!Buffer.from(received).equals(bytes)) round.failed('lost', `${name}: other bytes`);
  }
  for (const [hash, count] of counts) {
    const name = byHash.get(hash)?.name;
    if (name === undefined) round.failed('wrong report', `the platform holds ${hash}, never sent`);
    else if (count > 1) round.failed('duplicated', `${name}: ${count} times`);
  }
}

/** A food that was pushed. Names are unique within a round. */
export interface SentFood {
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly name: string;
}

/** Counts each food on its day: once, and no other foods. @param days all days that were sent */
export function judgeFoods(
  round: Findings,
  platform: { readonly control: Control },
  days: readonly string[],
  sent: readonly SentFood[],
): void {
  for (const date of days) {
    const names = foodsHeld(platform, date).map((item) => item.name ?? '');
    const wanted = new Set(sent.filter((food) => food.date === date).map((food) => food.name));
    for (const name of wanted) {
      const count = names.filter((each) => each === name).length;
      if (count === 0) round.failed('lost', `${date} ${name}`);
      if (count > 1) round.failed('duplicated', `${date} ${name}: ${count} times`);
    }
    for (const name of names) {
      if (!wanted.has(name)) round.failed('wrong report', `${date} holds ${name}, never sent`);
    }
  }
}

/** Compares the wellness days that the platform holds with those that were sent, field by field. */
export function judgeWellness(
  round: Findings,
  { control }: Platform,
  sent: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
): void {
  const held = control.state('athlete-1').athletes[0]?.wellness ?? [];
  for (const [date, fields] of sent) {
    const days = held.filter((day) => day.date === date);
    if (days.length === 0) round.failed('lost', `wellness of ${date}`);
    if (days.length > 1) round.failed('duplicated', `wellness of ${date}`);
    for (const [name, value] of Object.entries(fields)) {
      if (days[0] === undefined || days[0].record[name] === value) continue;
      round.failed('lost', `wellness of ${date}: ${name} is ${String(days[0].record[name])}`);
    }
  }
  for (const { date } of held) {
    if (!sent.has(date)) round.failed('wrong report', `wellness of ${date}, never sent`);
  }
}

/**
 * Returns whether a request may only look at nutrition, as a run without changes does for the days that an
 * earlier run sent: the probe of a platform, an empty day, and `userinfo` after a 401. A list of workouts changes
 * nothing, too.
 */
export function onlyLooks({ route, body, status }: RequestRecord): boolean {
  if (route === 'nutrition') {
    return (body as { items?: unknown[] } | undefined)?.items?.length === 0;
  }
  if (route === 'nutrition-list' || route === 'workouts') return true;
  return route === 'userinfo' || (route === 'nutrition-items' && (status ?? 0) >= 400);
}

/** Compares everything that the platform holds with what it has to hold. */
export function judgeCargo(
  round: Findings,
  platform: { readonly control: Control },
  cargo: Cargo,
): void {
  judgeRecordings(round, platform, cargo.recordings);
  judgeWellness(round, platform, cargo.wellness);
  const [athlete] = platform.control.state('athlete-1').athletes;
  const days = (athlete?.nutrition ?? []).map(({ date }) => date);
  judgeDoubles(round, platform, days);
  for (const date of new Set([...days, ...cargo.foods.keys()])) {
    judgeDay(round, platform, date, cargo.foods.get(date) ?? new Map<string, Food>());
  }
  judgeProfile(round, platform, cargo.profile);
}

function judgeDay(
  round: Findings,
  platform: { readonly control: Control },
  date: string,
  due: ReadonlyMap<string, Food>,
): void {
  const held = new Map(foodsHeld(platform, date).map((food) => [foodKey(food), food]));
  for (const [key, { calories }] of due) {
    const found = held.get(key);
    if (found === undefined) round.failed('lost', key);
    else if (found.calories !== calories) {
      round.failed('lost', `${key}: ${String(found.calories)} kcal, not ${calories}`);
    }
  }
  for (const key of held.keys()) {
    if (!due.has(key)) round.failed('wrong report', `${date} holds ${key}, which has to be gone`);
  }
}

/** Compares the profile with what was set (kg, W). The display unit of the weight stays as it was. */
function judgeProfile(
  round: Findings,
  { control }: Platform,
  { weight, ftp }: Cargo['profile'],
): void {
  const held = control.state('athlete-1').athletes[0]?.profile;
  if (weight !== undefined && Math.abs((held?.weight ?? 0) - weight) > 0.01) {
    round.failed('lost', `weight: ${String(held?.weight)} kg, not ${weight}`);
  }
  if (ftp !== undefined && held?.ftp !== ftp) {
    round.failed('lost', `FTP: ${String(held?.ftp)} W, not ${ftp}`);
  }
  if (held?.weightUnits !== 'Kilograms') {
    round.failed('wrong report', `the display unit became ${String(held?.weightUnits)}`);
  }
}

/**
 * Fails for each food that a day holds twice: no two foods of a round are the same.
 *
 * @param keyOf tells foods apart: a run that failed may leave a changed food beside its earlier version
 */
export function judgeDoubles(
  round: Findings,
  platform: { readonly control: Control },
  days: Iterable<string>,
  keyOf: (food: StoredItem) => string = foodKey,
): void {
  for (const date of days) {
    const counts = new Map<string, number>();
    for (const food of foodsHeld(platform, date)) {
      counts.set(keyOf(food), (counts.get(keyOf(food)) ?? 0) + 1);
    }
    for (const [key, count] of counts) {
      if (count > 1) round.failed('duplicated', `${key}: ${count} times`);
    }
  }
}

/** Texts of a fault of the program: a stack, or the message of an error that nobody expected. */
const FAULT_OF_THE_PROGRAM = /^\s+at .+:\d+:\d+\)?$|fault of sync itself/m;
/** Control characters that no text of a file or of the service may bring to a terminal. */
// eslint-disable-next-line no-control-regex
const RAW_CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

/** Tokens and codes of the sandbox, which begin like nothing else. */
const TOKEN = /sbx_(?:at|rt|code)_\w+/;

/** Judges what any run prints: no stack, no raw control character, no token, none of these secrets. */
export function judgeOutput(
  round: Findings,
  command: string,
  { code, stdout, stderr }: Finished,
  secrets: Iterable<string> = [],
): void {
  const text = `${stdout}\n${stderr}`;
  if (FAULT_OF_THE_PROGRAM.test(text)) round.failed('wrong report', `${command}: ${text}`);
  if (RAW_CONTROL.test(text)) {
    round.failed('wrong report', `${command} printed a control character: ${JSON.stringify(text)}`);
  }
  // Printing one is what `sync token` is for.
  const unasked = /^(sync )?token\b/.test(command) ? stderr : text;
  if (TOKEN.test(unasked)) round.failed('wrong report', `${command} printed a token`);
  for (const secret of secrets) {
    if (text.includes(secret)) round.failed('wrong report', `${command} printed a secret`);
  }
  const killed = code === null || code > 128;
  if (!killed && code > 0 && text.trim() === '' && !command.includes('--json')) {
    round.failed('wrong report', `${command} ended with ${code} and no words`);
  }
}
