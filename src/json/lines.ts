import type { Shape } from './fields.ts';
import type { LineKind } from './line-kind.ts';
import { ERROR_LINES } from './lines/error.ts';
import { HEALTH } from './lines/health.ts';
import { LOCAL_LINES } from './lines/local.ts';
import { LOGIN_LINES } from './lines/logins.ts';
import { PLATFORM_LINES } from './lines/platform.ts';
import { RECORD_LINES } from './lines/records.ts';
import { SANDBOX_LINES } from './lines/sandbox.ts';
import { UPLOAD_LINES } from './lines/uploads.ts';
import { WATCHER_LINES } from './lines/watchers.ts';

/** Objects that several kinds of lines have in common, by their name in docs/json.md. */
export const OBJECTS: Readonly<Record<string, Shape>> = { watcher: HEALTH };

/**
 * Every kind of line that `--json` prints: the source of docs/json.schema.json and docs/json.md, which
 * `npm run json-docs` writes.
 */
export const LINES: readonly LineKind[] = [
  ...UPLOAD_LINES,
  ...RECORD_LINES,
  ...PLATFORM_LINES,
  ...LOGIN_LINES,
  ...WATCHER_LINES,
  ...LOCAL_LINES,
  ...SANDBOX_LINES,
  ...ERROR_LINES,
];
