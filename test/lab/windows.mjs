// The archive for Windows under Wine: what an athlete does there, with drive letters, spaces and odd names.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { manifest } from '../../scripts/standalone/project.mjs';
import { equal, includes, rides } from './laboratory.mjs';
import { until } from './machine.mjs';
import { withParent } from './platform.mjs';

/** Opens a Windows of its own, with the archive under `C:\Program Files`. */
async function openWindows(lab) {
  const { scratch, sandbox, archive } = lab;
  const prefix = join(scratch, 'windows');
  const env = {
    ...{ PATH: process.env.PATH, HOME: scratch, USER: 'ada', LANG: 'C.UTF-8' },
    // No browser and no .NET of Wine: it would ask to download them.
    ...{ WINEPREFIX: prefix, WINEDEBUG: '-all', WINEDLLOVERRIDES: 'mscoree,mshtml=' },
    ...{ SYNC_BASE_URL: sandbox.url, SYNC_CLIENT_ID: sandbox.clientId },
    SYNC_TIMEZONE: 'Europe/Berlin',
  };
  // Node.js under Wine opens no pipe of the host (EBADF): files instead.
  let runs = 0;
  const wine = async (args, { cwd, input = '' } = {}) => {
    const file = join(scratch, `wine-${++runs}`);
    fs.writeFileSync(`${file}.in`, input);
    const stdio = [fs.openSync(`${file}.in`, 'r'), fs.openSync(`${file}.out`, 'w')];
    const child = spawn(...withParent('wine', args), { env, cwd, stdio: [...stdio, stdio[1]] });
    const [code] = await once(child, 'exit');
    stdio.forEach((descriptor) => fs.closeSync(descriptor));
    return { code, text: fs.readFileSync(`${file}.out`, 'utf8') };
  };
  await wine(['wineboot', '-i']);
  await wine(['winecfg', '-v', 'win10']);
  const programs = join(prefix, 'drive_c', 'Program Files');
  execFileSync('unzip', ['-q', archive, '-d', programs]);
  const home = join(prefix, 'drive_c', 'users', 'ada');
  fs.mkdirSync(home, { recursive: true });
  const name = `athlete-sync-${manifest.version}-win32-x64`;
  const cwd = join(programs, name, 'bin');
  const sync = async (args, input) =>
    await wine(['cmd', '/c', 'athlete-sync.cmd', ...args], { cwd, input });
  const folder = `C:\\Program Files\\${name}`;
  return {
    ...lab,
    home,
    env,
    /** The command line of the program without its launcher. */
    program: [`${folder}\\node.exe`, `${folder}\\dist\\main.cjs`],
    /** Runs the launcher. @returns exit code and output */
    sync,
    succeeds: async (args, input) => {
      const { code, text } = await sync(args, input);
      if (code !== 0) throw new Error(`${args.join(' ')}: exit code ${code}: ${text}`);
      return text;
    },
    /** Ends what runs in there: daemons outlive their steps. */
    close: () => spawnSync('wineserver', ['-k'], { env }),
  };
}

