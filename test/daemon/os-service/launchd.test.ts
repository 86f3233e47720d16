import { describe, expect, it } from 'vitest';
import { launchdPlist } from '../../../src/daemon/os-service/launchd.ts';
import { ODD_FOLDERS, definitionOf, noteWithout, present, python } from './support.ts';

const READ = `
import json, plistlib, sys
print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))
`;

describe('the launchd property list', () => {
  it('has the expected text', () => {
    expect(launchdPlist('athlete-sync.default', definitionOf(['/Users/ann/A & B'])))
      .toBe(`<?xml version="1.0" encoding="UTF-8"?>
<!-- Written by "sync daemon install"; "sync daemon uninstall" removes it. -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>athlete-sync.default</string>
  <key>ProgramArguments</key>
  <array>
    <string>/usr/bin/node</string>
    <string>/opt/sync/dist/main.cjs</string>
    <string>watch</string>
    <string>/Users/ann/A &amp; B</string>
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>SYNC_STATE_DIR</key>
    <string>/home/ann/.local/state/athlete-sync</string>
  </dict>
  <key>WorkingDirectory</key>
  <string>/</string>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>30</integer>
  <key>ProcessType</key>
  <string>Background</string>
  <key>ExitTimeOut</key>
  <integer>15</integer>
  <key>Umask</key>
  <integer>63</integer>
  <key>SoftResourceLimits</key>
  <dict>
    <key>Core</key>
    <integer>0</integer>
  </dict>
  <key>HardResourceLimits</key>
  <dict>
    <key>Core</key>
    <integer>0</integer>
  </dict>
  <key>StandardOutPath</key>
  <string>/home/ann/crash.log</string>
  <key>StandardErrorPath</key>
  <string>/home/ann/crash.log</string>
</dict>
</plist>
`);
  });

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
