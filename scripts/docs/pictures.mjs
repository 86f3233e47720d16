// Writes the pictures of the README: what the built program shows in a terminal of 80 columns, on the
// sandbox, with generated recordings. Needs tmux, which keeps the terminal.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { keepExactly } from './document.mjs';
import { PROGRAM, onSandbox, openHome, startLogin } from '../play.mjs';
import { THEMES, terminalSvg } from './terminal-svg.mjs';

const run = promisify(execFile);

const COLUMNS = 80;
const PICTURES = [
  {
    name: 'inspect',
    commands: ['sync inspect ride.fit'],
    title: 'sync inspect ride.fit',
    description:
      'A terminal. It shows the name, start, time and distance of a ride, its course as a small map, and charts of altitude, power and heart rate.',
  },
  {
    name: 'upload',
    commands: ['sync upload Garmin', 'sync upload Garmin'],
    // One upload at a time, so that each run prints the recordings in the same order.
    hiddenFlags: '--jobs 1',
    title: 'sync upload Garmin, twice',
    description:
      'A terminal. The first upload sends each recording of a folder. The second one finds nothing to send.',
  },
];

const { home, env, start } = openHome({ PATH: process.env.PATH, LANG: 'C.UTF-8' });
env.TMUX_TMPDIR = home;
const options = { env, cwd: home };

await onSandbox({ home, env, start }, async () => {
  const [code] = await once(startLogin(start), 'close');
  if (code !== 0) throw new Error(`The login ended with ${code}.`);
  await writeRecordings();
  for (const { commands, hiddenFlags = '', ...picture } of PICTURES) {
    const lines = await screenAfter(commands, hiddenFlags, picture.name);
    for (const [theme, colours] of Object.entries(THEMES)) {
      const svg = terminalSvg({ ...picture, lines, columns: COLUMNS }, colours);
      keepExactly(`docs/pictures/${picture.name}-${theme}.svg`, svg);
    }
  }
});

/** `ride.fit`, and a folder as a device has it. The same arguments write the same bytes. */
async function writeRecordings() {
  const seed = ['--days', '7', '--until', '2026-05-17', '--out', 'data'];
  await once(start(['seed', ...seed]), 'close');
  const recordings = readdirSync(join(home, 'data')).filter((name) => name.endsWith('.fit'));
  mkdirSync(join(home, 'Garmin'));
  for (const name of recordings) {
    renameSync(join(home, 'data', name), join(home, 'Garmin', name.slice(0, 19) + '.fit'));
  }
  const latest = recordings.at(-1).slice(0, 19) + '.fit';
  await run('cp', [join('Garmin', latest), 'ride.fit'], options);
}

/**
 * The lines of a terminal after these commands, with SGR sequences.
 *
 * @param server name of the tmux server; a server that is shutting down refuses new sessions
 */
async function screenAfter(commands, flags, server) {
  const tmux = (...args) => run('tmux', ['-L', server, '-f', '/dev/null', '-u', ...args], options);
  const typed = commands.map(
    (command) =>
      `printf '\\033[2m$\\033[22m \\033[1m%s\\033[22m\\n' '${command}'; ${command} ${flags} || touch failed; echo`,
  );
  const script = `sync() { '${process.execPath}' '${PROGRAM}' "$@"; }; ${typed.join('; ')}`;
  const size = ['-x', String(COLUMNS), '-y', '60'];
  await tmux('new-session', '-d', ...size, `${script}; tmux wait-for -S done; sleep 60`);
  await tmux('wait-for', 'done');
  const { stdout } = await tmux('capture-pane', '-p', '-e');
  await tmux('kill-server');
  if (existsSync(join(home, 'failed'))) throw new Error(`A command failed:\n${stdout.trimEnd()}`);
  return stdout.trimEnd().split('\n');
}
