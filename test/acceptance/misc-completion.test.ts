import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome, runInTerminal, terminals } from '../support/acceptance.ts';
import { runInProcess } from '../support/in-process.ts';
import { type Home, PROGRAM, ndjson, runSync } from '../support/program.ts';
import { installSync, missingTools, runShell, skipNote, writeProgram } from '../support/shell.ts';

const script = async (shell: string) => {
  const { code, stdout } = await runInProcess(['completion', shell], { home: openHome() });
  expect(code).toBe(0);
  return stdout;
};

/** A home with two profiles, folders and files to complete. */
function furnishedHome(): Home {
  const home = openHome();
  mkdirSync(join(home.dir, 'config'));
  const work = { account: { id: '7', name: 'Ada Lindqvist' } };
  const profiles = { default: {}, work, broken: { baseURL: 'a mistyped setting' } };
  writeFileSync(join(home.dir, 'config', 'config.json'), JSON.stringify({ profiles }));
  mkdirSync(join(home.dir, 'my rides'));
  writeFileSync(join(home.dir, 'morning ride.fit'), '');
  return home;
}

/**
 * What is typed before the tab, and the only completion of it: the program's arguments then. Each is another case
 * for the script of a shell; {@link WORDS} has those of the program.
 */
const COMPLETIONS: readonly (readonly [string, readonly string[]])[] = [
  ['sync pus', ['push']],
  ['athlete-sync config se', ['config', 'set']],
  ['sync login --store=f', ['login', '--store=file']],
  ['sync push wellness --tz=America/New_Y', ['push', 'wellness', '--tz=America/New_York']],
  ['sync status --profile wo', ['status', '--profile', 'work']],
  ['sync explain yes', ['explain', 'yesterday']],
  ['sync explain mor', ['explain', 'morning ride.fit']],
  ['sync upload mor', ['upload', 'morning ride.fit']],
  [
    'sync --json --profile work undo nutrition yes',
    ['--json', '--profile', 'work', 'undo', 'nutrition', 'yesterday'],
  ],
  ['sync seed --out=m', ['seed', '--out=my rides']],
  // Only folders fit here, although a file begins with the same letter.
  ['sync watch m', ['watch', 'my rides']],
];

/** What is typed after the program, and the only word that the program offers for it. */
const WORDS: readonly (readonly [typed: string, word: string])[] = [
  ['push nu', 'nutrition'],
  ['seed --acc', '--accounts'],
  ['push wellness --tz UTC --dr', '--dry-run'],
  ['login --store k', 'keychain'],
  ['sandbox --verbose --platform interface', 'interface'],
  ['push wellness --tz Europe/Ber', 'Europe/Berlin'],
  ['push wellness --source garmin-e', 'garmin-export'],
  ['config get token', 'tokenStore'],
  ['config set tokenStore fi', 'file'],
  ['config set timezone Asia/Kolk', 'Asia/Kolkata'],
  ['undo nutrition yes', 'yesterday'],
  ['workouts --since to', 'today'],
  ['completion pow', 'powershell'],
  ['login coa', 'coach-watts'],
  ['help pus', 'push'],
  ['help push nu', 'nutrition'],
  ['--profile wo', 'work'],
  ['--profile work --quiet pus', 'push'],
];

/** zsh removes the slash behind a folder at the end of a line. */
const withoutSlash = (word: string) => word.replace(/\/$/, '');

/** How each shell starts without the user's files, and reads the script from `$completion`. */
const INTERACTIVE = {
  bash: {
    words: ['bash', '--norc', '--noprofile', '-i'],
    begin: 'set -u; bind "set enable-bracketed-paste off"; eval "$(sync completion bash)"',
  },
  zsh: {
    words: ['zsh', '-f', '-i'],
    begin:
      'unset zle_bracketed_paste; autoload -Uz compinit && compinit -u && eval "$(sync completion zsh)"',
  },
} as const;

