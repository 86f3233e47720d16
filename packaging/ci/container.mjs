// Runs in the container of Dockerfile: the sandbox, which answers on loopback only, and a port for the job.
import { spawn } from 'node:child_process';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SANDBOX = { host: '127.0.0.1', port: 8919 };
const PORT = 8918;

const flags = ['--port', String(SANDBOX.port), '--wait-ready', join(tmpdir(), 'ready')];
const sandbox = spawn('athlete-sync', ['sandbox', ...flags, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
sandbox.on('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => sandbox.kill(signal));

/** Names under which a job reaches this container. Any name would let a web page in (DNS rebinding). */
const HOSTS = (process.env.SANDBOX_HOSTS ?? 'localhost,127.0.0.1,sandbox').split(',');

createServer((asked, answer) => {
  if (!HOSTS.includes((asked.headers.host ?? '').replace(/:\d+$/, ''))) {
    answer
      .writeHead(421)
      .end('Unknown host name. SANDBOX_HOSTS of the container lists the known ones.\n');
    return;
  }
  // The sandbox itself answers to loopback names only.
  const headers = { ...asked.headers, host: `127.0.0.1:${PORT}` };
  const passed = request({
    ...SANDBOX,
    ...{ path: asked.url, method: asked.method, headers },
  });
  passed.on('response', (response) => {
    answer.writeHead(response.statusCode, response.headers);
    response.pipe(answer);
  });
  passed.on('error', () => answer.destroy());
  asked.pipe(passed);
}).listen(PORT, '0.0.0.0');
