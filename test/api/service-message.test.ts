import { describe, expect, it } from 'vitest';
import { serviceMessage } from '../../src/api/service-message.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('the message of the platform', () => {
  it.each<[string, unknown]>([
    ['message', { statusCode: 503, message: 'Maintenance until 14:00' }],
    ['problem details', { title: 'Unavailable', detail: 'Maintenance until 14:00', status: 503 }],
    ['a reason', { status: 'ERROR', reason: 'Maintenance until 14:00' }],
    ['a short name', { code: 7, msg: 'Maintenance until 14:00' }],
    ['a title alone', { title: 'Maintenance until 14:00' }],
    ['an OAuth error', { error: 'busy', error_description: 'Maintenance until 14:00' }],
    ['several lines', { message: ' Maintenance\n until\u001b 14:00 ' }],
  ])('is read from %s', (_what, body) => {
    const response = { headers: JSON_TYPE, text: JSON.stringify(body) };
    expect(serviceMessage(response)).toBe('Maintenance until 14:00');
  });

  it('is read from a text that is declared as nothing', () => {
    expect(serviceMessage({ headers: {}, text: 'Try later' })).toBe('Try later');
    expect(serviceMessage({ headers: {}, text: '<p>Try later</p>' })).toBeUndefined();
  });

  it('is read from a plain text, up to a limit', () => {
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    expect(serviceMessage({ headers, text: 'Maintenance until 14:00\n' })).toBe(
      'Maintenance until 14:00',
    );
    expect(serviceMessage({ headers, text: 'so '.repeat(500) })).toHaveLength(200);
  });

  it.each<[string, Record<string, string>, string]>([
    ['a web page', { 'content-type': 'text/html' }, '<html><title>502</title></html>'],
    ['a web page that claims to be text', { 'content-type': 'text/plain' }, '<html></html>'],
    ['an empty body', { 'content-type': 'text/plain' }, ' '],
    ['JSON without words', JSON_TYPE, '{"message":7}'],
    ['an empty JSON list', JSON_TYPE, '[]'],
    ['broken JSON', JSON_TYPE, '{"message":"Mai'],
  ])('is absent from %s', (_what, headers, text) => {
    expect(serviceMessage({ headers, text })).toBeUndefined();
  });
});
