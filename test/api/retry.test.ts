import { describe, expect, it, vi } from 'vitest';
import { SyncError } from '../../src/base/errors.ts';
import type { Clock } from '../../src/base/time.ts';
import type { HttpResponse } from '../../src/api/http.ts';
import {
  RETRIES,
  type Repeatable,
  type RetryOptions,
  type RetryNotice,
  withRetry,
} from '../../src/api/retry.ts';
import { testContext } from '../support/context.ts';
import { failure } from './support.ts';

const NOW = Date.UTC(2026, 1, 15, 12);

/** Makes a context with a clock that records every sleep and returns at once. */
function setUp(random = 1) {
  const slept: number[] = [];
  const notices: RetryNotice[] = [];
  let now = NOW;
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    sleep: (ms, signal) => {
      signal?.throwIfAborted();
      slept.push(ms);
      now += ms;
      return Promise.resolve();
    },
  };
  const onRetry = (notice: RetryNotice) => notices.push(notice);
  const options: RetryOptions = { policy: RETRIES.run, onRetry };
  return { context: testContext({ clock, random: () => random }), options, slept, notices };
}

type Step = number | 'not-sent' | 'unknown' | HttpResponse;

const answer = (status: number, headers: Record<string, string> = {}): HttpResponse => {
  return { status, headers, text: '' };
};
const broken = (delivery: string) => {
  const details = { delivery, host: 'h' };
  return new SyncError('NETWORK', 'the connection broke off', { details, hint: 'hi' });
};

/** Each try takes the next step; the last one is for all that follow. */
function script(...steps: Step[]) {
  let calls = 0;
  return {
    calls: () => calls,
    attempt: () => {
      const step = steps[Math.min(calls++, steps.length - 1)] ?? 200;
      if (typeof step === 'string') return Promise.reject(broken(step));
      return Promise.resolve(typeof step === 'number' ? answer(step) : step);
    },
  };
}

async function run(steps: Step[], repeatable: Repeatable): Promise<object> {
  const { attempt, calls } = script(...steps);
  const { context, options } = setUp();
  const outcome = await withRetry(context, attempt, repeatable, options).then(
    ({ response, attempts }) => ({ status: response.status, attempts }),
    (error: unknown) => {
      if (!(error instanceof SyncError)) throw error;
      const { delivery, attempts } = error.details;
      return { code: error.code, delivery, attempts };
    },
  );
  return { ...outcome, calls: calls() };
}

const final = (status: number) => ({ status, attempts: 1, calls: 1 });
const succeeded = { status: 200, attempts: 2, calls: 2 };
const gaveUp = (code: string, delivery: string, attempts: number) => ({
  code,
  delivery,
  attempts,
  calls: attempts,
});
const UNCLEAR = gaveUp('SERVICE_UNAVAILABLE', 'unknown', 1);

