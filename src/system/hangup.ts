import { readFileSync } from 'node:fs';
import type { Env } from '../base/env.ts';

/**
 * Was this program started so as to outlive its terminal (`nohup`, a script that ignores SIGHUP)?
 *
 * Ignored signals stay ignored across `exec`, but Node sets all of them back when it starts, and
 * nothing in the process tells of it afterwards. What tells is the command that the shell ran (bash,
 * zsh and ksh put it into `_`), and on Linux what the parent ignores: it was handed down from there.
 *
 * @param parent its process id; 1 has taken over an orphan, and says nothing
 */
export function ignoresHangup(env: Env, platform: NodeJS.Platform, parent: number): boolean {
  if (/(?:^|\/)nohup$/.test(env['_'] ?? '')) return true;
  if (platform !== 'linux' || parent <= 1) return false;
  try {
    // proc(5): a mask in hexadecimal, whose last bit is signal 1, SIGHUP.
    const mask = /^SigIgn:\s*[0-9a-f]*([0-9a-f])$/m.exec(
      readFileSync(`/proc/${String(parent)}/status`, 'latin1'),
    )?.[1];
    return mask !== undefined && (Number.parseInt(mask, 16) & 1) === 1;
  } catch {
    // It is gone, or /proc is not there: nobody says so.
    return false;
  }
}
