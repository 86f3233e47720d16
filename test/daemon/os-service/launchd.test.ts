import { describe, expect, it } from 'vitest';
import { launchdPlist } from '../../../src/daemon/os-service/launchd.ts';
import { ODD_FOLDERS, definitionOf, noteWithout, present, python } from './support.ts';

const READ = `
import json, plistlib, sys
print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))
`;

describe('the launchd property list', () => {
  it.skipIf(!present('python3'))(
    `means the same to Python's parser for any folder names${noteWithout('python3')}`,
    () => {
      const folders = [...ODD_FOLDERS, '/a\nb\tc\rd', ' /blanks '];
      const definition = definitionOf(folders, {
        env: { SYNC_CONFIG_DIR: '/c/<&>"\'', EMPTY: '' },
      });
      expect(python(READ, launchdPlist('athlete-sync.a<b', definition))).toEqual({
        Label: 'athlete-sync.a<b',
        ProgramArguments: definition.command,
        EnvironmentVariables: definition.env,
        WorkingDirectory: '/',
        RunAtLoad: true,
        KeepAlive: { SuccessfulExit: false },
        ThrottleInterval: 30,
        ProcessType: 'Background',
        ExitTimeOut: 15,
        Umask: 0o077,
        SoftResourceLimits: { Core: 0 },
        HardResourceLimits: { Core: 0 },
        StandardOutPath: '/home/ann/crash.log',
        StandardErrorPath: '/home/ann/crash.log',
      });
    },
  );

  it.skipIf(!present('plutil'))('passes plutil -lint (runs on macOS only)', async () => {
    const { spawnSync } = await import('node:child_process');
    const input = launchdPlist('athlete-sync.default', definitionOf(ODD_FOLDERS));
    expect(spawnSync('plutil', ['-lint', '-'], { input }).status).toBe(0);
  });

  it('rejects a control character with a message', () => {
    for (const bad of ['/a\u0000b', '/a\u0007b', '/a\u001bb', '/a\ud800b', '/a\uffffb']) {
      expect(() => launchdPlist('x', definitionOf([bad]))).toThrow(
        /has a character that cannot be written there \(U\+[0-9A-F]{4}\)/,
      );
    }
  });
});
