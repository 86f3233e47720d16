import { expect, it } from 'vitest';
import type { ErrorCode } from '../../src/base/errors.ts';
import { Outlook } from '../../src/api/batch-breaker.ts';

const failure = (code: ErrorCode, message: string = code) => ({ code, message, hint: 'do this' });

it.each<ErrorCode>(['NETWORK', 'SERVICE_UNAVAILABLE', 'SERVICE_ANSWER', 'FATE_UNKNOWN'])(
  '%s three times in a row ends a batch, and is what the rest is told',
  (code) => {
    const outlook = new Outlook();
    outlook.failed(failure(code, 'first'));
    outlook.failed(failure(code, 'second'));
    expect(outlook.hopeless).toBeUndefined();
    outlook.failed(failure(code, 'third'));
    outlook.failed(failure(code, 'fourth'));
    expect(outlook.hopeless).toEqual({ code, message: 'third', hint: 'do this' });
  },
);

it('an answer in between begins the count again', () => {
  const outlook = new Outlook();
  for (let i = 0; i < 10; i++) {
    outlook.failed(failure('NETWORK'));
    outlook.failed(failure('NETWORK'));
    outlook.answered();
  }
  expect(outlook.hopeless).toBeUndefined();
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
  const outlook = new Outlook();
  outlook.failed(failure(code));
  outlook.answered();
  expect(outlook.hopeless).toEqual({ code, message: code, hint: 'do this' });
});

it('keeps what was said, and nothing of the item that it was said about', () => {
  const outlook = new Outlook();
  const item = { ...failure('AUTH_EXPIRED'), hint: 'log in', path: 'a.fit', sha256: 'abc' };
  outlook.failed(item);
  expect(outlook.hopeless).toEqual({
    code: 'AUTH_EXPIRED',
    message: 'AUTH_EXPIRED',
    hint: 'log in',
  });
});

it('a failure without a hint says how to go on', () => {
  const outlook = new Outlook();
  outlook.failed({ code: 'AUTH_EXPIRED', message: 'ended' });
  expect(outlook.hopeless?.hint).toMatch(/^The same command again continues/);
});
