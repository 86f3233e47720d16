import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  environmentFile,
  quoteWindowsArgument,
  windowsTask,
} from '../../../src/daemon/os-service/windows-task.ts';
import { ODD_FOLDERS, definitionOf, noteWithout, present, python } from './support.ts';

const USER = 'HOME-PC\\Ann & Bob';

/** The parts of the task, through another XML reader. */
const READ = `
import json, sys, xml.etree.ElementTree as tree
root = tree.fromstring(sys.stdin.buffer.read())
names = {'t': 'http://schemas.microsoft.com/windows/2004/02/mit/task'}
text = lambda path: [node.text for node in root.findall(path, names)]
print(json.dumps({
  'command': text('t:Actions/t:Exec/t:Command'),
  'arguments': text('t:Actions/t:Exec/t:Arguments'),
  'users': text('.//t:UserId'),
  'parts': [node.tag.split('}')[1] for node in root],
}))
`;
import { scratchDir } from '../../support/scratch-dir.ts';

/** A task as it stands on the disk: UTF-16 with its byte order mark. */
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');

describe('the task for Windows', () => {
  it('has the expected text', () => {
    const definition = definitionOf(['C:\\Users\\Ann\\Two words'], {
      command: ['C:\\node\\node.exe', 'C:\\sync\\main.cjs', 'watch', 'C:\\Users\\Ann\\Two words'],
    });
    expect(windowsTask('PC\\Ann', definition).split('\r\n')).toEqual([
      '<?xml version="1.0" encoding="UTF-16"?>',
      '<!-- Written by "sync daemon install"; "sync daemon uninstall" removes it. -->',
      '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
      '  <RegistrationInfo>',
      '    <Description>Uploads new recordings from C:\\Users\\Ann\\Two words (sync, profile default)</Description>',
      '  </RegistrationInfo>',
      '  <Triggers>',
      '    <LogonTrigger>',
      '      <Enabled>true</Enabled>',
      '      <UserId>PC\\Ann</UserId>',
      '    </LogonTrigger>',
      '  </Triggers>',
      '  <Principals>',
      '    <Principal id="Author">',
      '      <UserId>PC\\Ann</UserId>',
      '      <LogonType>InteractiveToken</LogonType>',
      '      <RunLevel>LeastPrivilege</RunLevel>',
      '    </Principal>',
      '  </Principals>',
      '  <Settings>',
      '    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
      '    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>',
      '    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
      '    <StartWhenAvailable>true</StartWhenAvailable>',
      '    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>',
      '    <RestartOnFailure>',
      '      <Interval>PT1M</Interval>',
      '      <Count>3</Count>',
      '    </RestartOnFailure>',
      '    <Enabled>true</Enabled>',
      '  </Settings>',
      '  <Actions Context="Author">',
      '    <Exec>',
      '      <Command>C:\\node\\node.exe</Command>',
      '      <Arguments>C:\\sync\\main.cjs watch &quot;C:\\Users\\Ann\\Two words&quot;</Arguments>',
      '    </Exec>',
      '  </Actions>',
      '</Task>',
      '',
    ]);
  });

  it.skipIf(!present('python3'))(
    `means the same to Python's parser for any folder names${noteWithout('python3')}`,
    () => {
      const folders = ODD_FOLDERS.filter((folder) => !/%[^%]+%/.test(folder));
      const definition = definitionOf(folders);
      const [command, ...args] = definition.command;
      expect(python(READ, utf16(windowsTask(USER, definition)))).toEqual({
        command: [command],
        arguments: [args.map(quoteWindowsArgument).join(' ')],
        users: [USER, USER],
        parts: ['RegistrationInfo', 'Triggers', 'Principals', 'Settings', 'Actions'],
      });
    },
  );

  it('rejects text that the Task Scheduler would read as a variable', () => {
    expect(() => windowsTask(USER, definitionOf(['C:\\%TEMP%\\rides']))).toThrow(
      /take for a variable/,
    );
    expect(() => windowsTask(USER, definitionOf(['C:\\100%']))).not.toThrow();
    expect(() => windowsTask(USER, definitionOf(['C:\\a\u0001b']))).toThrow(/cannot be written/);
  });
});

