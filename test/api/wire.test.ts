import { describe, expect, it } from 'vitest';
import { SyncError } from '../../src/base/errors.ts';
import {
  decodePushAnswer,
  shownDays,
  shownItems,
  decodeUploadAnswer,
  jsonValue,
  refusalMessage,
} from '../../src/api/wire.ts';

const response = (body: unknown, status = 200, type = 'application/json') => ({
  status,
  headers: { 'content-type': type },
  text: typeof body === 'string' ? body : JSON.stringify(body),
});

/** Returns the decoded value, or the error of the decoder. */
function outcomeOf(task: () => unknown): unknown {
  try {
    return task();
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    return { code: error.code, message: error.message };
  }
}

const unclear = {
  code: 'SERVICE_ANSWER',
  message: 'The platform answered 200 without saying that it took anything.',
};
const counts = { total: 1, processed: 1, duplicates: 0, failed: 0, errors: [] };
const none = { ...counts, processed: 0 };
const ids = { state: 'queued', fitFileId: 'f1', jobId: 'j1' };
const queued = { filename: 'a.fit', ...ids };
const stored = { state: 'stored', fitFileId: 'f' };
const ok = (results: unknown, message?: string) => ({ success: true, message, results });
const uploaded = (service: object = {}) => ({ outcome: 'uploaded', service });
const rejected = (message: string) => ({ outcome: 'rejected', message });

describe('an answer that is nested 200,000 deep', () => {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  const said = 'JSON that is nested more than 200 deep';

  it('is one that cannot be read, and may come right with a retry', () => {
    for (const text of [deep, `{"success": true, "data": ${deep}}`]) {
      expect(outcomeOf(() => jsonValue(response(text)))).toEqual({
        code: 'NETWORK',
        message: `The platform answered 200 with ${said}.`,
      });
    }
  });

  it('gives no reason of a refusal', () => {
    const text = `{"message": "too bad", "data": ${deep}}`;
    expect(refusalMessage(response(text, 400), [])).toBe(`the platform answered 400 with ${said}`);
  });
});

it.each<[string, unknown, unknown]>([
  ['queued, with its ids', ok({ ...counts, items: [queued] }, 'ok'), uploaded(ids)],
  [
    'stored, with a workout',
    ok({ ...counts, items: [{ ...stored, workoutId: 'w' }] }),
    uploaded({ ...stored, workoutId: 'w' }),
  ],
  ['no items, as older revisions', ok(counts), uploaded()],
  ['nothing but success', { success: true }, uploaded()],
  ['queued and not counted yet', ok({ total: 1, processed: 0, items: [queued] }), uploaded(ids)],
  [
    'a duplicate',
    ok({ ...none, duplicates: 1, items: [stored] }),
    { outcome: 'duplicate', service: stored },
  ],
  ['a duplicate alone', ok({ ...none, duplicates: 1 }), { outcome: 'duplicate', service: {} }],
  ['numbers as ids', ok({ items: [{ state: 7, fitFileId: 12, workoutId: null }] }), uploaded()],
  ['items that are no list of objects', ok({ items: ['x'] }), uploaded()],
  [
    'success: false with a reason',
    { success: false, results: { ...none, failed: 1, errors: ['bad CRC'] } },
    rejected('bad CRC'),
  ],
  [
    'success: true and yet failed',
    ok({ ...none, failed: 1, errors: [{ message: 'too old' }] }),
    rejected('too old'),
  ],
  [
    'success: true and an item that failed',
    ok({ ...counts, items: [{ state: 'failed' }] }, 'Done'),
    rejected('Done'),
  ],
  [
    'several reasons, in their forms',
    { success: false, results: { errors: ['a', { error: 'b' }, { reason: 'c' }, 7, {}] } },
    rejected('a; b; c'),
  ],
  ['success: false alone', { success: false }, rejected('the platform gave no reason')],
  ['success: false with a message', { success: false, message: 'No space' }, rejected('No space')],
  ['a success that took nothing', ok({ ...none, total: 0, items: [] }), unclear],
  ['a success that counts the one file nowhere', ok(none), unclear],
  ['nothing processed', ok({ processed: 0 }), unclear],
  ['nothing processed, no state', ok({ processed: 0, items: [{ filename: 'a.fit' }] }), unclear],
  ['no counts of what was taken, as older revisions may', ok({ total: 1, failed: 0 }), uploaded()],
  [
    'an error beside no success at all',
    ok({ total: 1, processed: 0, duplicates: 0, errors: ['not a FIT file'] }),
    rejected('not a FIT file'),
  ],
  ['nothing of success', { ok: true }, unclear],
  ['success as a text', { success: 'true' }, unclear],
  ['success: 1', { success: 1 }, unclear],
  ['an empty object', {}, unclear],
  ['a list', [{ success: true }], unclear],
  ['null', null, unclear],
  ['a number', 42, unclear],
  ['results that are no object', ok('x'), uploaded()],
])('the decoder of an upload answer decodes %s', (_name, body, outcome) => {
  expect(outcomeOf(() => decodeUploadAnswer(response(body), []))).toEqual(outcome);
});

