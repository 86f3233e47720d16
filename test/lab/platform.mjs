// The platform of the laboratory: this checkout's sandbox on the host, behind HTTPS, as a name on the internet.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** One laboratory runs at a time: it listens here. */
const PORT = 44380;
export const PLATFORM = `https://platform.lab:${PORT}`;
export const PROGRAM = fileURLToPath(new URL('../../bin/sync.js', import.meta.url));

/** @param data the folder of the sandbox's state */
export async function startSandbox(data) {
  const child = spawn(
    ...withParent(process.execPath, [
      ...[PROGRAM, 'sandbox', '--auto-approve', '--port', '0', '--json'],
      ...['--set', 'exactRedirectUris=false', ...(data === undefined ? [] : ['--data', data])],
    ]),
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { url, clientId } = JSON.parse(line);
  const control = async (path, init) => {
    const answer = await fetch(`${url}/_sandbox/${path}`, init);
    const text = await answer.text();
    return text === '' ? undefined : JSON.parse(text);
  };
  const post = async (path, body) =>
    await control(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return {
    url,
    clientId,
    post,
    requests: async (route) => (await control(`requests?route=${route}`)).requests,
    /** What an athlete has there. */
    athlete: async (id = 'athlete-1') => (await control(`state?athlete=${id}`)).athletes[0],
    stop: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

/** Listens as the platform's address. `sandbox` is where requests go; `portal` answers them instead. */
export async function startFront({ cert, key }) {
  const front = { sandbox: undefined, portal: false, answered: 0 };
  const server = createServer(
    { cert: readFileSync(cert), key: readFileSync(key) },
    (asked, answer) => {
      if (front.portal) {
        front.answered++;
        asked.resume();
        answer
          .writeHead(200, { 'content-type': 'text/html' })
          .end('<html><h1>Welcome to Hotel Wi-Fi</h1></html>');
        return;
      }
      const { hostname, port, host } = new URL(front.sandbox.url);
      const { method, url: path } = asked;
      const onward = request({ hostname, port, method, path, headers: { ...asked.headers, host } });
      onward.on('response', (response) => {
        answer.writeHead(response.statusCode, response.rawHeaders);
        response.pipe(answer);
      });
      onward.on('error', () => answer.destroy());
      answer.on('close', () => onward.destroy());
      asked.pipe(onward);
    },
  );
  server.listen(PORT, '::');
  await once(server, 'listening');
  front.close = () => server.close().closeAllConnections();
  return front;
}

/** A command that ends with this process, however this process ends. */
export function withParent(command, args) {
  return ['setpriv', ['--pdeathsig', 'KILL', command, ...args]];
}
