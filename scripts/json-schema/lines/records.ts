import * as f from '../fields.ts';
import { line, summary } from '../line-kind.ts';
import { ATTEMPTS, accountName, failure, itemCounts, request } from './shared.ts';

/** The day of a record that could be read. */
const DAY = {
  date: f.date('The local calendar date.'),
  source: f.text('The first of `sources`.', 'there is one'),
  sources: f.texts('Every input record in it: a file, `FILE#/POINTER` (RFC 6901) or `FILE:LINE`.'),
  warnings: f.list('Notes on values that were accepted, and may be mistakes.', {
    source: f.text('The input record.'),
    field: f.text('The field as the input spells it.', 'it is about a field'),
    message: f.text('A sentence.'),
    unsent: f.flag('The value was not sent, and the rest of the day was.', 'it is so'),
  }),
  zoneUsed: f.flag('Whether the zone decided the date or an offset.'),
  zone: f.text('IANA name of the zone.', '`zoneUsed`, and `sync push` prints the line'),
  zoneFrom: f.word('Origin of the zone.', 'there is `zone`', {
    flag: '`--tz`',
    environment: '`SYNC_TIMEZONE`',
    profile: 'the setting `timezone`',
    machine: "this machine's zone",
  }),
};

const PROBLEM = {
  field: f.text('The field as the input spells it.', 'the problem is about a field'),
  problem: f.text('The problem.'),
};

const KIND = f.word('What is in it.', { wellness: 'daily records', nutrition: 'food' });

export const RECORD_LINES = {
  export: line(
    'push wellness, push nutrition, sources FILE',
    'A file that another program exported, as sync recognised it; of `sources FILE`, also JSON records.',
    {
      path: f.text('The file as the command line names it.'),
      source: f.text('Name of the source, as `--source` takes it; `platform` for JSON records.'),
      title: f.text('The source for people.'),
      holds: f.text('What the file holds, in the words of the source.'),
      kind: KIND,
      days: f.count('Days with records.'),
      first: f.date('The first of them.', 'there is one'),
      last: f.date('The last of them.', 'there is one'),
      unread: f.texts(
        'Columns of a table that sync does not know, and does not send.',
        'there is one',
      ),
      example: f.openObject('The first day as it would be sent.', '`sources FILE` prints the line'),
    },
  ),

  source: line('sources', 'An export that sync understands.', {
    name: f.text('Its name, as `--source` takes it.'),
    title: f.text('For people.'),
    kinds: f.texts('`wellness`, `nutrition` or both.'),
    files: f.list('The kinds of file in the export.', {
      kind: KIND,
      holds: f.text('What such a file holds.'),
      format: f.word('How it is written.', {
        json: 'JSON',
        csv: 'a table',
        xml: 'XML',
        fit: 'FIT',
      }),
    }),
    howTo: f.text('Where the athlete finds the export.'),
    evidence: f.texts('Where the format is documented.'),
  }),

  'wellness, nutrition': line(
    'push wellness, push nutrition, import, undo nutrition, undo wellness, watch, seed',
    'The outcome of one day of wellness or of nutrition, or of a record that cannot be used.',
    {
      at: f.time('When it happened.', '`sync watch` prints the line and runs without `--once`'),
      ...accountName,
      outcome: f.variants('What happened to the record.', [
        f.variant('pushed', 'the platform took it, new or changed', {
          ...DAY,
          attempts: f.count(ATTEMPTS),
          unseen: f.flag(
            'Always true: what others wrote on the day was not seen, and is erased.',
            'the platform replaces days of nutrition, and nothing of this day was sent from here before',
          ),
        }),
        f.variant('undone', '`sync undo` took back what was sent from here', {
          ...DAY,
          attempts: f.count(ATTEMPTS),
        }),
        f.variant('skipped', 'not sent', {
          ...DAY,
          reason: f.word('Why.', {
            unchanged: 'the platform has it',
            undone: '`sync undo` removed it; only `--force` sends it again',
          }),
        }),
        f.variant('invalid', 'not sent: it cannot be used', {
          source: f.text('The input record, or the input if it cannot be read as a whole.'),
          date: f.date('The local calendar date.', 'it is known'),
          ...PROBLEM,
          problems: f.list('All problems; the first is `field` and `problem`, too.', PROBLEM),
          reason: f.word('Why.', 'no record of the input can be read', {
            unreadable: 'the input cannot be read as a whole',
          }),
          hint: f.text('What to do or to type next.', 'no record of the input can be read'),
        }),
        f.variant('rejected', 'the platform refused it for good', {
          ...DAY,
          status: f.count('HTTP status.', 'the status was the refusal'),
          message: f.text('What the platform said, as a sentence.'),
          hint: f.text('What to do or to type next.', 'there is something to do'),
          attempts: f.count(ATTEMPTS),
        }),
        f.variant(
          'conflict',
          'the platform holds something else, and cannot be corrected from here',
          {
            ...DAY,
            stored: f.openObjects('The items that the platform holds and should not.'),
            intended: f.openObjects('The items that it should hold instead.'),
            message: f.text('What differs, as a sentence.'),
            hint: f.text('What to do in the platform.'),
            attempts: f.count(ATTEMPTS),
          },
        ),
        f.variant('failed', 'not delivered; the same command again continues', {
          ...DAY,
          ...failure(),
          attempts: f.count(ATTEMPTS, 'the run came to it'),
        }),
        f.variant('would-push', '`--dry-run`: it would be sent', {
          ...DAY,
          request: f.object(
            'The request; of nutrition with all that the day should hold, of which sync sends what is missing.',
            request,
          ),
        }),
      ]),
    },
  ),

  'summary of records': summary(
    'push wellness, push nutrition',
    'How many days and unusable records had which outcome',
    {
      total: f.count('All days and unusable records.'),
      warnings: f.count('Warnings in all lines.'),
      ...itemCounts('day'),
    },
  ),
};
