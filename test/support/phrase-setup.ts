import { expect } from 'vitest';
import { Phrase } from '../../src/base/phrase.ts';

const ADDED = Symbol.for('athlete-sync: phrase testers');

// A process runs many test files, and this one before each of them.
if (!(ADDED in globalThis)) {
  Object.defineProperty(globalThis, ADDED, { value: true });
  // Lets tests compare a phrase with the text that it shows without a profile.
  expect.addEqualityTesters([
    (a: unknown, b: unknown) => {
      if (a instanceof Phrase && typeof b === 'string') return a.toString() === b;
      if (b instanceof Phrase && typeof a === 'string') return b.toString() === a;
      if (a instanceof Phrase && b instanceof Phrase) return a.toString() === b.toString();
      return undefined;
    },
  ]);
}
