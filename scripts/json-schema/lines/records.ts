import {
  count,
  date,
  flag,
  list,
  object,
  openObject,
  openObjects,
  text,
  texts,
  time,
  word,
} from '../fields.ts';
import { line, variant } from '../line-kind.ts';
import { accountName, failure, itemCounts, request } from './shared.ts';

/** The day of a record that could be read. */
const DAY = {
  date: date('The local calendar date.'),
  source: text('The first of `sources`.', 'there is one'),
  sources: texts('Every input record in it: a file, `FILE#/POINTER` (RFC 6901) or `FILE:LINE`.'),
  warnings: list('Notes on values that were accepted, and may be mistakes.', {
    source: text('The input record.'),
    field: text('The field as the input spells it.', 'it is about a field'),
    message: text('A sentence.'),
    unsent: flag('The value was not sent, and the rest of the day was.', 'it is so'),
  }),
  zoneUsed: flag('Whether the zone decided the date or an offset.'),
  zone: text('IANA name of the zone.', '`zoneUsed`, and `sync push` prints the line'),
  zoneFrom: word('Origin of the zone.', 'there is `zone`', {
    flag: '`--tz`',
    environment: '`SYNC_TIMEZONE`',
    profile: 'the setting `timezone`',
    machine: "this machine's zone",
  }),
};

const ATTEMPTS = 'Requests of this run that were to change it, repetitions included.';

const PROBLEM = {
  field: text('The field as the input spells it.', 'the problem is about a field'),
  problem: text('The problem.'),
};

export const RECORD = line(['wellness', 'nutrition'], {
  about: 'The outcome of one day of wellness or of nutrition, or of a record that cannot be used.',
  commands: [
    'push wellness',
    'push nutrition',
    'import',
    'undo nutrition',
    'undo wellness',
    'watch',
    'seed',
  ],
  fields: {
    at: time('When it happened.', '`sync watch` prints the line and runs without `--once`'),
    ...accountName,
  },
  by: ['outcome', 'What happened to the record.'],
  variants: [
    variant('pushed', 'the platform took it, new or changed', {
      ...DAY,
      attempts: count(ATTEMPTS),
      unseen: flag(
        'Always true: what others wrote on the day was not seen, and is erased.',
        'the platform replaces days of nutrition, and nothing of this day was sent from here before',
      ),
    }),
    variant('undone', '`sync undo` took back what was sent from here', {
      ...DAY,
      attempts: count(ATTEMPTS),
    }),
    variant('skipped', 'not sent', {
      ...DAY,
      reason: word('Why.', {
        unchanged: 'the platform has it',
        undone: '`sync undo` removed it; only `--force` sends it again',
      }),
    }),
    variant('invalid', 'not sent: it cannot be used', {
      source: text('The input record, or the input if it cannot be read as a whole.'),
      date: date('The local calendar date.', 'it is known'),
      ...PROBLEM,
      problems: list('All problems; the first is `field` and `problem`, too.', PROBLEM),
      reason: word('Why.', 'no record of the input can be read', {
        unreadable: 'the input cannot be read as a whole',
      }),
      hint: text('What to do or to type next.', 'no record of the input can be read'),
    }),
    variant('rejected', 'the platform refused it for good', {
      ...DAY,
      status: count('HTTP status.', 'the status was the refusal'),
      message: text('What the platform said, as a sentence.'),
      hint: text('What to do or to type next.', 'there is something to do'),
      attempts: count(ATTEMPTS),
    }),
    variant('conflict', 'the platform holds something else, and cannot be corrected from here', {
      ...DAY,
      stored: openObjects('The items that the platform holds and should not.'),
      intended: openObjects('The items that it should hold instead.'),
      message: text('What differs, as a sentence.'),
      hint: text('What to do in the platform.'),
      attempts: count(ATTEMPTS),
    }),
    variant('failed', 'not delivered; the same command again continues', {
      ...DAY,
      ...failure(),
      attempts: count(ATTEMPTS, 'the run came to it'),
    }),
    variant('would-push', '`--dry-run`: it would be sent', {
      ...DAY,
      request: object(
        'The request; of nutrition with all that the day should hold, of which sync sends what is missing.',
        request,
      ),
    }),
  ],
});

const PUSH_SUMMARY = line('summary of records', {
  about: 'How many days and unusable records had which outcome; the last line.',
  commands: ['push wellness', 'push nutrition'],
  fields: {
    total: count('All days and unusable records.'),
    warnings: count('Warnings in all lines.'),
    ...itemCounts('day'),
  },
});

const KIND = word('What is in it.', { wellness: 'daily records', nutrition: 'food' });

const EXPORT = line('export', {
  about:
    'A file that another program exported, as sync recognised it; of `sources FILE`, also JSON records.',
  commands: ['push wellness', 'push nutrition', 'sources FILE'],
  fields: {
    path: text('The file as the command line names it.'),
    source: text('Name of the source, as `--source` takes it; `platform` for JSON records.'),
    title: text('The source for people.'),
    holds: text('What the file holds, in the words of the source.'),
    kind: KIND,
    days: count('Days with records.'),
    first: date('The first of them.', 'there is one'),
    last: date('The last of them.', 'there is one'),
    unread: texts('Columns of a table that sync does not know, and does not send.', 'there is one'),
    example: openObject('The first day as it would be sent.', '`sources FILE` prints the line'),
  },
});

const SOURCE = line('source', {
  about: 'An export that sync understands.',
  commands: ['sources'],
  fields: {
    name: text('Its name, as `--source` takes it.'),
    title: text('For people.'),
    kinds: texts('`wellness`, `nutrition` or both.'),
    files: list('The kinds of file in the export.', {
      kind: KIND,
      holds: text('What such a file holds.'),
      format: word('How it is written.', { json: 'JSON', csv: 'a table', xml: 'XML', fit: 'FIT' }),
    }),
    howTo: text('Where the athlete finds the export.'),
    evidence: texts('Where the format is documented.'),
  },
});

export const RECORD_LINES = [EXPORT, SOURCE, RECORD, PUSH_SUMMARY];
