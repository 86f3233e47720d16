import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { MEAL_TIMES } from '../../../src/records/engine/nutrition-days.ts';
import { ROOT, readDocument } from '../../support/documents.ts';

const PAGE = 'docs/sources.md';

describe('docs/sources.md', () => {
  it('has the table that is written from the sources', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/source-docs.mjs', '--check'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  it('states the times of meals', () => {
    for (const [meal, time] of Object.entries(MEAL_TIMES)) {
      expect(readDocument(PAGE)).toContain(`${meal.toLowerCase()} ${time}`);
    }
  });
});