describe('retried outcomes', () => {
  it.each([200, 204, 301, 302, 307, 400, 401, 403, 404, 409, 413, 422, 501, 505])(
    'excludes %i, repeatable or not',
    async (status) => {
      expect(await run([status], 'always')).toEqual(final(status));
      expect(await run([status], 'unless-acted-on')).toEqual(final(status));
    },
  );

  it.each<[Step, Repeatable, object]>([
    [408, 'always', succeeded],
    [429, 'always', succeeded],
    [500, 'always', succeeded],
    [502, 'always', succeeded],
    [503, 'always', succeeded],
    [504, 'always', succeeded],
    [520, 'always', succeeded],
    ['not-sent', 'always', succeeded],
    ['unknown', 'always', succeeded],
    // Rejected before the service acted on the request: safe in any case.
    [429, 'unless-acted-on', succeeded],
    [answer(503, { 'retry-after': '1' }), 'unless-acted-on', succeeded],
    [answer(409, { 'retry-after': '1' }), 'unless-acted-on', succeeded],
    ['not-sent', 'unless-acted-on', succeeded],
    // It may have been acted on.
    [408, 'unless-acted-on', UNCLEAR],
    [500, 'unless-acted-on', UNCLEAR],
    [502, 'unless-acted-on', UNCLEAR],
    [504, 'unless-acted-on', UNCLEAR],
    // A gateway says it of a service that it may have handed the request to.
    [503, 'unless-acted-on', UNCLEAR],
    [answer(503, { 'retry-after': 'soon' }), 'unless-acted-on', UNCLEAR],
    ['unknown', 'unless-acted-on', gaveUp('NETWORK', 'unknown', 1)],
  ])(
    'depends on the first result and on the repeatability: %j, then 200; repeatable: %s',
    async (first, repeatable, outcome) => {
      expect(await run([first, 200], repeatable)).toEqual(outcome);
    },
  );

  it.each<[Step, object]>([
    [503, gaveUp('SERVICE_UNAVAILABLE', 'unknown', 4)],
    [answer(503, { 'retry-after': '1' }), gaveUp('SERVICE_UNAVAILABLE', 'not-sent', 4)],
    [500, gaveUp('SERVICE_UNAVAILABLE', 'unknown', 4)],
    [429, gaveUp('SERVICE_UNAVAILABLE', 'not-sent', 4)],
    ['not-sent', gaveUp('NETWORK', 'not-sent', 4)],
    ['unknown', gaveUp('NETWORK', 'unknown', 4)],
  ])('ends after four attempts if each of them fails with %j', async (step, outcome) => {
    expect(await run([step], 'always')).toEqual(outcome);
  });

  it('stops at a final answer after failures, and counts the attempts', async () => {
    const stopped = { status: 404, attempts: 3, calls: 3 };
    expect(await run(['unknown', 503, 404], 'always')).toEqual(stopped);
  });

  it('throws errors other than network failures at once', async () => {
    const { context, options } = setUp();
    const attempt = vi.fn(() => Promise.reject(new SyncError('SERVICE_ANSWER', 'too much')));
    const told = { code: 'SERVICE_ANSWER', message: 'too much', details: { attempts: 1 } };
    await expect(withRetry(context, attempt, 'always', options)).rejects.toMatchObject(told);
    expect(attempt).toHaveBeenCalledOnce();
    const fault = new TypeError('a mistake');
    const mistake = () => Promise.reject(fault);
    await expect(withRetry(context, mistake, 'always', options)).rejects.toBe(fault);
  });

  it('keeps the message, hint, cause and details of the failure', async () => {
    const { context, options } = setUp();
    const error = await failure(withRetry(context, script('unknown').attempt, 'always', options));
    expect({ message: error.message, hint: error.hint, details: error.details }).toEqual({
      message: 'the connection broke off',
      hint: 'hi',
      details: { delivery: 'unknown', host: 'h', attempts: 4 },
    });
  });
});

