import { count, list, nullable, openObject, text, texts } from '../fields.ts';
import type { LineKind } from '../line-kind.ts';

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

export const SANDBOX_LINES = [SANDBOX, SANDBOX_STOPPED];