/** Each step is a use, and a judgement. */
const STEPS = {
  'version and help through the launcher': async ({ succeeds }) => {
    equal((await succeeds(['--version'])).trim(), manifest.version, 'version');
    includes(await succeeds(['upload', '--help']), 'athlete-sync upload');
  },
  'a keychain library that does not load (bcryptprimitives.dll): the advice': async ({ sync }) => {
    const { code, text } = await sync(['login', '--no-browser']);
    equal(code, 2, `exit code of a login without a keychain: ${text}`);
    includes(text, 'Visual C++ Redistributable');
    includes(text, '--store file');
  },
  'login with the file store': async ({ sandbox, succeeds }) => {
    const answer = JSON.stringify(await sandbox.post('tokens', {}));
    const text = await succeeds(['login', '--with-token', '--store', 'file'], answer);
    includes(text, 'C:\\users\\ada');
  },
  'doctor finds nothing to fix': async ({ succeeds }) => {
    const text = await succeeds(['doctor']);
    if (/npm install|^(warn|fail)/m.test(text)) throw new Error(text);
  },
  'drive letters, spaces, Unicode, slashes, a reserved name': async (world) => {
    const { succeeds } = world;
    const names = ['Zwift Rïde 日本.fit', 'con.fit', 'aux .fit'];
    rides(0, 3).forEach(({ file }, at) => fs.copyFileSync(file, join(world.home, names[at])));
    await succeeds(['upload', `C:\\users\\ada\\${names[0]}`]);
    includes(await succeeds(['upload', `C:\\users\\ada\\${names[0]}`]), '1 uploaded before');
    await succeeds(['upload', `c:/users/ada/${names[1]}`]);
    await succeeds(['upload', `\\\\?\\C:\\users\\ada\\${names[2]}`]);
    await world.arrived(3);
  },
  'a device name is no file': async ({ sync }) => {
    equal((await sync(['upload', 'NUL'])).code, 3, 'exit code');
  },
  'push wellness': async ({ home, sandbox, succeeds }) => {
    fs.writeFileSync(join(home, 'morning.json'), '{"date":"2026-10-30","hrv":60}');
    await succeeds(['push', 'wellness', 'C:\\users\\ada\\morning.json']);
    equal((await sandbox.athlete()).wellness.length, 1, 'days of wellness');
  },
  'a daemon: start, watch, status, stop': async ({ home, succeeds, arrived }) => {
    fs.mkdirSync(join(home, 'Garmin Edge'));
    await succeeds(['watch', 'C:\\users\\ada\\Garmin Edge', '--daemon']);
    fs.copyFileSync(rides(3, 4)[0].file, join(home, 'Garmin Edge', 'new.fit'));
    await arrived(4);
    includes(await succeeds(['daemon', 'status']), 'Running');
    includes(await succeeds(['daemon', 'logs']), 'uploaded');
    await succeeds(['daemon', 'stop']);
    includes(await succeeds(['daemon', 'status']), 'stopped');
  },
  'a drive that comes is a device': async ({ home, env, succeeds, arrived, sync }) => {
    const card = join(home, '..', '..', '..', 'card');
    fs.mkdirSync(join(card, 'Garmin', 'Activity'), { recursive: true });
    await succeeds(['watch', '--devices', '--daemon']);
    fs.copyFileSync(rides(4, 5)[0].file, join(card, 'Garmin', 'Activity', 'card.fit'));
    fs.symlinkSync(card, join(env.WINEPREFIX, 'dosdevices', 'e:'));
    await arrived(5);
    await sync(['daemon', 'stop']);
  },
  'two processes at once send each recording once': async ({ home, succeeds, arrived }) => {
    fs.mkdirSync(join(home, 'many'));
    for (const { file, name } of rides(5, 20)) fs.copyFileSync(file, join(home, 'many', name));
    await Promise.all([1, 2].map(async () => await succeeds(['upload', 'C:\\users\\ada\\many'])));
    await arrived(20);
  },
  'Ctrl-C ends a watcher': async ({ env, program, home }) => {
    const line = ['wine', ...program, 'watch', 'C:\\users\\ada\\many'].map((word) => `'${word}'`);
    const args = ['-qfec', `exec ${line.join(' ')}`, '/dev/null'];
    const stdio = ['pipe', 'pipe', 'inherit'];
    const child = spawn(...withParent('script', args), { env, cwd: home, stdio });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (piece) => (text += piece));
    await until('the watcher is ready', () => text.includes('Ready'));
    child.stdin.write('\x03');
    const [code] = await once(child, 'exit');
    includes(text, 'Stopped.');
    equal(code, 0, 'exit code');
  },
};

export async function onWindows(lab) {
  const world = await openWindows(lab);
  const failed = [];
  for (const [name, step] of Object.entries(STEPS)) {
    const started = Date.now();
    const result = await step(world).then(
      () => 'ok',
      (error) => `FAILED: ${error.message}`,
    );
    if (result !== 'ok') failed.push(name);
    console.log(`${name}: ${Math.round((Date.now() - started) / 1000)} s, ${result}`);
  }
  world.close();
  if (failed.length > 0) throw new Error(`failed: ${failed.join('; ')}`);
}
