import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { System } from '../../../src/app/context.ts';
import type { Env } from '../../../src/base/env.ts';
import { doctor } from '../../../src/commands/doctor/doctor.ts';
import { closedPort, startProxy } from '../../api/support.ts';
import { sandbox, scratchDir, testClock, testSystem } from '../../auth/support.ts';
import { startCommand } from '../../support/command.ts';
import { mountSmallDisk, whyNoMount } from '../../support/disk.ts';
import { ndjson } from '../../support/program.ts';

/** Runs `sync doctor --json` on a machine without a login. */
async function examine(env: Env = {}, over: Partial<System> = {}) {
  const homeDir = over.homeDir ?? scratchDir();
  const machine = { SYNC_TOKEN_STORE: 'file', ...env };
  const run = startCommand(doctor, testSystem({ homeDir, env: machine, ...over }), ['--json']);
  const code = await run.done;
  const findings = ndjson(run.stdout.join('\n'));
  const about = (name: string) => findings.filter(({ check }) => check === name);
  return { code, findings, about, homeDir, shown: run.stdout.join('\n') };
}

describe('doctor before the first login', () => {
  it('checks all that needs no address, creates nothing, and names the next command', async () => {
    const { code, findings, about, homeDir } = await examine();
    expect(code).toBe(0);
    expect(findings.map(({ check, state }) => `${String(check)} ${String(state)}`)).toEqual([
      'config good',
      'folders good',
      ...(about('disk').length === 0 ? [] : ['disk good']),
      'state good',
      'keychain good',
      'zone good',
      'proxy good',
      'service odd',
      'node good',
      'zone-data good',
      'watch good',
      /^name /,
    ]);
    expect(about('service')).toEqual([
      {
        type: 'finding',
        check: 'service',
        state: 'odd',
        message:
          'No platform is set up yet: its address, the clock and the login were not checked.',
        hint: 'Run `sync login`.',
      },
    ]);
    expect(about('config')[0]?.['message']).toMatch(
      /^Settings: none yet; the first login creates \//,
    );
    expect(about('state')[0]?.['message']).toMatch(
      /^Record of sent data: none yet; the first command that sends /,
    );
    const files = readdirSync(homeDir, { recursive: true, withFileTypes: true });
    expect(files.filter((entry) => entry.isFile())).toEqual([]);
  });

  it('reports that no certificate is checked, except for plain http to this machine', async () => {
    const unchecked = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    for (const env of [{}, { SYNC_BASE_URL: `https://127.0.0.1:${await closedPort()}` }]) {
      const { code, about } = await examine({ ...unchecked, ...env });
      expect(code).toBe(2);
      expect(about('node')).toMatchObject([
        { state: 'bad', hint: /NODE_EXTRA_CA_CERTS=/ },
        { state: 'good' },
      ]);
    }
    const { url } = await sandbox();
    const local = await examine({ ...unchecked, SYNC_BASE_URL: url });
    expect(local.about('node')).toMatchObject([{ state: 'good' }]);
    expect(local.about('service')).toMatchObject([{ state: 'good' }]);
  });

  it('notes variables with which Node.js gives tokens away', async () => {
    const { code, about } = await examine({ NODE_DEBUG: 'http', NODE_OPTIONS: '--tls-keylog=/x' });
    expect(code).toBe(0);
    expect(about('node')).toMatchObject([
      { state: 'odd', message: /NODE_DEBUG/ },
      { state: 'odd', message: /--tls-keylog/ },
      { state: 'good' },
    ]);
  });

  it('notes a missing keychain, which the login asks about', async () => {
    const { code, about } = await examine({ SYNC_TOKEN_STORE: 'keychain' });
    expect(code).toBe(0);
    expect(about('keychain')).toMatchObject([{ state: 'odd', hint: /`sync login --store file`/ }]);
  });

  it.skipIf(process.platform === 'win32')(
    'reports once a folder above settings and state that others can change',
    async () => {
      const homeDir = scratchDir();
      chmodSync(homeDir, 0o777);
      const { about } = await examine({}, { homeDir });
      expect(about('folders')).toMatchObject([
        { state: 'bad', hint: expect.stringContaining(`Run \`chmod go-w ${homeDir}\``) as string },
      ]);
    },
  );

  const whyNot = whyNoMount();
  it.skipIf(whyNot !== undefined)(
    `reports a home that is full, and one that can only be read (${whyNot ?? 'mounted'})`,
    async () => {
      const homeDir = join(scratchDir(), 'disk');
      const disk = mountSmallDisk(homeDir);
      disk.fill(4096);
      expect((await examine({}, { homeDir })).about('disk')).toMatchObject([
        { state: 'bad', message: /^Disk: only .* free for \// },
      ]);
      disk.makeReadOnly();
      const fixed = await examine({}, { homeDir });
      expect(fixed.code).toBe(2);
      for (const [check, subject, variable] of [
        ['config', 'Settings', 'SYNC_CONFIG_DIR'],
        ['state', 'Record of sent data', 'SYNC_STATE_DIR'],
      ] as const) {
        expect(fixed.about(check)).toMatchObject([
          {
            state: 'bad',
            message: expect.stringMatching(
              new RegExp(`^${subject}: The disk of ${homeDir}.* is read-only\\.$`),
            ) as string,
            hint: `Make it writable; if it never is, name another folder with ${variable}. Nothing is lost.`,
          },
        ]);
      }
    },
  );

  it('reports damaged settings, and checks the machine all the same', async () => {
    const { code, findings } = await examine({ SYNC_BASE_URL: 'nowhere' });
    expect(code).toBe(2);
    expect(findings[0]).toMatchObject({ check: 'config', state: 'bad' });
    expect(findings.map(({ check }) => check)).toContain('watch');
  });
});

describe('doctor about a proxy', () => {
  const HTTPS = { SYNC_BASE_URL: 'https://training.invalid' };

  it('reports a proxy that does not answer, without its password, and asks nothing through it', async () => {
    const port = String(await closedPort());
    const proxy = { HTTPS_PROXY: `http://ann:s3cret@127.0.0.1:${port}` };
    for (const env of [proxy, { ...proxy, ...HTTPS }]) {
      const { code, about, shown } = await examine(env);
      expect(code).toBe(5);
      expect(about('proxy')).toMatchObject([
        {
          state: 'bad',
          message: `The proxy http://127.0.0.1:${port} (HTTPS_PROXY) is not reachable: nothing answers there (connection refused).`,
          hint: 'Check HTTPS_PROXY, or unset it; NO_PROXY lists hosts to reach without it.',
        },
      ]);
      expect(about('service').filter(({ state }) => state === 'bad')).toEqual([]);
      expect(shown).not.toContain('s3cret');
    }
  });

  it('names the proxy in use, and its refusal', async () => {
    const proxy = await startProxy({ refuse: '403 Forbidden' });
    const { about } = await examine({ ...HTTPS, https_proxy: proxy.url });
    expect(about('proxy')).toMatchObject([
      { state: 'good', message: `Requests go through the proxy ${proxy.url} (https_proxy).` },
    ]);
    expect(about('service')).toMatchObject([
      {
        state: 'bad',
        message: `The proxy ${proxy.url} (https_proxy) did not connect to training.invalid (403).`,
      },
    ]);
  });

  it('reports an address that is no proxy', async () => {
    const { about } = await examine({ HTTPS_PROXY: 'socks5://127.0.0.1:1080' });
    expect(about('proxy')).toMatchObject([
      {
        state: 'bad',
        hint: 'Write it as http://HOST:PORT, or unset it. In a password, %25 stands for a %.',
      },
    ]);
  });

  it.each([
    [{ ...HTTPS, NO_PROXY: '.invalid' }, 'NO_PROXY excepts the platform'],
    [{ SYNC_BASE_URL: 'http://127.0.0.1:9' }, 'requests to this machine never use it'],
  ])('reports a proxy that is not used: %j', async (env, why) => {
    const { about } = await examine({ HTTPS_PROXY: 'http://127.0.0.1:9', ...env });
    expect(about('proxy')).toMatchObject([
      { state: 'good', message: `The proxy http://127.0.0.1:9 (HTTPS_PROXY) is set; ${why}.` },
    ]);
  });
});

it.each([
  [2 * 86_400_000 + 1000, '2 days ahead of', 'the login looks expired too early'],
  [-3 * 3_600_000, '3 hours behind', 'the login looks valid after it has expired'],
])("states a clock that is off by %i ms in people's units", async (off, words, effect) => {
  const service = await sandbox();
  const clock = testClock();
  clock.advance(off);
  const { code, about } = await examine(
    { SYNC_BASE_URL: service.url },
    { clock, platform: 'linux' },
  );
  expect(code).toBe(0);
  expect(about('clock')).toEqual([
    {
      type: 'finding',
      check: 'clock',
      state: 'odd',
      message: `This machine's clock is ${words} the platform's: ${effect}, and days may be wrong.`,
      hint: 'Set it from the network: `sudo timedatectl set-ntp true`.',
    },
  ]);
});

it('names the release of the zone data, and notes it if it is more than a year old', async () => {
  const zoneDataAt = async (now: string) => {
    const clock = { ...testClock(), now: () => Date.parse(now) };
    return (await examine({}, { clock })).about('zone-data')[0];
  };
  expect(await zoneDataAt('2026-11-22T12:00:00Z')).toMatchObject({ state: 'good' });
  const old = await zoneDataAt('2199-01-01T12:00:00Z');
  expect(old).toMatchObject({ state: 'odd' });
  expect(old?.['message']).toMatch(/^Zone data \d{4}[a-z]+, .*, is more than a year old: /);
});
