import { readFileSync } from 'node:fs';
import type { Env } from '../base/env.ts';

/**
 * Returns whether the program should outlive its terminal (`nohup`, a script that ignores SIGHUP).
 *
 * Ignored signals stay ignored across `exec`, but Node resets them at its start and keeps no record.
 * Two hints remain: the shell's command in `_` (bash, zsh, ksh), and on Linux the signals that the
 * parent ignores.
 *
 * @param parent process id; 1 has adopted an orphan and tells nothing
 */
export function ignoresHangup(env: Env, platform: NodeJS.Platform, parent: number): boolean {
  if (/(?:^|\/)nohup$/.test(env['_'] ?? '')) return true;
  if (platform !== 'linux' || parent <= 1) return false;
  try {
    // proc(5): a hexadecimal mask; its last bit is signal 1, SIGHUP.
    const mask = /^SigIgn:\s*[0-9a-f]*([0-9a-f])$/m.exec(
      readFileSync(`/proc/${String(parent)}/status`, 'latin1'),
    )?.[1];
    return mask !== undefined && (Number.parseInt(mask, 16) & 1) === 1;
  } catch {
    // The parent is gone, or there is no /proc.
    return false;
  }
}
