import { type LineKind, kindsOf } from './line-kind.ts';
import { DAEMON_LINES } from './lines/daemons.ts';
import { DEVICE_LINES } from './lines/devices.ts';
import { ERROR_LINES } from './lines/error.ts';
import { LEDGER_LINES } from './lines/ledger.ts';
import { LOCAL_LINES } from './lines/local.ts';
import { LOGIN_LINES } from './lines/logins.ts';
import { PLATFORM_LINES } from './lines/platform.ts';
import { RECORD_LINES } from './lines/records.ts';
import { SANDBOX_LINES } from './lines/sandbox.ts';
import { SEED_LINES } from './lines/seed.ts';
import { STATUS_LINES } from './lines/status.ts';
import { UPLOAD_LINES } from './lines/uploads.ts';
import { WATCHER_LINES } from './lines/watchers.ts';

/**
 * Every kind of line that `--json` prints: the source of docs/json.schema.json and docs/json.md, which
 * `npm run generate-docs` writes.
 */
export const LINES: readonly LineKind[] = kindsOf({
  ...UPLOAD_LINES,
  ...LEDGER_LINES,
  ...RECORD_LINES,
  ...PLATFORM_LINES,
  ...LOGIN_LINES,
  ...STATUS_LINES,
  ...WATCHER_LINES,
  ...DAEMON_LINES,
  ...DEVICE_LINES,
  ...LOCAL_LINES,
  ...SEED_LINES,
  ...SANDBOX_LINES,
  ...ERROR_LINES,
});
