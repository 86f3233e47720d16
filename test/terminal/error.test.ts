import { describe, expect, it } from 'vitest';
import { SyncError } from '../../src/base/errors.ts';
import { errorReport, errorText } from '../../src/terminal/output.ts';

describe('an error', () => {
  const error = new SyncError('CONFIG', 'SYNC_BASE_URL: wrong', {
    hint: 'Write it so.',
    cause: new Error('below'),
    details: { setting: 'baseUrl', code: 'OTHER', type: 'x', message: 'y' },
  });

  it('is printed as a JSON object, and details replace none of its fields', () => {
    expect(errorReport(error)).toEqual({
      type: 'error',
      code: 'CONFIG',
      message: 'SYNC_BASE_URL: wrong',
      hint: 'Write it so.',
      setting: 'baseUrl',
    });
    expect(errorReport(new SyncError('USAGE', 'no'))).toEqual({
      type: 'error',
      code: 'USAGE',
      message: 'no',
    });
  });

  it('is printed as a message and a hint', () => {
    expect(String(errorText(error, { verbose: false }))).toBe(
      'Error: SYNC_BASE_URL: wrong\n  Write it so.',
    );
    expect(String(errorText(error, { verbose: true }))).toBe(
      'Error: SYNC_BASE_URL: wrong\n  Write it so.\n  Cause: below',
    );
    expect(String(errorText(new SyncError('INTERRUPTED', 'Interrupted.'), { verbose: true }))).toBe(
      'Interrupted.',
    );
  });

  it('is printed without its cause if that is a fault, which has a trace', () => {
    const fault = new SyncError('INTERNAL', 'A fault.', { cause: new Error('below') });
    expect(String(errorText(fault, { verbose: true }))).toBe('Error: A fault.');
  });
});
