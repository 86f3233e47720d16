import { describe, expect, it } from 'vitest';
import type { ConfirmedUpload } from '../../src/ledger/upload-rows.ts';
import { uploadLedger } from '../../src/ledger/uploads.ts';
import { noFacts } from '../support/platform-facts.ts';
import { testContext } from '../support/context.ts';
import { PROCESSING_MS } from '../../src/upload/own-workouts.ts';
import { verifyUploads } from '../../src/upload/verify.ts';
import { markIn, openIn, scratchDir } from '../ledger/support.ts';
import { listen } from '../api/support.ts';
import { clientOf, hastyClock } from '../support/delivery.ts';
import { NO_ACTIVITY, NO_WORKOUT } from '../support/activity.ts';

const START = Date.UTC(2026, 1, 22, 9, 56, 48);
const NOW = Date.UTC(2026, 1, 23, 12);

interface Workout {
  readonly id: string;
  readonly date: string;
  readonly durationSec?: number;
  readonly source?: string;
  readonly externalId?: string;
  readonly isDuplicate?: boolean;
}

/** A platform that lists as the deployed ones do: the end day is left out, duplicates unless asked for. */
async function platform(workouts: readonly Workout[], most = Infinity) {
  const server = await listen((request, response) => {
    const { searchParams: query } = new URL(request.url, 'http://localhost');
    const day = (name: string) => Date.parse(query.get(name) ?? '');
    const offset = Number(query.get('offset'));
    const found = workouts
      .filter(
        ({ date }) => Date.parse(date) >= day('startDate') && Date.parse(date) < day('endDate'),
      )
      .filter(
        ({ isDuplicate }) => isDuplicate !== true || query.get('includeDuplicates') === 'true',
      )
      .slice(offset, offset + Math.min(most, Number(query.get('limit'))));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(found));
  });
  const context = testContext({ clock: { ...hastyClock, now: () => NOW } });
  const { client } = clientOf({ url: server.url.href });
  const verify = async (uploads: readonly ConfirmedUpload[]) => {
    const facts = noFacts();
    // A platform that names what it took.
    facts.note('uploadFit', 'results');
    const { items } = await verifyUploads(context, uploads, client, facts);
    return items.map(({ outcome, workoutId }) => [outcome, workoutId]);
  };
  return { verify, requests: server.requests };
}

let count = 0;
function upload(over: Partial<ConfirmedUpload> = {}): ConfirmedUpload {
  return {
    sha256: String(count++),
    path: 'rides/ride.fit',
    isUndoing: false,
    confirmedAt: NOW - 2 * PROCESSING_MS,
    startedAt: START,
    movingSecs: 3600,
    distanceMeters: undefined,
    durationSecs: 3600,
    recordedSecs: undefined,
    recordedMeters: undefined,
    sentAs: 'ride.fit',
    workoutId: undefined,
    ...over,
  };
}

function workout(id: string, over: Partial<Workout> = {}): Workout {
  return {
    id,
    date: new Date(START).toISOString(),
    durationSec: 3600,
    source: 'fit_file',
    externalId: `fit_${START}_ride_fit`,
    ...over,
  };
}

const PRESENT = 'present';
const ELSEWHERE = { source: 'garmin', externalId: '1234' };

describe('an uploaded recording', () => {
  it.each<[how: string, workouts: Workout[], of?: Partial<ConfirmedUpload>]>([
    ['by its start and file name', [workout('w')]],
    ['although the platform hides it as a duplicate', [workout('w', { isDuplicate: true })]],
    ['if the platform knows another length', [workout('w', { durationSec: 0 })]],
    ['by its id', [workout('other'), workout('w', { externalId: 'x' })], { workoutId: 'w' }],
    [
      'under the name that it was first sent by',
      [workout('w', { externalId: `fit_${START}_other_fit` })],
    ],
    [
      'where the platform shows no source',
      [{ id: 'w', date: new Date(START + 20_000).toISOString(), durationSec: 3590 }],
    ],
    [
      'under a name with other letters',
      [workout('w', { externalId: `fit_${START}___n________q__fit` })],
      { sentAs: 'Ünï 🚴 "q".fit' },
    ],
    [
      'under the name alone if it has no start',
      [
        workout('w', {
          date: new Date(NOW - PROCESSING_MS).toISOString(),
          externalId: `fit_${NOW - PROCESSING_MS}_ride_fit`,
        }),
      ],
      { startedAt: undefined, durationSecs: undefined },
    ],
  ])('is present %s', async (_how, workouts, of = {}) => {
    const { verify } = await platform(workouts);
    expect(await verify([upload(of)])).toEqual([['present', 'w']]);
  });

  const atAnotherTime = { externalId: 'x', date: new Date(START + 90_000).toISOString() };
  it.each<[when: string, workouts: Workout[]]>([
    ['after an hour', []],
    ['if only another source has that workout', [workout('w', ELSEWHERE)]],
    ['if its length is another', [workout('w', { externalId: 'x', durationSec: 1800 })]],
    ['if the workout of that length has another time', [workout('w', atAnotherTime)]],
  ])('is missing %s', async (_when, workouts) => {
    const { verify } = await platform(workouts);
    expect(await verify([upload()])).toEqual([['missing', undefined]]);
  });

  it('is pending within an hour', async () => {
    const { verify } = await platform([]);
    const recent = upload({ confirmedAt: NOW - PROCESSING_MS + 1 });
    expect(await verify([recent])).toEqual([['pending', undefined]]);
  });

  it('does not count for another recording of the same start and length', async () => {
    const { verify } = await platform([workout('w')]);
    expect(await verify([upload({ sentAs: 'second.fit' }), upload()])).toEqual([
      ['missing', undefined],
      [PRESENT, 'w'],
    ]);
  });

  it('shares its workout with one of the same start and name, which the platform overwrites', async () => {
    const { verify } = await platform([workout('w')]);
    expect(await verify([upload(), upload()])).toEqual([
      [PRESENT, 'w'],
      [PRESENT, 'w'],
    ]);
  });
});

