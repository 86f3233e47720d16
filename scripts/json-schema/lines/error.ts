import { count, text, time, whole, word } from '../fields.ts';
import { line } from '../line-kind.ts';
import { ERROR_CODES, accountName } from './shared.ts';

const KNOWN = 'it is known';

/** Further facts, by their name in `details` of a `SyncError`. */
const FACTS = {
  status: count('HTTP status.', KNOWN),
  attempts: count('Requests that were made.', KNOWN),
  host: text('Host of the platform.', KNOWN),
  proxy: text('Variable that names the proxy that failed.', KNOWN),
  retryAfterMs: whole('ms', 'Pause that the platform asks for.', KNOWN),
  path: text('The file, or the path of an address.', KNOWN),
  disk: text('`full`, `read-only` or `failing`: the state of the disk.', 'the disk is the cause'),
  line: count('Line in the file, from 1.', KNOWN),
  column: count('Column in the line, from 1.', KNOWN),
  setting: text('The setting.', KNOWN),
  scope: text('The scope that is missing.', KNOWN),
  pid: count('The other process.', KNOWN),
  since: time('Since when it runs.', KNOWN),
  trace: text('The file with the trace of a fault.', 'the code is `INTERNAL`'),
};

const ERROR = line('error', {
  about:
    'Why the command ended early; the last line. With `sync seed --accounts`, why one account was not filled; with `sync status --all-profiles`, why one profile cannot be read. Facts that depend on the failure follow; these are the usual ones.',
  commands: ['any command'],
  fields: {
    code: word('What failed.', ERROR_CODES),
    message: text('What failed and why, as a sentence.'),
    hint: text('What to do or to type next.', 'there is something to do'),
    ...accountName,
    profile: text('Name of the profile.', '`sync status --all-profiles` prints the line'),
    ...FACTS,
  },
  open: true,
});

export const ERROR_LINES = [ERROR];
