import { describe, expect, it } from 'vitest';
import { SyncError } from '../../src/base/errors.ts';
import {
  checkReadable,
  decodePushAnswer,
  showsResults,
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
    expect(refusalMessage(response(text, 400))).toBe(`the platform answered 400 with ${said}`);
  });
});

it.each<[string, unknown, unknown]>([
  ['queued, with its ids', ok({ ...counts, items: [queued] }, 'ok'), uploaded(ids)],
  [
    'stored, with a workout',
    ok({ ...counts, items: [{ ...stored, workoutId: 'w' }] }),
    uploaded({ ...stored, workoutId: 'w' }),
  ],
  ['no items', ok(counts), uploaded()],
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
  ['no counts of what was taken', ok({ total: 1, failed: 0 }), uploaded()],
  [
    'an error beside no success at all',
    ok({ total: 1, processed: 0, duplicates: 0, errors: ['not a FIT file'] }),
    rejected('not a FIT file'),
  ],
  ['results that are no object', ok('x'), uploaded()],
  ['counts and no word of success', { results: { processed: 1, failed: 0 } }, uploaded()],
  ['results in a list', ok([queued]), uploaded(ids)],
  ['a failure in a list of results', ok([{ state: 'failed' }], 'Done'), rejected('Done')],
])('an upload is judged by what the body names, on any platform: %s', (_name, body, outcome) => {
  for (const isStrict of [true, false]) {
    expect(outcomeOf(() => decodeUploadAnswer(response(body), isStrict))).toEqual(outcome);
  }
});

/** Bodies of a success that name nothing, as frameworks send them. */
const NAMELESS: [what: string, body: unknown, type?: string][] = [
  ['an empty object', {}],
  ['an id', { id: 'w1' }],
  ['a state of its own', { status: 'queued' }],
  ['ok: true', { ok: true, error: null, errors: [] }],
  ['success as a text', { success: 'true', error: '', errors: {} }],
  ['success: 1, no failures', { success: 1, error: false, errors: 0, failed: 0 }],
  ['a list', [{ id: 'w1', status: 'created' }]],
  ['null', null],
  ['a number', 42],
  ['nothing', ''],
  ['a text', 'OK', 'text/plain'],
  ['a text that a framework declares as HTML', 'Created', 'text/html; charset=utf-8'],
];

it.each(NAMELESS)(
  'a success that names nothing counts, but on a platform that names: %s',
  (_what, body, type) => {
    const answer = response(body, 200, type);
    expect(showsResults(answer)).toBe(false);
    expect(decodeUploadAnswer(answer, false)).toEqual(uploaded());
    expect(decodePushAnswer(answer, false)).toEqual({ outcome: 'pushed' });
    expect(outcomeOf(() => decodeUploadAnswer(answer, true))).toEqual(unclear);
    expect(outcomeOf(() => decodePushAnswer(answer, true))).toEqual(unclear);
  },
);

it.each<[string, unknown, string?]>([
  ['success: false', { success: false }],
  ['success: "False"', { success: 'False' }],
  ['ok: false', { ok: false }],
  ['success: 0', { success: 0 }],
  ['status: error', { status: 'error' }],
  ['status: Failed', { status: 'Failed', id: 'w1' }],
  ['an error', { error: 'No space' }, 'No space'],
  ['an error as an object', { error: { code: 7 } }],
  ['a list of errors', { success: true, errors: ['No space'] }],
  ['errors by field', { errors: { file: ['No space'] } }],
  ['failed above 0', { failed: 1, message: 'No space' }, 'No space'],
  ['failed as a list', { failed: ['a.fit'] }],
  ['one failure in a list', [{ ok: true }, { ok: false, message: 'No space' }], 'No space'],
  ['a failure that is declared as HTML', { success: false, message: 'No space' }, 'No space'],
])('a success with a body that contradicts it is a refusal: %s', (what, body, reason) => {
  const type = what.endsWith('HTML') ? 'text/html' : undefined;
  const answer = response(body, 200, type);
  for (const isStrict of [true, false]) {
    for (const decode of [decodeUploadAnswer, decodePushAnswer]) {
      expect(decode(answer, isStrict)).toEqual(rejected(reason ?? (expect.any(String) as string)));
    }
  }
});

it.each<[string, unknown, string, 'readable' | 'repeated']>([
  ['a page', '<html><body>Sign in</body></html>', 'text/html', 'repeated'],
  ['a page that is declared as JSON', ' <!doctype html>', 'application/json', 'repeated'],
  [
    'a page that begins with a text',
    'Welcome! <a href="/login">Sign in</a>',
    'text/html',
    'repeated',
  ],
  ['half of a JSON', '{"id": "w', 'application/json', 'repeated'],
  ['half of a JSON, declared as nothing', '{"id": "w', '', 'repeated'],
  ['a text that is declared as JSON', 'OK', 'application/json', 'repeated'],
  ['JSON with markup in a text', { note: '<b>ok</b>' }, 'text/html', 'readable'],
  ['a text', 'OK', 'text/html', 'readable'],
  ['nothing', '', 'application/json', 'readable'],
])('a body of any form is one that can be read, or is repeated: %s', (_what, body, type, how) => {
  const check = () => checkReadable(response(body, 200, type));
  if (how === 'readable') expect(check).not.toThrow();
  else expect(check).toThrow(expect.objectContaining({ code: 'NETWORK' }));
});

