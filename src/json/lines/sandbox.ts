import { type Shape, count, date, list, nullable, openObject, text, texts } from '../fields.ts';
import type { LineKind } from '../line-kind.ts';
import { accountName, outcomeCount } from './shared.ts';

const FILES: LineKind = {
  types: ['files'],
  about: 'The files that were written.',
  commands: ['seed --out'],
  fields: {
    dir: text('The folder as the command line names it.'),
    recordings: count('Recordings in it.'),
    days: count('Days in its `wellness.json` and `nutrition.json`.'),
  },
  examples: [{ dir: 'data', recordings: 5, days: 7 }],
};

/** Outcomes that a recording or a record of a seed can have. */
const OUTCOMES = [
  'uploaded',
  'duplicate',
  'pushed',
  'skipped',
  'invalid',
  'rejected',
  'conflict',
  'failed',
  'would-upload',
  'would-push',
];

const outcomes: Shape = Object.fromEntries(
  OUTCOMES.map((outcome) => [outcome, outcomeCount(outcome, 'there is one')]),
);

const SEED_SUMMARY: LineKind = {
  types: ['summary'],
  of: 'seed',
  about: 'What an account was filled with, and how many items had which outcome.',
  commands: ['seed'],
  fields: {
    ...accountName,
    from: date('The first day.'),
    until: date('The last day.'),
    recordings: count('Recordings.'),
    records: count('Days of wellness and of nutrition.'),
    ...outcomes,
  },
  examples: [
    {
      from: '2026-05-11',
      until: '2026-05-17',
      recordings: 5,
      records: 14,
      uploaded: 5,
      pushed: 14,
    },
  ],
};

const ACCOUNTS_SUMMARY: LineKind = {
  types: ['summary'],
  of: 'seeded accounts',
  about: 'How many accounts were filled; the last line.',
  commands: ['seed --accounts'],
  fields: {
    accounts: count('All accounts.'),
    complete: count('Accounts that were filled.'),
    incomplete: count('The others.'),
  },
  examples: [{ accounts: 2, complete: 2, incomplete: 0 }],
};

const SANDBOX: LineKind = {
  types: ['sandbox'],
  about: 'The sandbox is ready.',
  commands: ['sandbox'],
  fields: {
    url: text('Its address.'),
    clientId: text('A client identifier that it knows.'),
    data: nullable(text('The folder of its state'), 'if that is in memory.'),
    athletes: list(
      { id: text('Identifier of the athlete.'), name: text('The name.') },
      'Its athletes.',
    ),
    settings: openObject('Its settings; see [sandbox.md](sandbox.md).'),
    faults: texts('Its faults as the command line states them.'),
  },
  examples: [
    {
      url: 'http://127.0.0.1:8930',
      clientId: 'sandbox-client',
      data: null,
      athletes: [{ id: 'athlete-1', name: 'Ada Lindqvist' }],
      settings: { revision: '2026-08', autoApprove: true },
      faults: [],
    },
  ],
};

const SANDBOX_STOPPED: LineKind = {
  types: ['sandbox-stopped'],
  about: 'The sandbox was stopped.',
  commands: ['sandbox'],
  fields: {
    requests: count('Requests that it answered.'),
    recordings: count('Recordings that it held.'),
  },
  examples: [{ requests: 42, recordings: 5 }],
};

export const SANDBOX_LINES = [FILES, SEED_SUMMARY, ACCOUNTS_SUMMARY, SANDBOX, SANDBOX_STOPPED];
