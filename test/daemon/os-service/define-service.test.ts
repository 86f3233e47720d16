import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defineService } from '../../../src/commands/daemon/service-definition.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { pathsFor } from '../../../src/app/config.ts';
import { createContext, thisSystem } from '../../../src/app/context.ts';
import type { WatchScope } from '../../../src/daemon/state-file.ts';
import {
  type ServiceKind,
  describe as describeService,
} from '../../../src/daemon/os-service/definition.ts';

/** What a service would run if `sync daemon install` were called in this environment. */
function define(
  env: Readonly<Record<string, string>>,
  {
    kind = 'systemd',
    programDir = '/opt/sync/dist',
    profile = 'default',
    scope = { folders: ['/home/ann/Garmin', '/mnt/two words'] },
  }: { kind?: ServiceKind; programDir?: string; profile?: string; scope?: WatchScope } = {},
) {
  const system = {
    ...thisSystem(new AbortController().signal, () => undefined),
    ...{ env, cwd: '/home/ann', homeDir: '/home/ann', platform: 'linux' as const, programDir },
  };
  const context = createContext(system, { json: false, quiet: false, verbose: false });
  const config = loadConfig({ env, paths: pathsFor(context) }, profile);
  return defineService(context, config, scope, kind, []);
}

describe('the definition of a service', () => {
  it('runs sync watch for this profile with absolute paths', () => {
    const { definition, left } = define({}, { profile: 'ann' });
    const [node, ...args] = definition.command;
    expect(basename(node)).toMatch(/^node/);
    expect(args).toEqual([
      join('/opt/sync/dist', 'main.cjs'),
      'watch',
      '/home/ann/Garmin',
      '/mnt/two words',
      '--profile',
      'ann',
      '--background',
      'systemd',
    ]);
    expect(definition.env).toEqual({
      ATHLETE_SYNC_NAME: 'sync',
      SYNC_CONFIG_DIR: '/home/ann/.config/athlete-sync',
      SYNC_STATE_DIR: '/home/ann/.local/state/athlete-sync',
    });
    expect(left).toEqual([]);
  });

  it('watches devices if it is installed with --devices, and names them in its description', () => {
    const { definition } = define({}, { scope: { folders: ['/a'], devices: true } });
    expect(definition.command.slice(2, 6)).toEqual(['watch', '/a', '--devices', '--profile']);
    expect(describeService(definition)).toBe(
      'Uploads new recordings from any known device, /a (sync, profile default)',
    );
  });

  it('starts a daemon under the Task Scheduler', () => {
    const { definition } = define({}, { kind: 'windows-task' });
    expect(definition.command.slice(-3)).toEqual(['--background', 'windows-task', '--daemon']);
  });

  it('contains the search path of this shell, but no secrets', () => {
    const { definition, left } = define({
      SYNC_BASE_URL: 'https://training.example.com',
      SYNC_CLIENT_ID: 'client',
      SYNC_TIMEZONE: 'Europe/Berlin',
      SYNC_TOKEN_STORE: 'file',
      SYNC_STATE_DIR: 'state',
      SYNC_CLIENT_SECRET: 'hush-1',
      SYNC_ACCESS_TOKEN: 'hush-2',
      SYNC_REFRESH_TOKEN: 'hush-3',
      SYNC_PROFILE: 'other',
      HTTPS_PROXY: 'http://ann:hush-4@proxy.example.com:3128',
      http_proxy: 'ann:hush-5@proxy.example.com',
      HTTP_PROXY: 'http://proxy.example.com:3128',
      NO_PROXY: 'localhost,.example.org',
      NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
      AWS_SECRET_ACCESS_KEY: 'hush-6',
      TZ: '',
    });
    expect(definition.env).toEqual({
      ATHLETE_SYNC_NAME: 'sync',
      SYNC_CONFIG_DIR: '/home/ann/.config/athlete-sync',
      SYNC_STATE_DIR: '/home/ann/state',
      SYNC_BASE_URL: 'https://training.example.com',
      SYNC_CLIENT_ID: 'client',
      SYNC_TIMEZONE: 'Europe/Berlin',
      SYNC_TOKEN_STORE: 'file',
      NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
      NO_PROXY: 'localhost,.example.org',
      HTTP_PROXY: 'http://proxy.example.com:3128',
    });
    expect(JSON.stringify({ definition, left })).not.toContain('hush');
    expect(left.map((sentence) => sentence.split(' ')[0])).toEqual([
      'http_proxy',
      'HTTPS_PROXY',
      'SYNC_CLIENT_SECRET',
    ]);
  });

  it('warns about a copy of the program that npx will delete', () => {
    const programDir = '/home/ann/.npm/_npx/0123/node_modules/athlete-sync/dist';
    expect(define({}, { programDir }).left).toEqual([expect.stringContaining('npm install -g')]);
  });
});
