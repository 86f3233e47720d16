import { expect, it } from 'vitest';
import type { ErrorCode } from '../../src/base/errors.ts';
import { BatchBreaker } from '../../src/api/batch-breaker.ts';

const failure = (code: ErrorCode, message: string = code) => ({ code, message, hint: 'do this' });

it.each<ErrorCode>(['NETWORK', 'SERVICE_UNAVAILABLE', 'SERVICE_ANSWER', 'FATE_UNKNOWN'])(
  '%s three times in a row ends a batch, and is what the rest is told',
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

it('an answer in between begins the count again', () => {
  const breaker = new BatchBreaker();
  for (let i = 0; i < 10; i++) {
    breaker.failed(failure('NETWORK'));
    breaker.failed(failure('NETWORK'));
    breaker.answered();
  }
  expect(breaker.openedBy).toBeUndefined();
});

it.each<ErrorCode>([
  'AUTH_REQUIRED',
  'AUTH_EXPIRED',
  'SCOPE_MISSING',
  'KEYCHAIN_LOCKED',
  'KEYCHAIN_MISSING',
  'CONFIG',
  'BUSY',
])('%s ends a batch at once, and a late answer does not begin it again', (code) => {
  const breaker = new BatchBreaker();
  breaker.failed(failure(code));
  breaker.answered();
  expect(breaker.openedBy).toEqual({ code, message: code, hint: 'do this' });
});

it('keeps what was said, and nothing of the item that it was said about', () => {
  const breaker = new BatchBreaker();
  const item = { ...failure('AUTH_EXPIRED'), hint: 'log in', path: 'a.fit', sha256: 'abc' };
  breaker.failed(item);
  expect(breaker.openedBy).toEqual({
    code: 'AUTH_EXPIRED',
    message: 'AUTH_EXPIRED',
    hint: 'log in',
  });
});

it('a failure without a hint says how to go on', () => {
  const breaker = new BatchBreaker();
  breaker.failed({ code: 'AUTH_EXPIRED', message: 'ended' });
  expect(breaker.openedBy?.hint).toMatch(/^The same command again continues/);
});
