import { WELLNESS_FIELDS } from '../fields.ts';
import { OWN_RECORDS } from '../prefer.ts';
import type { Mapping, Source } from './types.ts';

/** JSON in the platform's own form. `import` sends no other JSON of an unknown program. */
export const PLATFORM_FORM: Source = {
  name: OWN_RECORDS,
  title: 'JSON records',
  howTo: 'docs/records.md',
  evidence: ['docs/records.md'],
  general: true,
  files: [
    ...[true, false].flatMap((own) =>
      ['', 'wellness', '*'].map((records): Mapping => ({
        kind: 'wellness',
        holds: 'wellness',
        format: 'json',
        has: ['date', Object.keys(WELLNESS_FIELDS)],
        hasNot: ['items'],
        day: { from: 'date' },
        fields: {},
        records,
        own,
        guess: !own,
      })),
    ),
    // Orders have dates and items, too.
    ...['', 'nutrition', '*'].map((records): Mapping => ({
      kind: 'nutrition',
      holds: 'nutrition',
      format: 'json',
      records,
      has: ['date', 'items'],
      time: { from: 'date' },
      guess: records === '*',
    })),
  ],
};
