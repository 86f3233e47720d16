import { expect, it } from 'vitest';
import { CircuitBreaker } from '../../../src/watch/send/circuit-breaker.ts';

const OFFLINE = { code: 'NETWORK', message: 'nothing answers' } as const;

function gateAt(random = 1) {
  let now = 1_000_000;
  /** Of each change, whether it is to be reported. */
  const changes: boolean[] = [];
  const breaker = new CircuitBreaker(
    () => now,
    () => random,
    (isNews) => changes.push(isNews),
  );
  return { breaker, changes, pass: (ms: number) => (now += ms) };
}

it('waits longer after every failure, up to five minutes', () => {
  const { breaker, pass } = gateAt();
  const waits = Array.from({ length: 12 }, () => {
    breaker.failed(OFFLINE);
    const { waitMs } = breaker;
    pass(waitMs);
    return waitMs;
  });
  const seconds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300];
  expect(waits).toEqual(seconds.map((s) => s * 1000));
});

it('waits for a random time between half the pause and the whole pause', () => {
  for (const [random, share] of [
    [0, 0.5],
    [0.5, 0.75],
    [0.999, 0.9995],
  ] as const) {
    const { breaker } = gateAt(random);
    for (let i = 0; i < 20; i++) breaker.failed(OFFLINE);
    expect(breaker.waitMs).toBeCloseTo(300_000 * share);
  }
});

it('waits for the time that the service requests, if that is longer', () => {
  const { breaker } = gateAt();
  breaker.failed({ code: 'SERVICE_UNAVAILABLE', message: '503' }, 20_000);
  expect(breaker.waitMs).toBe(20_000);
  breaker.succeeded();
  breaker.failed({ code: 'SERVICE_UNAVAILABLE', message: '503' }, 10);
  expect(breaker.waitMs).toBe(1_000);
});

it('lets one recording start after a failure, and all of them after a success', () => {
  const { breaker, changes, pass } = gateAt();
  expect([breaker.mayStart(0, 2), breaker.mayStart(1, 2), breaker.mayStart(2, 2)]).toEqual([
    true,
    true,
    false,
  ]);
  breaker.failed(OFFLINE);
  expect(breaker.mayStart(0, 2)).toBe(false);
  pass(1_000);
  expect([breaker.mayStart(0, 2), breaker.mayStart(1, 2)]).toEqual([true, false]);
  breaker.succeeded();
  expect(breaker.mayStart(1, 2)).toBe(true);
  breaker.succeeded();
  // A further success is no change.
  expect(changes).toEqual([true, true]);
});

it('reports an obstacle once until its cause changes', () => {
  const { breaker, changes } = gateAt();
  const causes = [
    ['NETWORK', 'nothing answers'],
    ['NETWORK', 'nothing answers'],
    ['SERVICE_UNAVAILABLE', '503'],
    ['SERVICE_UNAVAILABLE', '502'],
    ['REJECTED', '403'],
    ['KEYCHAIN_LOCKED', 'locked'],
    ['AUTH_EXPIRED', 'ended'],
    ['AUTH_EXPIRED', 'it has ended'],
    ['SCOPE_MISSING', 'no scope'],
  ] as const;
  for (const [code, message] of causes) breaker.failed({ code, message });
  expect(changes).toEqual([true, false, true, false, true, true, true, false, true]);
});

it('closes only after another login if the login has ended', () => {
  const { breaker, pass } = gateAt();
  breaker.failed({ code: 'AUTH_EXPIRED', message: 'ended' });
  pass(86_400_000);
  breaker.failed(OFFLINE);
  breaker.tryNow();
  expect(breaker.mayStart(0, 2)).toBe(false);
  expect(breaker.waitMs).toBe(Infinity);
  expect(breaker.state).toMatchObject({ state: 'login-needed' });
});

it('never waits less than the service requested, also when the network returns', () => {
  const { breaker, pass } = gateAt();
  breaker.failed({ code: 'SERVICE_UNAVAILABLE', message: '503' }, 3_600_000);
  pass(1_000_000);
  breaker.tryNow();
  expect(breaker.waitMs).toBe(2_600_000);
});

it('retries at once when the network returns, if only an earlier failure requested a pause', () => {
  const { breaker, pass } = gateAt();
  breaker.failed({ code: 'SERVICE_UNAVAILABLE', message: '503' }, 2_000);
  pass(2_000);
  for (let i = 0; i < 10; i++) breaker.failed(OFFLINE);
  breaker.tryNow();
  expect(breaker.waitMs).toBe(0);
});

it('forgets the obstacle when the queue is empty, and then starts with one recording', () => {
  const { breaker, changes } = gateAt();
  breaker.failed(OFFLINE);
  breaker.idle();
  expect(breaker.state).toEqual({ state: 'closed' });
  // Nothing was delivered, which would be news.
  expect(changes).toEqual([true, false]);
  expect([breaker.mayStart(0, 2), breaker.mayStart(1, 2)]).toEqual([true, false]);
  breaker.failed({ code: 'AUTH_EXPIRED', message: 'ended' });
  breaker.idle();
  expect(breaker.state.state).toBe('login-needed');
});

it('retries at once when the network returns, and then starts with short pauses', () => {
  const { breaker } = gateAt();
  for (let i = 0; i < 10; i++) breaker.failed(OFFLINE);
  expect(breaker.mayStart(0, 2)).toBe(false);
  breaker.tryNow();
  expect(breaker.mayStart(0, 2)).toBe(true);
  breaker.failed(OFFLINE);
  expect(breaker.waitMs).toBe(2_000);
});

it('tries a refused refresh again after 1, 5 and 30 minutes, then hourly, one recording at a time', () => {
  const { breaker, changes, pass } = gateAt();
  const refused = { code: 'AUTH_REFUSED', message: 'the refresh was refused: 400' } as const;
  const waits = Array.from({ length: 6 }, () => {
    breaker.failed(refused);
    // A second delivery was in flight.
    breaker.failed(refused);
    expect(changes.at(-1)).toBe(false);
    const { waitMs } = breaker;
    expect(breaker.mayStart(0, 2)).toBe(false);
    pass(waitMs);
    expect([breaker.mayStart(0, 2), breaker.mayStart(1, 2)]).toEqual([true, false]);
    return waitMs / 60_000;
  });
  expect(waits).toEqual([1, 5, 30, 60, 60, 60]);
  breaker.succeeded();
  breaker.failed(refused);
  expect(breaker.waitMs).toBe(60_000);
  // Another athlete logged in.
  breaker.failed(refused, Infinity);
  expect(breaker.waitMs).toBe(Infinity);
});
