import { expect, it } from 'vitest';
import type { ErrorCode } from '../../src/base/errors.ts';
import { BatchBreaker } from '../../src/api/batch-breaker.ts';

const failure = (code: ErrorCode, message: string = code) => ({ code, message, hint: 'do this' });

it.each<ErrorCode>(['NETWORK', 'SERVICE_UNAVAILABLE', 'SERVICE_ANSWER', 'FATE_UNKNOWN'])(
  '%s opens the breaker after three failures in a row, and the rest of the batch reports it',
  (code) => {
    const breaker = new BatchBreaker();
    breaker.failed(failure(code, 'first'));
    breaker.failed(failure(code, 'second'));
    expect(breaker.openedBy).toBeUndefined();
    breaker.failed(failure(code, 'third'));
    breaker.failed(failure(code, 'fourth'));
    expect(breaker.openedBy).toEqual({ code, message: 'third', hint: 'do this' });
  },
);

it.each<ErrorCode>([
  'AUTH_REQUIRED',
  'AUTH_EXPIRED',
  'SCOPE_MISSING',
  'KEYCHAIN_LOCKED',
  'KEYCHAIN_MISSING',
  'CONFIG',
  'BUSY',
])('%s opens the breaker at once, and a late response does not close it', (code) => {
  const breaker = new BatchBreaker();
  breaker.failed(failure(code));
  breaker.answered();
  expect(breaker.openedBy).toEqual({ code, message: code, hint: 'do this' });
});

it('adds a hint to a failure without one', () => {
  const breaker = new BatchBreaker();
  breaker.failed({ code: 'AUTH_EXPIRED', message: 'ended' });
  expect(String(breaker.openedBy?.hint)).toMatch(/^The same command again continues/);
});
