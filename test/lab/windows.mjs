// The archive for Windows under Wine: what an athlete does there, with drive letters, spaces and odd names.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { manifest } from '../../scripts/standalone/project.mjs';
import { equal, includes, rides } from './laboratory.mjs';
import { until } from './machine.mjs';
import { withParent } from './platform.mjs';

/** Opens a Windows of its own, with the archive under `C:\Program Files`. */
export async function openWindows({ scratch, sandbox, archive }) {
  const prefix = join(scratch, 'windows');
  const env = {
    PATH: process.env.PATH,
    HOME: scratch,
    USER: 'ada',
    LANG: 'C.UTF-8',
    WINEPREFIX: prefix,
    WINEDEBUG: '-all',
    // No browser and no .NET of Wine: it would ask to download them.
    WINEDLLOVERRIDES: 'mscoree,mshtml=',
    SYNC_BASE_URL: sandbox.url,
    SYNC_CLIENT_ID: sandbox.clientId,
    SYNC_TIMEZONE: 'Europe/Berlin',
  };
  // Node.js under Wine opens no pipe of the host (EBADF): files instead.
  let runs = 0;
  const wine = async (args, { cwd, input = '' } = {}) => {
    const file = join(scratch, `wine-${++runs}`);
    writeFileSync(`${file}.in`, input);
    const stdio = [openSync(`${file}.in`, 'r'), openSync(`${file}.out`, 'w')];
    const child = spawn(...withParent('wine', args), { env, cwd, stdio: [...stdio, stdio[1]] });
    const [code] = await once(child, 'exit');
    stdio.forEach((descriptor) => closeSync(descriptor));
    return { code, text: readFileSync(`${file}.out`, 'utf8') };
  };
  await wine(['wineboot', '-i']);
  await wine(['winecfg', '-v', 'win10']);
  const programs = join(prefix, 'drive_c', 'Program Files');
  execFileSync('unzip', ['-q', archive, '-d', programs]);
  const home = join(prefix, 'drive_c', 'users', 'ada');
  mkdirSync(home, { recursive: true });
  const folder = `C:\\Program Files\\athlete-sync-${manifest.version}-win32-x64`;
  return {
    home,
    env,
    /** The command line of the program without its launcher. */
    program: [`${folder}\\node.exe`, `${folder}\\dist\\main.cjs`],
    /** Runs the launcher. @returns exit code and output */
    sync: async (args, input) =>
      await wine(['cmd', '/c', 'athlete-sync.cmd', ...args], {
        cwd: join(programs, folder.split('\\').at(-1), 'bin'),
        input,
      }),
    /** Ends what runs in there: daemons outlive their steps. */
    close: () => {
      for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
        if (environmentOf(pid).includes(`\0WINEPREFIX=${prefix}\0`))
          process.kill(Number(pid), 'SIGKILL');
    },
  };
}

