import { readFileSync, readdirSync } from 'node:fs';

/** Command lines of all processes of this machine, looked at again and again, as `ps` shows them. */
export interface ProcessWatch {
  /** All that were seen. */
  seen(): ReadonlySet<string>;
  stop(): void;
}

const INTERVAL_MS = 5;

/** Only where there is /proc. */
export function watchProcesses(): ProcessWatch {
  const seen = new Set<string>();
  const look = () => {
    for (const pid of readdirSync('/proc')) {
      if (!/^\d+$/.test(pid)) continue;
      try {
        seen.add(readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '));
      } catch {
        // It ended while we looked.
      }
    }
  };
  const timer = setInterval(look, INTERVAL_MS);
  return { seen: () => seen, stop: () => clearInterval(timer) };
}
