import { expect } from 'vitest';
import { runInProcess } from './in-process.ts';
import { type Home } from './program.ts';

/** A command of this program in a text, as unexpanded words. */
export interface DocumentedCommand {
  readonly text: string;
  /** `['push', 'wellness']` */
  readonly path: readonly string[];
  readonly flags: readonly string[];
}

/** Finds the commands of this program in a shell script, anywhere in a line. */
export function documentedCommands(script: string): DocumentedCommand[] {
  const code = script
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    // Quoted text may look like a command.
    .map((line) => line.replace(/'[^']*'/g, "''"));
  return code.flatMap((line) =>
    [...line.matchAll(/(?:^|[|&;(]|\brun: |^\s*- )\s*(sync (?:[^|&;>#]+))/g)].map(
      ([, text = '']) => {
        const words = text.trim().split(/\s+/).slice(1);
        const path: string[] = [];
        for (const word of words) {
          if (!/^[a-z]+$/.test(word) || path.length === 2) break;
          path.push(word);
        }
        const flags = words
          .filter((word) => word.startsWith('--'))
          .map((word) => word.split('=')[0] ?? '');
        return { text: text.trim(), path, flags };
      },
    ),
  );
}

/** Asserts that the program has this command and these flags. */
export async function expectKnown(home: Home, command: DocumentedCommand): Promise<void> {
  const [name = '', sub] = command.path;
  const groups = ['push', 'config', 'daemon'];
  const path = groups.includes(name) && sub !== undefined ? [name, sub] : [name];
  const { code, stdout } = await runInProcess([...path, '--help'], { home });
  expect(code, command.text).toBe(0);
  // The help of the command, not of the program.
  expect(stdout, command.text).toContain(`Usage: sync ${path.join(' ')}`);
  for (const flag of command.flags) {
    expect(stdout, command.text).toMatch(new RegExp(`(?:^|\\s)${flag}(?:[\\s,]|$)`, 'm'));
  }
}
