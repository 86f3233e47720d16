import { count, list, nullable, openObject, text, texts } from '../fields.ts';
import { line } from '../line-kind.ts';
const SANDBOX = line('sandbox', {
  about: 'The sandbox is ready.',
  commands: ['sandbox'],
  fields: {
    url: text('Its address.'),
    clientId: text('A client identifier that it knows.'),
    data: nullable(text('The folder of its state'), 'if that is in memory.'),
    athletes: list('Its athletes.', {
      id: text('Identifier of the athlete.'),
      name: text('The name.'),
    }),
    settings: openObject('Its settings; see [sandbox.md](sandbox.md).'),
    faults: texts('Its faults as the command line states them.'),
  },
});

const SANDBOX_STOPPED = line('sandbox-stopped', {
  about: 'The sandbox was stopped.',
  commands: ['sandbox'],
  fields: {
    requests: count('Requests that it answered.'),
    recordings: count('Recordings that it held.'),
  },
});

export const SANDBOX_LINES = [SANDBOX, SANDBOX_STOPPED];
