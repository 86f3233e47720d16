import * as f from '../fields.ts';
import { openLine } from '../line-kind.ts';
import { ERROR_CODES, accountName } from './shared.ts';

const KNOWN = 'it is known';

/** Further facts, by their name in `details` of a `SyncError`. */
const FACTS = {
  status: f.count('HTTP status.', KNOWN),
  attempts: f.count('Requests that were made.', KNOWN),
  host: f.text('Host of the platform.', KNOWN),
  proxy: f.text('Variable that names the proxy that failed.', KNOWN),
  retryAfterMs: f.ms('Pause that the platform asks for.', KNOWN),
  path: f.text('The file, or the path of an address.', KNOWN),
  disk: f.text('`full`, `read-only` or `failing`: the state of the disk.', 'the disk is the cause'),
  line: f.count('Line in the file, from 1.', KNOWN),
  column: f.count('Column in the line, from 1.', KNOWN),
  setting: f.text('The setting.', KNOWN),
  scope: f.text('The scope that is missing.', KNOWN),
  pid: f.count('The other process.', KNOWN),
  since: f.time('Since when it runs.', KNOWN),
  trace: f.text('The file with the trace of a fault.', 'the code is `INTERNAL`'),
};

export const ERROR_LINES = {
  error: openLine(
    'any command',
    'Why the command ended early; the last line. With `sync seed --accounts`, why one account was not filled; with `sync status --all-profiles`, why one profile cannot be read. Facts that depend on the failure follow; these are the usual ones.',
    {
      code: f.word('What failed.', ERROR_CODES),
      message: f.text('What failed and why, as a sentence.'),
      hint: f.text('What to do or to type next.', 'there is something to do'),
      ...accountName,
      profile: f.text('Name of the profile.', '`sync status --all-profiles` prints the line'),
      ...FACTS,
    },
  ),
};