/** CommandLineToArgvW's rules for what follows the program's name, written down a second time. */
function splitWindowsArguments(line: string): string[] {
  const args: string[] = [];
  let current: string | undefined;
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const run = /^\\+/.exec(line.slice(i))?.[0].length ?? 0;
    if (run > 0) {
      const beforeQuote = line[i + run] === '"';
      current = (current ?? '') + '\\'.repeat(beforeQuote ? Math.floor(run / 2) : run);
      i += run - 1;
      if (beforeQuote && run % 2 === 1) {
        current += '"';
        i++;
      }
    } else if (line[i] === '"') {
      quoted = !quoted;
      current ??= '';
    } else if (/\s/.test(line[i] ?? '') && !quoted) {
      if (current !== undefined) args.push(current);
      current = undefined;
    } else current = (current ?? '') + (line[i] ?? '');
  }
  return current === undefined ? args : [...args, current];
}

describe('an argument on a Windows command line', () => {
  it.each([
    ['plain', 'plain'],
    ['C:\\dir\\', 'C:\\dir\\'],
    ['', '""'],
    ['two words', '"two words"'],
    ['C:\\two words\\', '"C:\\two words\\\\"'],
    ['say "hi"', '"say \\"hi\\""'],
    ['a\\"b', '"a\\\\\\"b"'],
    ['a\\\\b c', '"a\\\\b c"'],
  ])('is written for %j as %j', (argument, written) => {
    expect(quoteWindowsArgument(argument)).toBe(written);
  });

  it('is parsed back unchanged, with any characters', () => {
    const nasty = fc.string({ unit: fc.constantFrom('\\', '"', ' ', 'a', '\t', 'ü', '%', "'") });
    fc.assert(
      fc.property(fc.array(nasty), (args) => {
        expect(splitWindowsArguments(args.map(quoteWindowsArgument).join(' '))).toEqual(args);
      }),
      { numRuns: 500 },
    );
  });

  it.skipIf(!present('python3'))(
    `matches the text that Python writes for the rules of the C runtime${noteWithout('python3')}`,
    () => {
      const args = ['a b', 'a\\ b\\', 'x"y', '\\\\server\\my share\\', '\\"', ' '];
      const program =
        'import json, subprocess, sys; print(json.dumps(subprocess.list2cmdline(json.load(sys.stdin))))';
      const line = python(program, JSON.stringify(args)) as string;
      expect(splitWindowsArguments(line)).toEqual(args);
      expect(splitWindowsArguments(args.map(quoteWindowsArgument).join(' '))).toEqual(args);
    },
  );
});

describe('the variables of a task', () => {
  it('are read back unchanged by Node', () => {
    const env = {
      SYNC_CONFIG_DIR: 'C:\\new\\table "x" $HOME %TEMP% #1',
      SYNC_STATE_DIR: "C:\\it's here\\",
      SYNC_TIMEZONE: 'Europe/Berlin',
      NO_PROXY: 'a,b c',
      ODD: ' ü=🏃 ',
    };
    const dir = scratchDir();
    const file = join(dir, 'task.env');
    writeFileSync(file, environmentFile(env));
    const names = JSON.stringify(Object.keys(env));
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [
        `--env-file=${file}`,
        '-p',
        `JSON.stringify(Object.fromEntries(${names}.map((name) => [name, process.env[name]])))`,
      ],
      { encoding: 'utf8', env: {} },
    );
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(env);
  });

  it('reject a text that no quotes can hold', () => {
    expect(() => environmentFile({ A: '\'"`' })).toThrow(/A: .*cannot be written/);
    expect(() => environmentFile({ A: 'a\nB=b' })).toThrow(/cannot be written/);
  });
});
