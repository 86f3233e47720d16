import type { SandboxReady, SandboxReport } from '../commands/sandbox.ts';
import { plural } from '../terminal/words.ts';

/** How to point `sync` at it: the lines can be copied, or given to `eval`. */
export function sandboxReadyText(info: SandboxReady): string {
  return [
    `export SYNC_BASE_URL=${info.url} SYNC_CLIENT_ID=${info.clientId}`,
    `# The sandbox is ready; its data is ${info.data === null ? 'in memory' : `in ${info.data}`}.`,
    `# Copy the line above into another terminal, then: sync login`,
    `# Athletes: ${info.athletes.map(({ id, name }) => `${name} (${id})`).join(', ')}`,
    ...info.faults.map((fault) => `# Fault: ${fault}`),
    '# Ctrl-C stops it.',
  ].join('\n');
}

export function sandboxStoppedText({ requests, recordings }: SandboxReport): string {
  return `# Stopped after ${plural(requests, 'request')}; it held ${plural(recordings, 'recording')}.`;
}