it.each<[string, unknown, unknown]>([
  ['success', { success: true }, { outcome: 'pushed' }],
  ['a day', { success: true, data: { id: 1 } }, { outcome: 'pushed', data: { id: 1 } }],
  ['success: false', { success: false, message: 'no' }, rejected('no')],
  ['success: false with an error', { success: false, error: 'why' }, rejected('why')],
  ['nothing at all', '', { outcome: 'pushed' }],
  ['no word of success', { data: {} }, unclear],
  ['null', null, unclear],
  ['a list', [], unclear],
])('the decoder of a record answer decodes %s', (_name, body, outcome) => {
  expect(outcomeOf(() => decodePushAnswer(response(body), []))).toEqual(outcome);
});

describe('the items of a nutrition day', () => {
  const item = { id: 'i1', source: 'oauth:app', name: 'gel', carbs: 25 };
  const body = { name: 'gel', carbs: 25 };

  it.each<[string, Record<string, unknown>, unknown]>([
    [
      'in four meal lists',
      { breakfast: [item], lunch: [], dinner: [], snacks: [{ name: 'tea' }] },
      [
        { id: 'i1', source: 'oauth:app', meal: 'breakfast', body },
        { meal: 'snacks', body: { name: 'tea' } },
      ],
    ],
    ['in one list', { items: [item] }, [{ id: 'i1', source: 'oauth:app', body }]],
    ['an empty day', { breakfast: [], lunch: null }, []],
    ['not shown', { date: '2026-02-15' }, undefined],
  ])('are decoded if they are %s', (_how, day, shown) => {
    expect(shownItems(day)).toEqual(shown);
  });

  it.each<[string, unknown, unknown]>([
    [
      'days',
      { nutrition: [{ date: '2026-02-15T00:00:00.000Z', lunch: [item] }, { date: '2026-02-14' }] },
      [
        { date: '2026-02-15', items: [{ id: 'i1', source: 'oauth:app', meal: 'lunch', body }] },
        { date: '2026-02-14', items: undefined },
      ],
    ],
    [
      'a day that only the platform has planned',
      {
        nutrition: [
          { date: '2026-02-15', breakfast: null, lunch: null, dinner: null, snacks: null },
        ],
      },
      [{ date: '2026-02-15', items: [] }],
    ],
    ['no day', { nutrition: [] }, []],
    ['something else', { days: [] }, undefined],
  ])('are decoded from a list that contains %s', (_what, answer, shown) => {
    expect(shownDays(answer)).toEqual(shown);
  });
});

it.each([
  ['<html><body>Sign in to the hotel</body></html>', 'text/html', 'a web page'],
  ['  \n <!doctype html>', 'application/json', 'a web page'],
  ['', 'application/json', 'nothing'],
  [' \n', 'text/plain', 'nothing'],
  ['{"success": tr', 'application/json; charset=utf-8', 'broken JSON'],
  ['OK', 'text/plain', 'text'],
])('a body that is not JSON is a broken response: %j', (text, type, described) => {
  expect(() => jsonValue(response(text, 200, type))).toThrow(
    expect.objectContaining({
      code: 'NETWORK',
      message: `The platform answered 200 with ${described}, not with JSON.`,
      details: { status: 200, delivery: 'unknown' },
    }),
  );
});

it.each<[string, unknown, string]>([
  ['its message', { statusCode: 400, statusMessage: 'Bad Request', message: 'No date' }, 'No date'],
  ['its status message', { statusMessage: 'Bad Request', message: '' }, 'Bad Request'],
  ['its OAuth description', { error: 'x', error_description: 'because' }, 'because'],
  ['its OAuth error', { error: 'invalid_request' }, 'invalid_request'],
  [
    'the issues of a validation',
    {
      message: 'Validation failed',
      data: [
        { path: ['items', 0, 'carbs'], message: 'Expected number' },
        { path: 'restingHr', message: 'Expected integer' },
        { message: 'odd' },
        'plain',
        { path: ['x'] },
        7,
      ],
    },
    'Validation failed (items.0.carbs: Expected number; restingHr: Expected integer; odd; plain)',
  ],
  [
    'issues below "issues", the first five',
    { message: 'No', data: { issues: [1, 2, 3, 4, 5, 6].map((n) => ({ message: `i${n}` })) } },
    'No (i1; i2; i3; i4; i5)',
  ],
  ['a page', '<html>nginx</html>', 'the platform answered 422 with a web page'],
  ['nothing', '', 'the platform answered 422 with nothing'],
  ['a list', '[]', 'the platform answered 422 with JSON that gives no reason'],
  ['an empty object', {}, 'the platform answered 422 with JSON that gives no reason'],
  ['half an answer', '{"mess', 'the platform answered 422 with broken JSON'],
])('what a refusal says: %s', (_name, body, said) => {
  expect(refusalMessage(response(body, 422), [])).toBe(said);
});
