import { expect, it } from 'vitest';
import { Announcer } from '../../../src/commands/watch/announcer.ts';
import { testContext } from '../../support/context.ts';

it('a check of uploads shows one note on the desktop, however many recordings are missing', async () => {
  const notes: string[] = [];
  const announcer = new Announcer(testContext(), {
    report: () => undefined,
    notify: ({ text }) => notes.push(String(text)),
  });
  const tell = (...paths: string[]) => {
    for (const path of paths) {
      announcer.announce({
        event: 'missing',
        path,
        sha256: '',
        uploadedAt: '2026-02-15T08:00:00.000Z',
      });
    }
    return Promise.resolve();
  };
  await tell('a.fit', 'b.fit', 'c.fit');
  await tell('d.fit');
  expect(notes).toEqual(['a.fit and 2 more. Run `sync verify`.', 'd.fit. Run `sync verify`.']);
});
