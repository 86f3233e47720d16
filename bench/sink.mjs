import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('sink.py', import.meta.url));

/**
 * Starts a server that takes everything, in a process of its own.
 * @param latencyMs before each answer
 * @returns its URL; `close()`
 */
export async function startSink({ latencyMs = 0 } = {}) {
  const child = spawn('python3', [script, String(latencyMs)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [port] = await once(child.stdout, 'data');
  const url = `http://127.0.0.1:${Number(port)}`;
  return {
    url,
    close: () => child.stdin.end(),
  };
}
