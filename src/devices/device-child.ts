/*
 * The child process that reads mounts. A call to a device that was pulled out may never return, and only
 * the end of the process frees its thread: so the program itself never makes one.
 */
import { messageOf } from '../base/errors.ts';
import { answer, onRequest } from '../system/child-side.ts';
import type { SearchAnswer, SearchRequest } from './protocol.ts';
import { search } from './search.ts';

onRequest(async (request: SearchRequest) => {
  try {
    await search(request, tell);
    tell({ state: 'done' });
  } catch (error) {
    tell({ state: 'failed', message: messageOf(error) });
  }
});

function tell(message: SearchAnswer): void {
  void answer(message);
}