/** Starts a shell in a terminal, in which `sync` keeps its arguments, but completes itself. */
async function openShell(shell: keyof typeof INTERACTIVE) {
  const home = furnishedHome();
  const bin = join(home.dir, '.bin');
  mkdirSync(bin);
  const kept = join(home.dir, '.kept');
  for (const name of ['sync', 'athlete-sync']) {
    writeProgram(
      join(bin, name),
      `case $1 in complete | completion) [ $# -lt 2 ] || [ "$2" = powershell ] || exec '${process.execPath}' '${PROGRAM}' "$@" ;; esac
{ for word; do printf '%s\\n' "$word"; done; echo .; } >> '${kept}'`,
    );
  }
  const { words, begin } = INTERACTIVE[shell];
  const terminal = runInTerminal({ home }, words, {
    PATH: [bin, process.env['PATH']].join(delimiter),
    PS1: 'ready> ',
    TERM: 'dumb',
    HISTFILE: '',
  });
  terminal.type(`${begin}; PS1='go> '\n`);
  // Not the echo of what is typed, in which a quotation mark follows.
  await terminal.waitFor(/go> (?!')/);
  return {
    terminal,
    /** Ends the shell, which may write into the home until then. */
    async end(): Promise<void> {
      terminal.type('exit\n');
      await terminal.finished;
    },
    /** Types a line, a tab and Enter. @returns the arguments of the program */
    async complete(line: string): Promise<string[]> {
      writeFileSync(kept, '');
      terminal.type(`${line}\t\n`);
      await expect.poll(() => readFileSync(kept, 'utf8')).toMatch(/^\.$/m);
      return readFileSync(kept, 'utf8').split('\n').slice(0, -2);
    },
  };
}

describe('completion in a terminal', () => {
  it.each(['bash', 'zsh'] as const)(
    `completes commands, flags, values and paths in %s${terminals.note}${skipNote(missingTools('bash', 'zsh'))}`,
    { skip: !terminals.present || missingTools('bash', 'zsh').length > 0 },
    async (shell) => {
      const opened = await openShell(shell);
      const byPath = ['~/.bin/sync pus', ['push']] as const;
      for (const [line, args] of [byPath, ...COMPLETIONS])
        expect((await opened.complete(line)).map(withoutSlash), line).toEqual(args);
      // zsh expands the alias before it completes.
      const byAlias = { bash: 'alias sy=sync; complete -F _athlete_sync sy', zsh: 'alias sy=sync' };
      opened.terminal.type(`${byAlias[shell]}\n`);
      expect(await opened.complete('sy pus')).toEqual(['push']);
      await opened.end();
    },
  );

  it.skipIf(!terminals.present || missingTools('zsh').length > 0)(
    `shows what commands, flags and values mean in zsh${terminals.note}${skipNote(missingTools('zsh'))}`,
    async () => {
      const opened = await openShell('zsh');
      const { terminal } = opened;
      for (const [line, meaning] of [
        ['sync push ', /wellness +-- send wellness records/],
        ['sync login --sto\t', /keychain +-- the system's keychain/],
        ['sync status --profile ', /work +-- Ada Lindqvist/],
        ['sync upload --', /--any-type +-- send FIT files that are not activities/],
      ] as const) {
        terminal.type(`${line}\t\t`);
        await terminal.waitFor(meaning);
        // Ctrl-U empties the line.
        terminal.type('\u0015');
      }
      await opened.end();
    },
  );

  it.skipIf(missingTools('fish').length > 0)(
    `completes commands, flags, values and paths with their meanings in fish${skipNote(missingTools('fish'))}`,
    async () => {
      const home = furnishedHome();
      const lines = COMPLETIONS.map(([line]) => line);
      writeFileSync(join(home.dir, 'lines'), lines.join('\n') + '\n');
      const { code, stdout, stderr } = await runShell(
        `sync completion fish > script
fish --no-config -c 'source script; while read line; complete -C $line; echo .; end < lines'`,
        { home, path: [installSync(home)] },
      );
      expect([code, stderr]).toEqual([0, '']);
      const offered = stdout.split(/^\.$/m).map((block) => block.trim().split('\n'));
      for (const [index, [line, args]] of COMPLETIONS.entries())
        expect(
          offered[index]?.map((word) => withoutSlash(word.replace(/\t.*/, ''))),
          line,
        ).toEqual([args.at(-1)]);
      expect(stdout).toContain('push\tsend wellness');
      expect(stdout).toContain('yesterday\tthe day before');
      expect(stdout).toContain('work\tAda Lindqvist');
    },
  );
});

describe('sync completion', () => {
  it.skipIf(missingTools('bash').length > 0)(
    `offers every command of the help in bash, and none twice${skipNote(missingTools('bash'))}`,
    async () => {
      const home = openHome();
      const run = await runShell(
        `set -u; eval "$(sync completion bash)"
COMP_WORDS=(sync ''); COMP_CWORD=1
_athlete_sync
printf '%s\\n' "\${COMPREPLY[@]}"`,
        { home, path: [installSync(home)] },
      );
      expect([run.code, run.stderr]).toEqual([0, '']);
      const { stdout } = await runInProcess(['--help'], { home: openHome() });
      const commands = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name = '']) => name);
      expect(run.stdout.trim().split('\n').sort()).toEqual(commands.sort());
    },
  );

  it('prints the script as a line of JSON', async () => {
    const { stdout } = await runInProcess(['completion', 'bash', '--json'], { home: openHome() });
    const text = await script('bash');
    expect(ndjson(stdout)).toEqual([{ type: 'completion', shell: 'bash', script: text.trimEnd() }]);
  });

  it('completes only the long name of the program if it was typed', async () => {
    expect(await script('bash')).toContain('complete -F _athlete_sync sync athlete-sync\n');
    const home = openHome({ ATHLETE_SYNC_NAME: 'athlete-sync' });
    const long = async (shell: string) => (await runSync(['completion', shell], { home })).stdout;
    expect(await long('bash')).toContain('complete -F _athlete_sync athlete-sync\n');
    expect(await long('zsh')).toMatch(/^#compdef athlete-sync\n/);
    expect(await long('fish')).not.toMatch(/^complete -c sync /m);
    expect(await long('powershell')).toContain('-CommandName athlete-sync -ScriptBlock');
  });

  it.skipIf(missingTools('zsh').length > 0)(
    `prints a zsh script that works from the fpath${skipNote(missingTools('zsh'))}`,
    async () => {
      const home = openHome();
      const { code, stdout, stderr } = await runShell(
        `mkdir functions && ATHLETE_SYNC_NAME=athlete-sync athlete-sync completion zsh > functions/_athlete-sync
zsh -f -c 'fpath=($PWD/functions $fpath); autoload -Uz compinit && compinit -u -D
print -r -- \${_comps[athlete-sync]} \${_comps[sync]-}'`,
        { home, path: [installSync(home)] },
      );
      expect([code, stderr]).toEqual([0, '']);
      // zsh itself has `_nothing` for the sync of coreutils.
      expect(stdout).toMatch(/^_athlete-sync (?!_athlete)/);
    },
  );

  it('lists the supported shells for an unknown one', async () => {
    const { code, stderr } = await runInProcess(['completion', 'tcsh'], { home: openHome() });
    expect([code, stderr]).toEqual([2, /bash, zsh, fish, powershell/]);
  });
});

describe('sync complete', () => {
  /** Returns the lines for what is typed: the kind of paths, then words. */
  const lines = async (home: Home, ...typed: string[]) => {
    const { code, stdout, stderr } = await runInProcess(['complete', '--', ...typed], { home });
    expect([code, stderr]).toEqual([0, '']);
    return stdout.replace(/\n$/, '').split('\n');
  };
  const wordsIn = async (home: Home, ...typed: string[]) =>
    (await lines(home, ...typed)).slice(1).map((line) => line.replace(/\t.*/, ''));
  const words = (...typed: string[]) => wordsIn(openHome(), ...typed);

  it('offers one word that begins as it is typed', async () => {
    const home = furnishedHome();
    for (const [line, word] of WORDS) {
      const typed = line.split(' ');
      const offered = await wordsIn(home, ...typed);
      const fitting = offered.filter((each) => each.startsWith(typed.at(-1) ?? ''));
      expect(fitting, line).toEqual([word]);
    }
  });

  it('prints profiles, zones and values without writing anything', async () => {
    const home = furnishedHome();
    expect(await lines(home, 'status', '--profile', '')).toEqual([
      '',
      'default',
      'work\tAda Lindqvist',
      'broken',
    ]);
    expect(await lines(home, 'push', 'wellness', '--tz', '')).toEqual(
      expect.arrayContaining(['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Europe/Kyiv']),
    );
    expect(await lines(home, 'config', 'set', 'testAccount', '')).toEqual([
      '',
      'true\tyes',
      'false\tno',
    ]);
    expect(await lines(home, 'config', 'set', 'baseUrl', '')).toEqual(['']);
    expect(existsSync(join(home.dir, 'state'))).toBe(false);
  });

  it('names commands and flags, but no internal ones', async () => {
    expect(await words('')).toEqual(expect.arrayContaining(['push', 'sandbox', 'completion']));
    expect(await words('')).not.toEqual(expect.arrayContaining(['complete']));
    expect(await words('push', '')).toEqual(['wellness', 'nutrition']);
    expect(await words('daemon', '')).toContain('uninstall');
    expect(await words('push', 'nutrition', '-')).toContain('--dry-run');
    expect(await words('seed', '--json', '--a')).toContain('--accounts');
    const flags = await words('watch', '-');
    expect(flags).toContain('--new-only');
    expect(flags).not.toContain('--background');
    expect(await words('upload', '--force', '--metadata=a=b', '-')).not.toContain('--force');
    expect(await words('upload', '--force', '--metadata=a=b', '-')).toContain('--metadata');
  });

  it.each([
    [['upload', ''], 'files'],
    [['watch', 'first', ''], 'folders'],
    [['daemon', 'install', ''], 'folders'],
    [['seed', '--out', ''], 'folders'],
    [['seed', '--out='], 'folders'],
    [['login', '--timeout', ''], ''],
    [['status', 'word', ''], ''],
    [['upload', '--tz=UTC', '--name', 'push', ''], 'files'],
  ])('says which paths fit: %j', async (typed, paths) => {
    const [first, ...others] = await lines(openHome(), ...typed);
    expect([first, others]).toEqual([paths, []]);
  });

  it('joins the words that bash splits at =', async () => {
    expect(await words('login', '--store', '=', 'k')).toContain('keychain');
    expect(await words('login', '--store', '=')).toContain('keychain');
    expect(await words('login', '--store=k')).toContain('--store=keychain');
  });
});
