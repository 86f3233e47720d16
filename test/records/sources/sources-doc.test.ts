import { describe, expect, it } from 'vitest';
import { MEAL_TIMES } from '../../../src/records/engine/nutrition-days.ts';
import { readDocument } from '../../support/documents.ts';

const PAGE = 'docs/sources.md';

describe('docs/sources.md', () => {
  it('states the times of meals', () => {
    for (const [meal, time] of Object.entries(MEAL_TIMES)) {
      expect(readDocument(PAGE)).toContain(`${meal.toLowerCase()} ${time}`);
    }
  });
});
