import * as f from '../fields.ts';
import { line, summary } from '../line-kind.ts';
import { itemCounts } from './shared.ts';

export const IMPORT_LINES = {
  'import-found': line('import', 'What was found of one kind, before anything is sent.', {
    kind: f.word('What it is.', {
      recordings: 'recordings to send',
      tracks: 'activities of GPX and TCX files',
      'phone-tracks':
        'GPX and TCX of Google Fit and Apple Health, which `--include phone-tracks` sends',
      wellness: 'wellness of a known source',
      nutrition: 'nutrition of a known source',
      'uploaded-before': 'recordings that the platform confirmed before',
      undone: 'recordings whose workouts were removed by `sync undo upload`',
      copies: 'recordings that were found before in the same run',
      covered: 'GPX and TCX of rides of which recordings were sent, or will be',
      'too-early': 'recordings before `--since`',
      titles: 'lists with the titles of recordings',
      'no-activity': 'FIT, GPX and TCX files of another kind',
      unusable: 'recordings that are damaged or incomplete; each has an `upload` line',
      ambiguous: 'files of an uncertain program',
      unreadable: 'files and archives that cannot be read; each has an `import-unreadable` line',
      'not-understood': 'files of no known source',
    }),
    title: f.text('The same for people.'),
    files: f.count('Files and members of archives; of `tracks`, their activities.'),
    sends: f.flag('Whether it is sent.'),
    reason: f.text('Why it is not sent.', 'it is not sent'),
    bytes: f.whole('bytes', 'Size of the recordings.', '`kind` is `recordings`'),
    days: f.count('Days with recordings or records.', 'they are known'),
    first: f.date('The first of them.', 'they are known'),
    last: f.date('The last of them.', 'they are known'),
    source: f.text('Name of the source, as `--source` takes it.', 'it is from a known source'),
  }),

  'import-unreadable': line('import', 'A file or an archive that cannot be read.', {
    path: f.text('The file; for a member of an archive, the path of the archive and the member.'),
    reason: f.word('Why.', {
      unreadable: 'it cannot be read',
      incomplete: 'its end is missing',
      corrupt: 'its content is damaged',
      'no-room': 'the disk for temporary files is full',
    }),
    detail: f.text('The reason as a sentence.'),
  }),

  'summary of imports': summary(
    'import',
    'How many recordings, days and unusable records had which outcome',
    {
      recordings: f.count('Recordings that were sent, or could not be.'),
      days: f.count('Days of wellness and nutrition that were sent, or could not be.'),
      ...itemCounts('recording', 'day'),
      warnings: f.count('Warnings in all lines.'),
    },
  ),
};
