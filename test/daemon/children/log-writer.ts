/*
 * Writes numbered lines into a rotating log, so many at a time as its parent asks for, and answers
 * when they are written. Arguments: path, most bytes of a log, logs.
 */
import { openRotatingLog } from '../../../src/daemon/rotating-log.ts';

const [path = '', maxBytes, files] = process.argv.slice(2);
const log = openRotatingLog(path, { maxBytes: Number(maxBytes), files: Number(files) });
let next = 0;

process.on('message', (count: number) => {
  for (let i = 0; i < count; i++) log.write(`line ${String(next++)} ü`);
  process.send?.(next);
});
process.on('disconnect', () => log.close());
