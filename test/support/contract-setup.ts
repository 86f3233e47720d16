import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach } from 'vitest';
import { EXCHANGES } from '../../src/sandbox/http/request-log.ts';
import type { AnsweredRequest } from '../../src/sandbox/types.ts';

// Runs for every test file: a test fails if a request of the client, or an answer of a sandbox that it
// started, breaks docs/openapi.yaml. Sandboxes of other processes leave their exchanges in a file.
const folder = mkdtempSync(join(tmpdir(), 'sync-contract-'));
const file = join(folder, 'exchanges.ndjson');
process.env['TEST_EXCHANGES'] = file;

const exchanges: AnsweredRequest[] = [];
const note = (message: unknown) => void exchanges.push(message as AnsweredRequest);
subscribe(EXCHANGES, note);

afterEach(async () => {
  const found = [...exchanges.splice(0), ...elsewhere()];
  if (found.length === 0) return;
  // Loaded when it is needed: half of the files start no sandbox.
  const contract = (await import('./contract.ts')).sharedContract();
  const violations = new Set(found.flatMap((exchange) => contract.violations(exchange)));
  if (violations.size > 0) {
    throw new Error(`docs/openapi.yaml is broken:\n${[...violations].join('\n')}`);
  }
});

afterAll(() => {
  // The process runs further files.
  unsubscribe(EXCHANGES, note);
  rmSync(folder, { recursive: true, force: true });
});

/** The exchanges of other processes since the last test. */
function elsewhere(): AnsweredRequest[] {
  try {
    const text = readFileSync(file, 'utf8');
    rmSync(file);
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as AnsweredRequest);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
