import { expect } from 'vitest';
import { Phrase } from '../../src/base/phrase.ts';

/** Lets tests compare a phrase with the text that it shows without a profile. */
expect.addEqualityTesters([
  (a: unknown, b: unknown) => {
    if (a instanceof Phrase && typeof b === 'string') return a.toString() === b;
    if (b instanceof Phrase && typeof a === 'string') return b.toString() === a;
    if (a instanceof Phrase && b instanceof Phrase) return a.toString() === b.toString();
    return undefined;
  },
]);
