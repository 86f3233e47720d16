/*
 * Holds half-open connections to a port for ever: each sends the beginning of a request, and is
 * replaced when it ends. Prints a line when all are open, and for each hundred that were replaced.
 *
 * Usage: node half-open.mjs PORT COUNT
 */
import { connect } from 'node:net';
import { setImmediate } from 'node:timers';

const [port, count] = process.argv.slice(2).map(Number);
let opened = 0;

function open() {
  const socket = connect(port, '127.0.0.1', () => {
    socket.write('GET /callback?code=');
    opened++;
    if (opened === count) console.log('all open');
    if (opened > count && opened % 100 === 0) console.log(`replaced ${opened - count}`);
  });
  socket.on('error', () => undefined);
  socket.on('close', () => setImmediate(open));
  socket.resume();
}

for (let each = 0; each < count; each++) open();
