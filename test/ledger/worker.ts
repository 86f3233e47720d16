/*
 * A child process for the tests of state that processes share: runs the action named by its first
 * argument, prints a line about it, and stays until it is killed or its stdin ends.
 */
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { changeProfile } from '../../src/config/config-write.ts';
import { openDatabase } from '../../src/ledger/database.ts';
import { type Lock, isHeld, tryLock } from '../../src/system/process-lock.ts';
import { markProcess } from '../../src/system/processes.ts';
import { recordLedger } from '../../src/ledger/records.ts';
import { uploadLedger } from '../../src/ledger/uploads.ts';
import { NO_ACTIVITY, NO_WORKOUT } from '../support/activity.ts';

const [action = '', dir = '', ...rest] = process.argv.slice(2);
const say = (line: string) => void process.stdout.write(`${line}\n`);
const lines = createInterface({ input: process.stdin });

/** Calls `begin` at the first line on stdin. */
function whenTold(begin: () => void | Promise<void>): void {
  say('ready');
  lines.once('line', () => {
    void Promise.resolve()
      .then(begin)
      .then(
        () => say('done'),
        (error: unknown) => say(String(error)),
      );
  });
}

const open = () => {
  const database = openDatabase(join(dir, 'ledger.db'));
  const mark = markProcess(dir);
  return {
    mark,
    uploads: uploadLedger(database, 'athlete:1', mark, Date.now),
    records: recordLedger(database, 'athlete:1', mark, Date.now),
  };
};

/** Keeps the lock referenced: the runtime would release an unreferenced lock. */
let lock: Lock | undefined;
process.once('exit', () => lock?.release());

switch (action) {
  case 'lock':
    lock = tryLock(join(dir, 'one.lock'));
    say(lock === undefined ? 'busy' : 'held');
    break;
  case 'look-when-told':
    whenTold(() => {
      const looks = Array.from({ length: 2000 }, () => isHeld(join(dir, 'one.lock')));
      say(`held ${looks.filter(Boolean).length} of ${looks.length}`);
    });
    break;
  case 'mark':
    say(markProcess(dir).id);
    break;
  case 'claim-upload': {
    const [sha256 = '', force = ''] = rest;
    const claim = open().uploads.claim(
      { sha256, path: 'theirs.fit', size: 1, activity: NO_ACTIVITY, workout: NO_WORKOUT },
      force === 'force',
    );
    say(claim);
    break;
  }
  case 'claim-upload-when-told': {
    const [sha256 = ''] = rest;
    const { uploads } = open();
    whenTold(() =>
      say(
        uploads.claim(
          { sha256, path: 'theirs.fit', size: 1, activity: NO_ACTIVITY, workout: NO_WORKOUT },
          false,
        ),
      ),
    );
    break;
  }
  case 'send-200': {
    const { uploads } = open();
    for (let nth = 0; nth < 200; nth++) {
      const sha256 = String(nth).padStart(64, '0');
      uploads.claim(
        { sha256, path: `rides/${nth}.fit`, size: 1, activity: NO_ACTIVITY, workout: NO_WORKOUT },
        false,
      );
      uploads.confirm(sha256, 1, { state: 'queued', fitFileId: String(nth) });
    }
    say('sent');
    break;
  }
  case 'claim-day':
    say(open().records.claim('nutrition', rest[0] ?? '', 'digest', false));
    break;
  case 'open-when-told':
    whenTold(() => {
      const { uploads, mark } = open();
      uploads.claim(
        { sha256: mark.id, path: 'p', size: 1, activity: NO_ACTIVITY, workout: NO_WORKOUT },
        false,
      );
      uploads.confirm(mark.id, 1, {});
    });
    break;
  case 'change-profile-when-told': {
    const [profile = '', scope = ''] = rest;
    const paths = { configFile: join(dir, 'config', 'config.json'), stateDir: join(dir, 'state') };
    whenTold(async () => {
      await changeProfile(paths, profile, { settings: { scope } });
    });
    break;
  }
  default:
    throw new Error(`no action ${action}`);
}
