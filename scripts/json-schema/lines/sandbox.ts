import * as f from '../fields.ts';
import { line } from '../line-kind.ts';

export const SANDBOX_LINES = {
  sandbox: line('sandbox', 'The sandbox is ready.', {
    url: f.text('Its address.'),
    clientId: f.text('A client identifier that it knows.'),
    data: f.nullable(f.text('The folder of its state'), 'if that is in memory.'),
    athletes: f.list('Its athletes.', {
      id: f.text('Identifier of the athlete.'),
      name: f.text('The name.'),
    }),
    settings: f.openObject('Its settings; see [sandbox.md](sandbox.md).'),
    faults: f.texts('Its faults as the command line states them.'),
  }),

  'sandbox-stopped': line('sandbox', 'The sandbox was stopped.', {
    requests: f.count('Requests that it answered.'),
    recordings: f.count('Recordings that it held.'),
  }),
};