describe('pauses between retries', () => {
  const pausesOf = async (random: number, attempts: number) => {
    const given = setUp(random);
    const policy = { ...RETRIES.run, attempts };
    await failure(withRetry(given.context, script(500).attempt, 'always', { policy }));
    return given.slept;
  };

  it('double up to the cap, as upper bounds of a random pause', async () => {
    expect(await pausesOf(1, 8)).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
    expect(await pausesOf(0.5, 4)).toEqual([250, 500, 1000]);
    expect(await pausesOf(0, 4)).toEqual([0, 0, 0]);
  });

  it.each([0, 0.5, 1])('grow after 429 until a minute is over (random %d)', async (random) => {
    const given = setUp(random);
    const error = await failure(
      withRetry(given.context, script(429).attempt, 'always', given.options),
    );
    const [first = 0, second = 0, third = 0] = given.slept;
    expect(given.slept).toHaveLength(3);
    for (const growth of [second / first, third / second]) expect(growth).toBeCloseTo(2, 3);
    expect(first + second + third).toBeCloseTo(60_000 * (1 + random / 4), -1);
    expect(String(error.hint)).toBe('Try again in a minute; the same command continues.');
  });

  it('have the normal length after 429 if the policy has no rate window', async () => {
    const policy = { attempts: 4, baseMs: 500, capMs: 15_000, longestRetryAfterMs: 60_000 };
    const given = setUp(1);
    await failure(withRetry(given.context, script(429).attempt, 'always', { policy }));
    expect(given.slept).toEqual([500, 1000, 2000]);
  });

  it('until a date are measured by the clock of the platform', async () => {
    for (const [date, waitMs] of [
      // The service's clock is an hour behind; then equal to the date; then unreadable: the backoff.
      ['Sun, 15 Feb 2026 11:00:00 GMT', 5_000],
      ['Sun, 15 Feb 2026 11:00:05 GMT', 500],
      ['yesterday', 500],
    ] as const) {
      const given = setUp(1);
      const first = answer(503, { date, 'retry-after': 'Sun, 15 Feb 2026 11:00:05 GMT' });
      await withRetry(given.context, script(first, 200).attempt, 'always', given.options);
      expect(given.slept).toEqual([waitMs]);
    }
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['its own words', { message: 'Maintenance until 14:00' }, ': Maintenance until 14:00.'],
    ['the phrase of the status', { statusMessage: 'Service Unavailable' }, '.'],
    ['no words', {}, '.'],
  ])('end in an error with %s of the platform', async (_what, body, said) => {
    const given = setUp(1);
    const unavailable = { ...answer(503), text: JSON.stringify(body) };
    const { attempt } = script(unavailable);
    const error = await failure(withRetry(given.context, attempt, 'always', given.options));
    expect(error.message).toBe(`The platform cannot answer now (503)${said}`);
  });

  it('are announced before they begin', async () => {
    const given = setUp(0.5);
    await withRetry(given.context, script(502, 'not-sent', 200).attempt, 'always', given.options);
    expect(given.notices).toEqual([
      { attempt: 1, waitMs: 250, reason: 'The platform cannot answer now (502).' },
      { attempt: 2, waitMs: 500, reason: 'the connection broke off' },
    ]);
  });

  it.each([
    ['7', 7000],
    [' 60 ', 60_000],
    ['Sun, 15 Feb 2026 12:00:09 GMT', 9000],
    ['Sunday, 15-Feb-26 12:00:03 GMT', 3000],
    ['Sun Feb 15 12:00:04 2026', 4000],
  ])('follow Retry-After "%s" instead of the backoff', async (header, waitMs) => {
    for (const status of [429, 503, 500]) {
      const given = setUp(1);
      const first = answer(status, { 'retry-after': header });
      await withRetry(given.context, script(first, 200).attempt, 'always', given.options);
      expect(given.slept).toEqual([waitMs]);
    }
  });

  it.each(['0', 'Sun, 15 Feb 2026 11:00:00 GMT', 'soon', '', '-5', '1.5', '0x10', 'Feb 15 2026'])(
    'keep the backoff if Retry-After asks for no pause, or is invalid: "%s"',
    async (header) => {
      const given = setUp(1);
      const first = answer(503, { 'retry-after': header });
      await withRetry(given.context, script(first, 200).attempt, 'always', given.options);
      expect(given.slept).toEqual([500]);
    },
  );

  it('of 0 s name no time in the hint of the last failure', async () => {
    const given = setUp(1);
    const { attempt } = script(answer(503, { 'retry-after': '0' }));
    const error = await failure(withRetry(given.context, attempt, 'always', given.options));
    expect(String(error.hint)).toBe('Try again later; the same command continues.');
  });

  it.each([
    ['61', 'in 61 seconds'],
    ['Sun, 15 Feb 2026 13:00:00 GMT', 'in 60 minutes'],
    ['31536000', 'in 365 days'],
    ['99999999999999999999', 'in 3650 days'],
  ])('above the limit (%s) cause no retry, but a hint to try again %s', async (header, when) => {
    const given = setUp(1);
    const { attempt, calls } = script(answer(429, { 'retry-after': header }));
    const error = await failure(withRetry(given.context, attempt, 'always', given.options));
    const message = 'The platform says that it gets too many requests (429).';
    const details = { attempts: 1 };
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', message, details });
    expect([calls(), given.slept]).toEqual([1, []]);
    expect(String(error.hint)).toBe(`Try again ${when}; the same command continues.`);
  });

  it.each([
    ['not-sent', { delivery: 'not-sent' }],
    ['unknown', {}],
  ] as const)('end with the reason of the signal, at once (%s)', async (delivery, told) => {
    const abort = new AbortController();
    const reason = new SyncError('INTERRUPTED', 'Interrupted.');
    const given = setUp(1);
    const { attempt, calls } = script(delivery);
    const clock = {
      ...given.context.clock,
      sleep: (_ms: number, signal?: AbortSignal) =>
        new Promise<void>((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason as Error));
          abort.abort(reason);
        }),
    };
    const error = await withRetry(
      { ...given.context, clock, signal: abort.signal },
      attempt,
      'always',
      given.options,
    ).catch((thrown: unknown) => thrown);
    // Whether the service can have acted on a try is part of it.
    expect(error).toMatchObject({ code: reason.code, message: reason.message });
    expect((error as SyncError).details).toEqual(told);
    expect(calls()).toBe(1);
  });
});
