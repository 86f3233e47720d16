import { platformAt } from '../config/platforms.ts';
import { programName, type Text, joinTexts } from '../base/phrase.ts';
import type { SandboxServer } from '../sandbox/server.ts';
import { plural } from '../terminal/words.ts';
import { exportLine } from '../sandbox/export-line.ts';
import type { RequestRecord } from '../sandbox/types.ts';

/** `POST /api/workouts/upload-fit: 503 after 12 ms (athlete-1; fault upload-fit:503)` */
export function requestText({
  method,
  path,
  status,
  durationMs,
  athlete,
  faults,
}: RequestRecord): string {
  const answer =
    status === null || durationMs === null
      ? 'no answer'
      : `${String(status)} after ${durationMs.toFixed(0)} ms`;
  const notes = [athlete, ...faults.map((spec) => `fault ${spec}`)].filter((note) => note !== null);
  return `${method} ${path}: ${answer}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
}

export function readyJson(
  { url, clientId, control }: SandboxServer,
  given: { readonly data: string | null; readonly faults: readonly string[] },
) {
  return {
    type: 'sandbox',
    url,
    clientId,
    data: given.data,
    athletes: control.state().athletes.map(({ profile: { id, name } }) => ({ id, name })),
    settings: control.settings(),
    faults: given.faults,
  };
}

/** Says how to point `sync` at the sandbox: the output can be copied, or given to `eval`. */
export function readyText({
  url,
  clientId,
  data,
  athletes,
  faults,
}: ReturnType<typeof readyJson>): Text {
  const known = platformAt(new URL(url));
  const lines = [
    exportLine(url, clientId),
    `# The sandbox is ready; its data is ${data === null ? 'in memory' : `in ${data}`}.`,
    known === undefined
      ? `# Copy the line above into another terminal, then: ${programName()} login`
      : `# In another terminal, type: ${programName()} login ${known.name}`,
    `# Open ${url}/ to see its data.`,
    `# Athletes: ${athletes.map(({ id, name }) => `${name} (${id})`).join(', ')}`,
    ...faults.map((fault) => `# Fault: ${fault}`),
    '# Ctrl-C stops it.',
  ];
  return joinTexts(lines);
}

export function stoppedJson({ control }: SandboxServer) {
  const { athletes } = control.state();
  return {
    type: 'sandbox-stopped',
    requests: control.requestCount(),
    recordings: athletes.reduce((sum, { recordings }) => sum + recordings.length, 0),
  };
}

export function stoppedText({ requests, recordings }: ReturnType<typeof stoppedJson>): string {
  return `# Stopped after ${plural(requests, 'request')}; it held ${plural(recordings, 'recording')}.`;
}