it('requests all pages of workouts, with a day of margin at both ends', async () => {
  const day = (index: number) => START + index * 86_400_000;
  const many = Array.from({ length: 450 }, (_, i) => i - 449);
  const { verify, requests } = await platform(
    many.map((i) =>
      workout(`w${i}`, {
        date: new Date(day(i)).toISOString(),
        externalId: `fit_${day(i)}_ride_fit`,
      }),
    ),
    100,
  );
  const outcomes = await verify(many.map((i) => upload({ startedAt: day(i) })));
  expect(outcomes).toEqual(many.map((i) => [PRESENT, `w${i}`]));
  const queries = requests.map(({ url }) => new URL(url, 'http://localhost').searchParams);
  expect(queries.map((query) => query.get('offset'))).toEqual([
    '0',
    '100',
    '200',
    '300',
    '400',
    '450',
  ]);
  expect(Object.fromEntries(queries[0] ?? [])).toEqual({
    limit: '200',
    offset: '0',
    startDate: '2024-11-29',
    endDate: '2026-02-24',
    includeDuplicates: 'true',
  });
});

it('ends a list without an end, and keeps no text that the platform adds', async () => {
  let sent = 0;
  const server = await listen((_request, response) => {
    const page = Array.from({ length: 5_000 }, () =>
      workout(`w${sent++}`, { source: 'x'.repeat(600) }),
    );
    response.setHeader('content-type', 'application/json').end(JSON.stringify(page));
  });
  const { client } = clientOf({ url: server.url.href });
  const context = testContext({ clock: { ...hastyClock, now: () => NOW } });
  await expect(verifyUploads(context, [upload()], client, noFacts())).rejects.toMatchObject({
    code: 'SERVICE_ANSWER',
    message: 'The platform lists more than 50,000 workouts of these days.',
  });
  expect(server.requests).toHaveLength(11);
});

it('sends no request if nothing was uploaded', async () => {
  const { verify, requests } = await platform([]);
  expect([await verify([]), requests]).toEqual([[], []]);
});

it('lists the uploads without a check since their confirmation', () => {
  const dir = scratchDir();
  let now = 1000;
  const ledger = uploadLedger(openIn(dir), 'athlete:1', markIn(dir), () => now);
  const activity = { ...NO_ACTIVITY, startedAt: START };
  const workoutOf = (name: string) => ({ ...NO_WORKOUT, durationSecs: 60, sentAs: `${name}.fit` });
  const claim = (sha256: string, force: boolean) => {
    const about = { sha256, path: `card/${sha256}.fit`, size: 1, activity };
    ledger.claim({ ...about, workout: workoutOf(sha256) }, force);
  };
  for (const sha256 of ['a', 'b', 'pending']) {
    claim(sha256, false);
    if (sha256 === 'pending') continue;
    now += 1000;
    ledger.confirm(sha256, 1, { workoutId: 'w' });
  }
  expect(ledger.confirmed()[0]).toEqual({
    ...workoutOf('a'),
    isUndoing: false,
    startedAt: START,
    sha256: 'a',
    path: 'card/a.fit',
    confirmedAt: 2000,
    workoutId: 'w',
  });
  const hashes = (which?: Parameters<typeof ledger.confirmed>[0]) =>
    ledger.confirmed(which).map(({ sha256 }) => sha256);
  expect(hashes({ until: 2000 })).toEqual(['a']);
  expect([hashes({ begun: [0, START - 1] }), hashes({ begun: [START, START] })]).toEqual([
    [],
    ['a', 'b'],
  ]);
  const marked = () => ledger.markVerified(ledger.confirmed({ until: 2000 })).length;
  expect([marked(), marked()]).toEqual([1, 0]);
  expect([hashes({ unverified: true }), hashes()]).toEqual([['b'], ['a', 'b']]);
  claim('a', true);
  now += 1000;
  ledger.confirm('a', 1, {});
  expect(hashes({ unverified: true })).toEqual(['b', 'a']);
});
