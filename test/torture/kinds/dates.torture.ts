import { Temporal } from 'temporal-polyfill';
import { KINDS, type World, foodsHeld, openLoggedInWorld } from '../../support/acceptance.ts';
import { ndjson } from '../../support/program.ts';
import { type Written, ZONES, anyTime } from '../dates.ts';
import { judgeFoods, judgeOutput, judgeWellness } from '../judge.ts';
import { type Round, torture } from '../kind.ts';

/** Dry runs of a round, each in a zone of its own, and the records whose days one names. */
const DRY_RUNS = 4;
const DRY = 500;
/** Records and items that a round sends. */
const RECORDS = 30;
const FOODS = 60;
/** Each day of a round has one record, so that none is merged with another (days). */
const APART = 3;

/** How a run learns the zone. Only `--tz` overrides the offset or zone that a time states. */
const WAYS = ['flag', 'environment', 'profile', 'machine'] as const;

interface Place {
  readonly zone: string;
  readonly way: (typeof WAYS)[number];
}

torture({
  name: 'dates',
  title: 'days and clock times in all forms against Temporal',
  rounds: { short: 5, full: 40 },
  run: async (round) => {
    const { random } = round;
    const place: Place = { zone: random.pick(ZONES), way: random.pick(WAYS) };
    round.note(JSON.stringify(place));
    const world = await openLoggedInWorld({
      platform: random.pick(KINDS),
      env: environmentOf(place),
    });
    if (place.way === 'profile') await world.sync(['config', 'set', 'timezone', place.zone]);
    for (let i = 0; i < DRY_RUNS; i++) {
      const way = random.pick(['flag', 'environment'] as const);
      await nameDays(round, world, { zone: random.pick(ZONES), way });
    }
    await pushWellness(round, world, place);
    await pushFoods(round, world, place);
  },
});

function environmentOf({ zone, way }: Place): NodeJS.ProcessEnv {
  // Another zone than the one that counts.
  const elsewhere = zone === 'Asia/Tokyo' ? 'America/Havana' : 'Asia/Tokyo';
  if (way === 'machine') return { TZ: zone };
  return { TZ: elsewhere, ...(way === 'environment' ? { SYNC_TIMEZONE: zone } : {}) };
}

/** Compares the day of each record, as `--dry-run` names it. */
async function nameDays(round: Round, world: World, place: Place): Promise<void> {
  const { zone, way } = place;
  const times = Array.from({ length: DRY }, () => anyTime(round.random, zone, way === 'flag'));
  const records = times.map(({ value }) => ({ date: value, weight: 70 }));
  const path = world.write('many.json', JSON.stringify(records));
  const flags = ['--json', '--dry-run', ...(way === 'flag' ? ['--tz', zone] : [])];
  const env = environmentOf(place);
  const { stdout } = await world.sync(['push', 'wellness', path, ...flags], { env });
  const found = new Map<string, unknown>();
  for (const { sources, date } of ndjson(stdout)) {
    for (const source of (sources ?? []) as string[]) found.set(source, date);
  }
  for (const [i, { value, recordDay }] of times.entries()) {
    const day = found.get(`${path}#/${i}`);
    if (day === recordDay) continue;
    round.failed(
      'wrong report',
      `${String(value)} in ${zone} is on ${recordDay}, said: ${String(day)}`,
    );
  }
  round.count('days', times.length);
}

async function pushWellness(round: Round, world: World, place: Place): Promise<void> {
  const { random } = round;
  const records: Record<string, unknown>[] = [];
  const days = new Map<string, Readonly<Record<string, unknown>>>();
  while (records.length < RECORDS) {
    const written = anyTime(random, place.zone, place.way === 'flag');
    const { recordDay: day } = written;
    const value = random.chance(0.1) ? day : written.value;
    const sleepSecs = 20_000 + records.length;
    if (isNear([...days.keys()], day)) continue;
    records.push({ [random.pick(['date', 'localDate', 'day'])]: value, sleepSecs });
    days.set(day, { sleepSecs });
  }
  await push(round, world, place, 'wellness', records, [...days.keys()]);
  judgeWellness(round, world.sandbox, days);
  round.count('records', records.length);
}

function isNear(days: readonly string[], day: string): boolean {
  const at = Date.parse(day);
  return days.some((each) => Math.abs(Date.parse(each) - at) < APART * 86_400_000);
}

async function pushFoods(round: Round, world: World, place: Place): Promise<void> {
  const { random } = round;
  const foods = Array.from({ length: FOODS }, (_, i) => ({
    name: `food ${i}`,
    ...anyTime(random, place.zone, place.way === 'flag'),
  }));
  const records = [0, 1, 2].map((third) => ({
    items: foods
      .filter((_, i) => i % 3 === third)
      .map(({ name, value }) => ({ name, logged_at: value, carbs: 20 })),
  }));
  const days = [...new Set(foods.map(({ day }) => day))];
  await push(round, world, place, 'nutrition', records, days);
  const sent = foods.map(({ name, day }) => ({ name, date: day }));
  judgeFoods(round, world.sandbox, days, sent);
  for (const food of foods) judgeTime(round, world, food);
  round.count('foods', foods.length);
}

/** The item has the instant of the input, and its `logged_at` begins with its day. */
function judgeTime(
  round: Round,
  { sandbox }: World,
  { name, day, instant, value }: Written & { readonly name: string },
): void {
  const loggedAt = foodsHeld(sandbox, day).find((item) => item.name === name)?.logged_at;
  if (typeof loggedAt !== 'string') return;
  // Times go out with whole seconds.
  const second = Temporal.Instant.fromEpochMilliseconds(
    Math.floor(instant.epochMilliseconds / 1000) * 1000,
  );
  const isSame = Temporal.Instant.from(loggedAt).equals(second);
  if (isSame && loggedAt.startsWith(day)) return;
  const wanted = `${String(value)} is ${instant.toString()} on ${day}`;
  round.failed('wrong report', `${wanted}; sent as ${loggedAt}`);
}

/** Pushes records twice: the second run has nothing to send. */
async function push(
  round: Round,
  world: World,
  { zone, way }: Place,
  what: 'wellness' | 'nutrition',
  records: readonly unknown[],
  days: readonly string[],
): Promise<void> {
  const path = world.write(`${what}.json`, JSON.stringify(records));
  const args = ['push', what, path, '--json', ...(way === 'flag' ? ['--tz', zone] : [])];
  for (const outcome of ['created', 'unchanged']) {
    const result = await world.sync(args);
    round.note(`${outcome}: ${String(result.code)}\n${result.stdout}${result.stderr}`);
    judgeOutput(round, args.join(' '), result);
    const said = ndjson(result.stdout).filter(({ type }) => type === what);
    const saidDays = said.flatMap(({ date }) => (typeof date === 'string' ? [date] : []));
    const missing = days.filter((day) => !saidDays.includes(day));
    const added = saidDays.filter((day) => !days.includes(day));
    if (missing.length > 0 || added.length > 0 || result.code !== 0) {
      const differences = `without ${missing.join()}, with ${added.join()}`;
      round.failed('wrong report', `${what}: exit ${String(result.code)}, ${differences}`);
    }
    if (outcome === 'unchanged' && said.some((line) => line['outcome'] !== 'skipped')) {
      round.failed('wrong report', `${what}: the second run sends`);
    }
  }
}