it.each<[string, unknown, unknown]>([
  ['success', { success: true }, { outcome: 'pushed' }],
  ['a day', { success: true, data: { id: 1 } }, { outcome: 'pushed', data: { id: 1 } }],
  ['success: false', { success: false, message: 'no' }, rejected('no')],
  ['success: false with an error', { success: false, error: 'why' }, rejected('why')],
  ['no word of success', { data: {} }, unclear],
])(
  'the decoder of a record answer decodes %s, if it has to report success',
  (_name, body, outcome) => {
    expect(outcomeOf(() => decodePushAnswer(response(body), true))).toEqual(outcome);
  },
);

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
  ['<html><body>Sign in to the hotel</body></html>', 'text/html', 'a web page, not with JSON'],
  ['  \n <!doctype html>', 'application/json', 'a web page, not with JSON'],
  ['', 'application/json', 'nothing, not with JSON'],
  [' \n', 'text/plain', 'nothing, not with JSON'],
  ['{"success": tr', 'application/json; charset=utf-8', 'broken JSON'],
  ['OK', 'text/plain', 'text, not with JSON'],
])('a body that is not JSON is a broken response: %j', (text, type, described) => {
  expect(() => jsonValue(response(text, 200, type))).toThrow(
    expect.objectContaining({
      code: 'NETWORK',
      message: `The platform answered 200 with ${described}.`,
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
  [
    "FastAPI's detail",
    { detail: [{ type: 'int', loc: ['body', 'restingHr'], msg: 'Not an integer', input: 'x' }] },
    'restingHr: Not an integer',
  ],
  ['a detail in a text', { detail: 'No date' }, 'No date'],
  [
    "Laravel's errors",
    { message: 'Invalid.', errors: { hrv: ['Too high', 'Odd'] } },
    'Invalid. (hrv: Too high; hrv: Odd)',
  ],
  [
    "Rails' errors",
    { errors: { restingHr: ['must be an integer'], base: ['Full'] } },
    'restingHr: must be an integer; Full',
  ],
  ['errors as texts', { errors: ['Too high', 'Odd'] }, 'Too high; Odd'],
  ['errors as a text', { errors: 'Too high' }, 'Too high'],
  ["express-validator's errors", { errors: [{ msg: 'Odd', param: 'hrv' }] }, 'hrv: Odd'],
  ["JSON:API's errors", { errors: [{ detail: 'Odd', source: { pointer: '/hrv' } }] }, '/hrv: Odd'],
  ["Mongoose's errors", { errors: { hrv: { message: 'Odd', kind: 'x' } } }, 'hrv: Odd'],
  ["Zod's errors", { errors: { hrv: { _errors: ['Odd'] }, _errors: [] } }, 'hrv: Odd'],
  ['an error with a message', { error: { code: 7, message: 'No date' } }, 'No date'],
  [
    'an error with details',
    { error: { message: 'Invalid', details: [{ field: 'hrv', reason: 'Odd' }] } },
    'Invalid (hrv: Odd)',
  ],
  [
    "NestJS' messages",
    { statusCode: 400, message: ['hrv is odd', 'no date'], error: 'Bad Request' },
    'hrv is odd; no date',
  ],
  [
    "Django's fields",
    { restingHr: ['Not an integer.'], non_field_errors: ['Odd.'] },
    'restingHr: Not an integer.; Odd.',
  ],
  [
    "Spring's errors",
    { status: 400, error: 'Bad Request', errors: [{ field: 'hrv', defaultMessage: 'Odd' }] },
    'Bad Request (hrv: Odd)',
  ],
  ["Zod's flat errors", { error: { formErrors: [], fieldErrors: { hrv: ['Odd'] } } }, 'hrv: Odd'],
  ["Marshmallow's messages", { messages: { json: { hrv: ['Odd'] } } }, 'hrv: Odd'],
  [
    'problem details',
    {
      type: 'about:blank',
      title: 'Invalid',
      status: 422,
      detail: 'No date',
      errors: { hrv: ['Odd'] },
    },
    'No date (hrv: Odd)',
  ],
  ['a list of issues', [{ loc: ['date'], msg: 'Required' }], 'date: Required'],
  ['a list of texts', ['No date'], 'No date'],
  ['a page', '<html>nginx</html>', 'the platform answered 422 with a web page'],
  ['nothing', '', 'the platform answered 422 with nothing'],
  ['a list', '[]', 'the platform answered 422 with JSON that gives no reason'],
  ['an empty object', {}, 'the platform answered 422 with JSON that gives no reason'],
  ['half an answer', '{"mess', 'the platform answered 422 with broken JSON'],
])('what a refusal says: %s', (_name, body, said) => {
  expect(refusalMessage(response(body, 422))).toBe(said);
});
