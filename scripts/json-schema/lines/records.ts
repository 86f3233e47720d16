import {
  type Shape,
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
import type { LineKind } from '../line-kind.ts';
import { accountName, failure, itemCounts, request } from './shared.ts';

/** The day of a record that could be read. */
const DAY: Shape = {
  date: date('The local calendar date.'),
  source: text('The first of `sources`.', 'there is one'),
  sources: texts('Every input record in it: a file, `FILE#/POINTER` (RFC 6901) or `FILE:LINE`.'),
  warnings: list(
    {
      source: text('The input record.'),
      field: text('The field as the input spells it.', 'it is about a field'),
      message: text('A sentence.'),
    },
    'Notes on values that were accepted, and may be mistakes.',
  ),
  zoneUsed: flag('Whether the zone decided the date or an offset.'),
  zone: text('IANA name of the zone.', '`zoneUsed`, and `sync push` prints the line'),
  zoneFrom: word(
    {
      flag: '`--tz`',
      environment: '`SYNC_TIMEZONE`',
      profile: 'the setting `timezone`',
      machine: "this machine's zone",
    },
    'Origin of the zone.',
    'there is `zone`',
  ),
};

const ATTEMPTS = count('Requests of this run that were to change it, repetitions included.');

const PROBLEM: Shape = {
  field: text('The field as the input spells it.', 'the problem is about a field'),
  problem: text('The problem.'),
};

const RECORD: LineKind = {
  types: ['wellness', 'nutrition'],
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
  variants: {
    by: 'outcome',
    about: 'What happened to the record.',
    each: [
      {
        is: { pushed: 'the platform took it, new or changed' },
        fields: {
          ...DAY,
          attempts: ATTEMPTS,
          unseen: flag(
            'Always true: what others wrote on the day was not seen, and is erased.',
            'the platform replaces days of nutrition, and the login may not read them',
          ),
        },
      },
      {
        is: { undone: '`sync undo` took back what was sent from here' },
        fields: { ...DAY, attempts: ATTEMPTS },
      },
      {
        is: { skipped: 'not sent' },
        fields: {
          ...DAY,
          reason: word(
            {
              unchanged: 'the platform has it',
              undone: '`sync undo` took it back; only `--force` sends it again',
            },
            'Why.',
          ),
        },
      },
      {
        is: { invalid: 'not sent: it cannot be used' },
        fields: {
          source: text('The input record, or the input if it cannot be read as a whole.'),
          date: date('The local calendar date.', 'it is known'),
          ...PROBLEM,
          problems: list(PROBLEM, 'All problems; the first is `field` and `problem`, too.'),
          reason: word(
            { unreadable: 'the input cannot be read as a whole' },
            'Why.',
            'no record of the input can be read',
          ),
          hint: text('What to do or to type next.', 'no record of the input can be read'),
        },
      },
      {
        is: { rejected: 'the platform refused it for good' },
        fields: {
          ...DAY,
          status: count('HTTP status.', 'the status was the refusal'),
          message: text('What the platform said, as a sentence.'),
          hint: text('What to do or to type next.', 'there is something to do'),
          attempts: ATTEMPTS,
        },
      },
      {
        is: { conflict: 'the platform holds something else, and cannot be corrected from here' },
        fields: {
          ...DAY,
          stored: openObjects('The items that the platform holds and should not.'),
          intended: openObjects('The items that it should hold instead.'),
          message: text('What differs, as a sentence.'),
          hint: text('What to do in the platform.'),
          attempts: ATTEMPTS,
        },
      },
      {
        is: { failed: 'not delivered; the same command again continues' },
        fields: {
          ...DAY,
          ...failure(),
          attempts: { ...ATTEMPTS, when: 'the run came to it' },
        },
      },
      {
        is: { 'would-push': '`--dry-run`: it would be sent' },
        fields: {
          ...DAY,
          request: object(
            request,
            'The request; of nutrition with all that the day should hold, of which sync sends what is missing.',
          ),
        },
      },
    ],
  },
};

const PUSH_SUMMARY: LineKind = {
  types: ['summary'],
  of: 'records',
  about: 'How many days and unusable records had which outcome; the last line.',
  commands: ['push wellness', 'push nutrition'],
  fields: {
    total: count('All days and unusable records.'),
    warnings: count('Warnings in all lines.'),
    ...itemCounts('day'),
  },
};

const KIND = word({ wellness: 'daily records', nutrition: 'food' }, 'What is in it.');

const EXPORT: LineKind = {
  types: ['export'],
  about: 'A file that another program exported, as sync recognised it.',
  commands: ['push wellness', 'push nutrition', 'sources --check'],
  fields: {
    path: text('The file as the command line names it.'),
    source: text('Name of the source, as `--source` takes it.'),
    title: text('The source for people.'),
    holds: text('What the file holds, in the words of the source.'),
    kind: KIND,
    days: count('Days with records.'),
    first: date('The first of them.', 'there is one'),
    last: date('The last of them.', 'there is one'),
    unread: texts('Columns of a table that sync does not know, and does not send.', 'there is one'),
    example: openObject('The first day as it would be sent.', '`sources --check` prints the line'),
  },
};

const SOURCE: LineKind = {
  types: ['source'],
  about: 'An export that sync understands.',
  commands: ['sources'],
  fields: {
    name: text('Its name, as `--source` takes it.'),
    title: text('For people.'),
    kinds: texts('`wellness`, `nutrition` or both.'),
    files: list(
      {
        kind: KIND,
        holds: text('What such a file holds.'),
        format: word(
          { json: 'JSON', csv: 'a table', xml: 'XML', fit: 'FIT' },
          'How it is written.',
        ),
      },
      'The kinds of file in the export.',
    ),
    howTo: text('Where the athlete finds the export.'),
    evidence: texts('Where the format is documented.'),
  },
};

export const RECORD_LINES = [EXPORT, SOURCE, RECORD, PUSH_SUMMARY];
