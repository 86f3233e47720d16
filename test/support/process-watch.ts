import { readFileSync, readdirSync } from 'node:fs';

const INTERVAL_MS = 5;

/** Collects the command lines of all processes of this machine, as `ps` shows them. Needs /proc. */
export function watchProcesses() {
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