function environmentOf(pid) {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`;
  } catch {
    return '';
  }
}

/** Each step is a use, and a judgement. */
const STEPS = {
  'version and help through the launcher': async ({ succeeds }) => {
    equal((await succeeds(['--version'])).trim(), manifest.version, 'version');
    includes(await succeeds(['upload', '--help']), 'athlete-sync upload');
  },
  'the keychain library lacks bcryptprimitives.dll of Windows 10 here, and the way out is named':
    async ({ sync }) => {
      const { code, text } = await sync(['login', '--no-browser']);
      equal(code, 2, `exit code of a login without a keychain: ${text}`);
      includes(text, 'Visual C++ Redistributable');
      includes(text, '--store file');
    },
  'login with the file store': async ({ sandbox, succeeds }) => {
    const answer = JSON.stringify(await sandbox.post('tokens', {}));
    includes(
      await succeeds(['login', '--with-token', '--store', 'file'], answer),
      'C:\\users\\ada',
    );
  },
  'doctor finds nothing to fix': async ({ succeeds }) => {
    const text = await succeeds(['doctor']);
    if (/npm install|^(warn|fail)/m.test(text)) throw new Error(text);
  },
  'drive letters, spaces, Unicode, slashes, a reserved name': async ({
    home,
    succeeds,
    arrived,
  }) => {
    const names = ['Zwift Rïde 日本.fit', 'con.fit', 'aux .fit'];
    rides(0, 3).forEach(({ file }, at) => copyFileSync(file, join(home, names[at])));
    await succeeds(['upload', `C:\\users\\ada\\${names[0]}`]);
    includes(await succeeds(['upload', `C:\\users\\ada\\${names[0]}`]), '1 uploaded before');
    await succeeds(['upload', `c:/users/ada/${names[1]}`]);
    await succeeds(['upload', `\\\\?\\C:\\users\\ada\\${names[2]}`]);
    await arrived(3);
  },
  'a device name is no file': async ({ sync }) => {
    equal((await sync(['upload', 'NUL'])).code, 3, 'exit code');
  },
  'push wellness': async ({ home, sandbox, succeeds }) => {
    writeFileSync(join(home, 'morning.json'), '{"date":"2026-10-30","hrv":60}');
    await succeeds(['push', 'wellness', 'C:\\users\\ada\\morning.json']);
    equal((await sandbox.athlete()).wellness.length, 1, 'days of wellness');
  },
  'a daemon: start, watch, status, stop': async ({ home, succeeds, arrived }) => {
    mkdirSync(join(home, 'Garmin Edge'));
    await succeeds(['watch', 'C:\\users\\ada\\Garmin Edge', '--daemon']);
    copyFileSync(rides(3, 4)[0].file, join(home, 'Garmin Edge', 'new.fit'));
    await arrived(4);
    includes(await succeeds(['daemon', 'status']), 'Running');
    includes(await succeeds(['daemon', 'logs']), 'uploaded');
    await succeeds(['daemon', 'stop']);
    includes(await succeeds(['daemon', 'status']), 'stopped');
  },
  'a drive that comes is a device': async ({ home, env, succeeds, arrived, sync }) => {
    const card = join(home, '..', '..', '..', 'card');
    mkdirSync(join(card, 'Garmin', 'Activity'), { recursive: true });
    await succeeds(['watch', '--devices', '--daemon']);
    copyFileSync(rides(4, 5)[0].file, join(card, 'Garmin', 'Activity', 'card.fit'));
    execFileSync('ln', ['-s', card, join(env.WINEPREFIX, 'dosdevices', 'e:')]);
    await arrived(5);
    await sync(['daemon', 'stop']);
  },
  'two processes at once send each recording once': async ({ home, succeeds, arrived }) => {
    mkdirSync(join(home, 'many'));
    for (const { file, name } of rides(5, 20)) copyFileSync(file, join(home, 'many', name));
    await Promise.all([1, 2].map(async () => await succeeds(['upload', 'C:\\users\\ada\\many'])));
    await arrived(20);
  },
  'Ctrl-C ends a watcher': async ({ env, program, home }) => {
    const line = ['exec', 'wine', ...program, 'watch', 'C:\\users\\ada\\many'].map(
      (word) => `'${word}'`,
    );
    const child = spawn(...withParent('script', ['-qfec', line.join(' '), '/dev/null']), {
      env,
      cwd: home,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
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
  const windows = await openWindows(lab);
  const { sandbox, say } = lab;
  const succeeds = async (args, input) => {
    const { code, text } = await windows.sync(args, input);
    if (code !== 0) throw new Error(`${args.join(' ')}: exit code ${code}: ${text}`);
    return text;
  };
  const arrived = async (count) => {
    await until(
      `${count} recordings have arrived`,
      async () => (await sandbox.athlete()).recordings.length >= count,
    );
    const { recordings } = await sandbox.athlete();
    equal(recordings.length, count, 'recordings');
    equal(recordings.filter(({ receivedCount }) => receivedCount !== 1).length, 0, 'sent twice');
  };
  lab.atEnd(windows.close);
  const failed = [];
  for (const [name, step] of Object.entries(STEPS)) {
    try {
      await step({ ...windows, sandbox, succeeds, arrived });
      say(`ok: ${name}`);
    } catch (error) {
      failed.push(name);
      say(`FAILED: ${name}: ${error.message}`);
    }
  }
  if (failed.length > 0) throw new Error(`failed: ${failed.join('; ')}`);
}
