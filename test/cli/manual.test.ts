import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { type CommandNode, createTree } from '../../src/cli/tree.ts';
import { EXIT_MEANINGS, VARIABLES } from '../../scripts/manual/facts.ts';
import { manualPage } from '../../scripts/manual/page.ts';
import { openHome } from '../support/acceptance.ts';
import { missingTools, skipNote } from '../support/shell.ts';

const root = await createTree(COMMANDS);
const manual = manualPage(root, '1.2.3');

/** Returns the page as a terminal of 80 columns shows it, in one paragraph. */
function shown(): string {
  return execFileSync('groff', ['-man', '-Tascii', '-P-cbou'], { input: manual })
    .toString()
    .replace(/-\n\s+/g, '-')
    .replace(/\s+/g, ' ');
}

describe('the manual page', () => {
  it('is in ASCII', () => {
    expect(manual).toMatch(/^\.TH ATHLETE\\-SYNC 1 "" "athlete\\-sync 1\.2\.3"/);
    // eslint-disable-next-line no-control-regex -- the first and the last ASCII character
    expect(manual).toMatch(/^[\x00-\x7f]*$/);
  });

  it.skipIf(missingTools('groff').length > 0)(
    `describes each command, flag, variable and exit code${skipNote(missingTools('groff'))}`,
    () => {
      const text = shown();
      const flags = ({ command, subcommands }: CommandNode): string[] => [
        ...command.options.filter(({ hidden }) => !hidden).map((option) => option.long ?? ''),
        ...subcommands.flatMap(flags),
      ];
      for (const flag of new Set(flags(root))) expect(text).toContain(` ${flag}`);
      for (const { path, subcommands } of root.subcommands)
        for (const name of subcommands.length === 0 ? [path] : subcommands.map((sub) => sub.path))
          expect(text).toContain(` sync ${name.join(' ')} `);
      for (const { name } of VARIABLES) expect(text).toContain(` ${name} `);
      for (const exit of Object.keys(EXIT_MEANINGS)) expect(text).toContain(` ${exit} `);
      expect(text).toContain(' ~/.config/athlete-sync/config.json ');
      expect(text).toContain(' /etc/athlete-sync/config.json ');
      expect(text).toContain('sync upload ride.fit --name "Morning ride" --dry-run');
      expect(text).not.toMatch(/`|undefined/);
    },
  );

  it.skipIf(missingTools('groff').length > 0)(
    `is one that groff formats without a warning${skipNote(missingTools('groff'))}`,
    () => {
      const { status, stderr } = spawnSync('groff', ['-man', '-ww', '-Tascii'], { input: manual });
      expect([status, stderr.toString()]).toEqual([0, '']);
    },
  );

  it.skipIf(missingTools('mandoc').length > 0)(
    `is one that mandoc accepts${skipNote(missingTools('mandoc'))}`,
    () => {
      const file = join(openHome().dir, 'athlete-sync.1');
      writeFileSync(file, manual);
      const { stdout } = spawnSync('mandoc', ['-Tlint', '-Wwarning', file]);
      // A date would make each build different.
      const warnings = stdout.toString().trimEnd().split('\n');
      expect(warnings.filter((line) => !line.includes('missing date'))).toEqual([]);
    },
  );
});
