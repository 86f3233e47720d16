import { describe, expect, it } from 'vitest';
import { APPS } from '../../src/devices/apps.ts';
import { MAKERS } from '../../src/devices/makers.ts';
import { CALL_LIMIT_MS } from '../../src/devices/protocol.ts';
import { readDocument } from '../support/documents.ts';

const PAGE = 'docs/devices.md';

describe('docs/devices.md', () => {
  it('states the time limit of a mount', () => {
    expect(readDocument(PAGE)).toContain(`within ${CALL_LIMIT_MS / 1000} seconds`);
  });
});

it.each([...MAKERS, ...APPS])('the evidence of $title is an address or a file', (entry) => {
  for (const place of entry.evidence) {
    expect(place).toMatch(/^(https:\/\/\S+|[\w.-]+\/[\w.-]+ \S+)$/);
  }
  expect(entry.confirmed && entry.evidence.length === 0).toBe(false);
});
