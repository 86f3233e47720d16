/*
 * The child process that reads mounts. A call to a device that was pulled out may never return, and only
 * the end of the process frees its thread: so the program itself never makes one.
 */
import { text } from 'node:stream/consumers';
import { messageOf } from '../base/errors.ts';
import type { SearchAnswer, SearchRequest } from './protocol.ts';
import { search } from './search.ts';

async function main(): Promise<void> {
  await search(JSON.parse(await text(process.stdin)) as SearchRequest, answer);
  answer({ state: 'done' });
}

function answer(message: SearchAnswer): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

// The parent may have stopped reading.
process.stdout.on('error', () => undefined);

main().catch((error: unknown) => answer({ state: 'failed', message: messageOf(error) }));
