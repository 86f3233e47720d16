import type { OnLongWait } from '../../ledger/claim-wait.ts';
import { holderOf } from '../../system/processes.ts';
import type { Output } from '../../terminal/output.ts';

/** Names a process for which a command waits long, and the remedy if it is stopped. */
export function sayLongWait(output: Pick<Output, 'say'>): OnLongWait {
  return (mark) => {
    const { pid, isStopped } = holderOf(mark);
    output.say(
      isStopped
        ? `Waiting for process ${pid}, which began to send the same and is stopped: \`kill -CONT ${pid}\` continues it, \`kill -KILL ${pid}\` ends it.`
        : `Waiting for process ${pid}, which is still sending the same.`,
    );
  };
}
