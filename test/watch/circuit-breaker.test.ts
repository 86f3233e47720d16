import { expect, it } from 'vitest';
import { Gate } from '../../src/watch/circuit-breaker.ts';

const OFFLINE = { code: 'NETWORK', message: 'nothing answers' } as const;

function gateAt(random = 1) {
  let now = 1_000_000;
  const gate = new Gate(
    () => now,
    () => random,
  );
  return { gate, pass: (ms: number) => (now += ms) };
}

it('waits longer after every failure, up to five minutes', () => {
  const { gate, pass } = gateAt();
  const waits = Array.from({ length: 12 }, () => {
    gate.failed(OFFLINE);
    const { waitMs = NaN } = gate;
    pass(waitMs);
    return waitMs;
  });
  const seconds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300];
  expect(waits).toEqual(seconds.map((s) => s * 1000));
});

it('waits between half of that and all of it, as chance will have it', () => {
  for (const [random, share] of [
    [0, 0.5],
    [0.5, 0.75],
    [0.999, 0.9995],
  ] as const) {
    const { gate } = gateAt(random);
    for (let i = 0; i < 20; i++) gate.failed(OFFLINE);
    expect(gate.waitMs).toBeCloseTo(300_000 * share);
  }
});

it('waits as long as the service asks, if that is longer', () => {
  const { gate } = gateAt();
  gate.failed({ code: 'SERVICE_UNAVAILABLE', message: '503' }, 20_000);
  expect(gate.waitMs).toBe(20_000);
  gate.succeeded();
  gate.failed({ code: 'SERVICE_UNAVAILABLE', message: '503' }, 10);
  expect(gate.waitMs).toBe(1_000);
});

it('lets one recording try after a failure, and all after a success', () => {
  const { gate, pass } = gateAt();
  expect([gate.mayStart(0, 2), gate.mayStart(1, 2), gate.mayStart(2, 2)]).toEqual([
    true,
    true,
    false,
  ]);
  gate.failed(OFFLINE);
  expect(gate.mayStart(0, 2)).toBe(false);
  pass(1_000);
  expect([gate.mayStart(0, 2), gate.mayStart(1, 2)]).toEqual([true, false]);
  expect(gate.succeeded()).toBe(true);
  expect(gate.mayStart(1, 2)).toBe(true);
  expect(gate.succeeded()).toBe(false);
});

it('is news once, until the obstacle is another one', () => {
  const { gate } = gateAt();
  expect(gate.failed(OFFLINE)).toBe(true);
  expect(gate.failed(OFFLINE)).toBe(false);
  expect(gate.failed({ code: 'KEYCHAIN_LOCKED', message: 'locked' })).toBe(true);
  expect(gate.failed({ code: 'AUTH_EXPIRED', message: 'ended' })).toBe(true);
  expect(gate.failed({ code: 'AUTH_EXPIRED', message: 'it has ended' })).toBe(false);
  expect(gate.failed({ code: 'SCOPE_MISSING', message: 'no scope' })).toBe(true);
});

it('opens for nothing but another login once that has ended', () => {
  const { gate, pass } = gateAt();
  gate.failed({ code: 'AUTH_EXPIRED', message: 'ended' });
  pass(86_400_000);
  gate.failed(OFFLINE);
  gate.tryNow();
  expect(gate.mayStart(0, 2)).toBe(false);
  expect(gate.waitMs).toBeUndefined();
  expect(gate.state).toMatchObject({ state: 'login' });
});

it('does not undercut what the service asked for, whatever has changed', () => {
  const { gate, pass } = gateAt();
  gate.failed({ code: 'SERVICE_UNAVAILABLE', message: '503' }, 3_600_000);
  pass(1_000_000);
  gate.tryNow();
  expect(gate.waitMs).toBe(2_600_000);
});

it('may be tried at once again if an earlier failure, but not this one, asked for a pause', () => {
  const { gate, pass } = gateAt();
  gate.failed({ code: 'SERVICE_UNAVAILABLE', message: '503' }, 2_000);
  pass(2_000);
  for (let i = 0; i < 10; i++) gate.failed(OFFLINE);
  gate.tryNow();
  expect(gate.waitMs).toBe(0);
});

it('knows of no obstacle any more when nothing waits, and begins with one recording', () => {
  const { gate } = gateAt();
  gate.failed(OFFLINE);
  gate.idle();
  expect(gate.state).toEqual({ state: 'open' });
  expect([gate.mayStart(0, 2), gate.mayStart(1, 2)]).toEqual([true, false]);
  gate.failed({ code: 'AUTH_EXPIRED', message: 'ended' });
  gate.idle();
  expect(gate.state.state).toBe('login');
});

it('tries at once when the network is back, and starts over with short pauses', () => {
  const { gate } = gateAt();
  for (let i = 0; i < 10; i++) gate.failed(OFFLINE);
  expect(gate.mayStart(0, 2)).toBe(false);
  gate.tryNow();
  expect(gate.mayStart(0, 2)).toBe(true);
  gate.failed(OFFLINE);
  expect(gate.waitMs).toBe(2_000);
});
