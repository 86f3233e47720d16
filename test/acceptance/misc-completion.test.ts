import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome } from '../support/acceptance.ts';
import { ndjson, runSync } from '../support/program.ts';
import { installSync, missingTools, runShell, skipNote } from '../support/shell.ts';

const script = async (shell: string) => {
  const { code, stdout } = await runSync(['completion', shell], { home: openHome() });
  expect(code).toBe(0);
  return stdout;
};

/** Returns the completions of bash for a line that ends at the cursor. */
async function offered(line: string): Promise<string[]> {
  const home = openHome();
  const words = line.split(' ').map((word) => `'${word}'`);
  const run = await runShell(
    `eval "$(sync completion bash)"
complete -p sync athlete-sync >&2 || exit 1
COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}
_athlete_sync
printf '%s\\n' "\${COMPREPLY[@]}"`,
    { home, path: [installSync(home)] },
  );
  expect(run.code, run.stderr).toBe(0);
  expect(run.stderr).toContain('-F _athlete_sync athlete-sync');
  return run.stdout.split('\n').filter((word) => word !== '');
}

describe('sync completion', () => {
  it.skipIf(missingTools('bash').length > 0)(
    `completes commands and flags in bash${skipNote(missingTools('bash'))}`,
    async () => {
      expect(await offered('sync pu')).toEqual(['push']);
      expect(await offered('sync push ')).toEqual(
        expect.arrayContaining(['wellness', 'nutrition']),
      );
      expect(await offered('sync push w')).toEqual(['wellness']);
      expect(await offered('sync push wellness --t')).toEqual(['--tz']);
      expect(await offered('sync push wellness a.json --tz Europe/Oslo --dr')).toEqual([
        '--dry-run',
      ]);
      expect(await offered('athlete-sync config s')).toEqual(['set']);
      expect(await offered('sync seed --acc')).toEqual(['--accounts']);
      expect(await offered('sync daemon ins')).toEqual(['install']);
      // Every command of the help, and none twice.
      const all = (await offered('sync ')).filter((word) => !word.startsWith('-'));
      const { stdout } = await runSync(['--help'], { home: openHome() });
      const commands = [...stdout.matchAll(/^ {2}([a-z]+) /gm)]
        .map(([, name = '']) => name)
        .filter((name) => name !== 'help');
      expect(all.sort()).toEqual(commands.sort());
    },
  );

  it.each(['bash', 'zsh', 'fish'] as const)('prints a valid %s script', async (shell) => {
    const text = await script(shell);
    expect(text).toContain('athlete-sync');
    if (missingTools(shell).length > 0) {
      // Reported, because this test then checks the text alone.
      console.info(`no ${shell} here: its script is only read, not checked by it`);
      return;
    }
    const home = openHome();
    writeFileSync(join(home.dir, 'script'), text);
    const check = await runShell(`${shell} -n script`, { home });
    expect(check).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('completes commands in all four shells', async () => {
    for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
      const text = await script(shell);
      for (const word of ['push', 'nutrition', 'wellness', 'uninstall', 'dry-run', 'accounts'])
        expect(text, shell).toContain(word);
      // Internal commands are not completed.
      expect(text).not.toMatch(/--background|-l background/);
    }
    const { stdout } = await runSync(['completion', 'bash', '--json'], { home: openHome() });
    const text = await script('bash');
    expect(ndjson(stdout)).toEqual([{ type: 'completion', shell: 'bash', script: text.trimEnd() }]);
  });

  it('lists the supported shells for an unknown one', async () => {
    const { code, stderr } = await runSync(['completion', 'tcsh'], { home: openHome() });
    expect(code).toBe(2);
    expect(stderr).toContain('bash, zsh, fish, powershell');
  });
});
