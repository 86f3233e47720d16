/*
 * Writes numbered lines into a log, as many as its parent asks for, and answers when they are
 * written. Arguments: path, largest size of the log (bytes).
 */
import { openLog } from '../../../src/daemon/log.ts';

const [path = '', maxBytes] = process.argv.slice(2);
const log = openLog(path, Number(maxBytes));
let next = 0;

process.on('message', (count: number) => {
  for (let i = 0; i < count; i++) log.write(`line ${String(next++)} ü`);
  process.send?.(next);
});
