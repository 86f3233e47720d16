// The platform of the laboratory: this checkout's sandbox on the host, behind HTTPS, as a name on the internet.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fromRoot } from '../../scripts/standalone/project.mjs';
import { words } from './image.mjs';

/** One laboratory runs at a time: it listens here. */
const PORT = 44380;
export const PLATFORM = `https://platform.lab:${PORT}`;
export const PROGRAM = fromRoot('bin/sync.js');

/** @param data the folder of the sandbox's state */
export async function startSandbox(data) {
  const args = words`sandbox --auto-approve --port 0 --json --set exactRedirectUris=false`;
  if (data !== undefined) args.push('--data', data);
  const child = spawn(...withParent(process.execPath, [PROGRAM, ...args]), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { url, clientId } = JSON.parse(line);
  const control = async (path, body) => {
    const headers = { 'content-type': 'application/json' };
    const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
    const text = await (await fetch(`${url}/_sandbox/${path}`, init)).text();
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    url,
    clientId,
    post: control,
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
  const front = { sandbox: undefined, portal: false };
  const answerWith = (asked, answer) => {
    if (front.portal) {
      asked.resume();
      answer.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome to Hotel Wi-Fi');
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
  };
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, answerWith);
  server.listen(PORT, '::');
  await once(server, 'listening');
  front.close = () => server.close().closeAllConnections();
  return front;
}

/** A command that ends with this process, however this process ends. */
export function withParent(command, args) {
  return ['setpriv', ['--pdeathsig', 'KILL', command, ...args]];
}
