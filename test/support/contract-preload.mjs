// Loaded into `sync sandbox` by NODE_OPTIONS: appends its exchanges to a file, which the test that
// started it checks against the contract.
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';

const file = process.env.TEST_EXCHANGES;
if (file !== undefined && process.argv.includes('sandbox')) {
  subscribe('athlete-sync:sandbox:exchange', (exchange) => {
    appendFileSync(file, `${JSON.stringify(exchange)}\n`);
  });
}
