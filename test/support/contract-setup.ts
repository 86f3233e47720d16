import { subscribe } from 'node:diagnostics_channel';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach } from 'vitest';
import { type Exchange, EXCHANGES } from '../../src/sandbox/request-log.ts';
import { Contract } from './contract.ts';

// Every test passes here: it fails if a request of the client, or an answer of a sandbox that it
// started, breaks docs/openapi.yaml. Sandboxes of other processes leave their exchanges in a file.
const folder = mkdtempSync(join(tmpdir(), 'sync-contract-'));
const file = join(folder, 'exchanges.ndjson');
process.env['TEST_EXCHANGES'] = file;

let contract: Contract | undefined;
const violations: string[] = [];
const check = (exchange: Exchange) => {
  contract ??= new Contract();
  violations.push(...contract.violations(exchange));
};

subscribe(EXCHANGES, (message) => check(message as Exchange));

afterEach(() => {
  for (const line of elsewhere()) check(JSON.parse(line) as Exchange);
  const found = violations.splice(0);
  if (found.length > 0) {
    throw new Error(`docs/openapi.yaml is broken:\n${[...new Set(found)].join('\n')}`);
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The exchanges of other processes since the last test. */
function elsewhere(): string[] {
  try {
    const text = readFileSync(file, 'utf8');
    rmSync(file);
    return text.split('\n').filter((line) => line !== '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
