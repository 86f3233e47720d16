import { expect } from 'vitest';
import { Phrase } from '../../src/base/phrase.ts';

const CURRENT = Symbol.for('athlete-sync: Phrase');
const shared = globalThis as { [CURRENT]?: typeof Phrase };

// A process runs many test files, and this one before each of them. The modules may be new.
const isAdded = shared[CURRENT] !== undefined;
shared[CURRENT] = Phrase;
if (!isAdded) {
  const isPhrase = (value: unknown) => value instanceof (shared[CURRENT] ?? Phrase);
  expect.addEqualityTesters([
    // Lets tests compare a phrase with the text that it shows without a profile.
    (a: unknown, b: unknown) => {
      if (!isPhrase(a) && !isPhrase(b)) return undefined;
      const areTexts = [a, b].every((each) => isPhrase(each) || typeof each === 'string');
      return areTexts ? String(a) === String(b) : undefined;
    },
    // A pattern stands for a text that it matches. Without this, toMatchObject accepts any value.
    (a: unknown, b: unknown) =>
      b instanceof RegExp && !(a instanceof RegExp)
        ? typeof a === 'string' && b.test(a)
        : undefined,
  ]);
}
