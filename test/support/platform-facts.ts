import type { PlatformFacts } from '../../src/config/platforms.ts';

/** What was seen of a platform, kept in memory: nothing yet. */
export function noFacts(): PlatformFacts {
  const seen = new Set<string>();
  return {
    answeredBy: () => undefined,
    knowsSandbox: () => false,
    has: (endpoint, fact) => seen.has(`${endpoint} ${fact}`),
    note: (endpoint, fact) => void seen.add(`${endpoint} ${fact}`),
    noteDocumentOnly: () => undefined,
    isDocumentOnly: () => false,
  };
}
