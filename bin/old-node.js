// Runs in place of the program on a Node.js that is too old for it: says so, and still runs the
// system's `sync` for scripts that flush disks, as src/cli/system-sync.ts does.
var childProcess = require('child_process');
var fs = require('fs');
var os = require('os');
var path = require('path');

// test/cli/old-node.test.ts compares the names with those in src/cli/.
var COMMANDS = [
  'upload',
  'convert',
  'import',
  'push',
  'undo',
  'status',
  'devices',
  'watch',
  'daemon',
  'login',
  'logout',
  'profile',
  'config',
  'workouts',
  'verify',
  'explain',
  'inspect',
  'repair',
  'sources',
  'doctor',
  'token',
  'seed',
  'sandbox',
  'completion',
  'complete',
  'help',
];
var SYSTEM_OPTIONS = ['-d', '--data', '-f', '--file-system', '--'];
var TRIED = 'ATHLETE_SYNC_TRIED';
var SECRET_VARIABLES = ['SYNC_ACCESS_TOKEN', 'SYNC_REFRESH_TOKEN', 'SYNC_CLIENT_SECRET'];

var UNSAFE =
  // eslint-disable-next-line no-control-regex -- matches control characters on purpose
  /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

var message = 'sync needs Node.js 20.19, 22.3 or newer, not ' + process.versions.node + '.';
// Lines that fit a narrow terminal.
var hint = [
  'This Node.js is ' + process.execPath + '.',
  "Get a newer one at https://nodejs.org, or use sync's",
  'standalone archive or .deb, which need no Node.js.',
];

var args = process.argv.slice(2);
var tried = (process.env[TRIED] || '').split(path.delimiter).filter(Boolean);
if (isForSystem(args)) {
  process.exitCode = runSystemSync();
  // A user at a terminal may have meant this program; the first of several copies says it.
  if (process.stderr.isTTY && tried.length === 0 && SYSTEM_OPTIONS.indexOf(args[0]) === -1)
    report();
} else {
  report();
  process.exitCode = 2;
}

function report() {
  console.error('Error: ' + visible(message) + '\n  ' + hint.map(visible).join('\n  '));
  if (args.indexOf('--json') === -1) return;
  console.log(
    JSON.stringify({ type: 'error', v: 1, code: 'CONFIG', message: message, hint: hint.join(' ') })
  );
}

/** Replaces control characters and marks of direction: a path may hold them. */
function visible(text) {
  return text.replace(UNSAFE, '?');
}

function isForSystem(words) {
  var first = words[0];
  if (first === undefined || SYSTEM_OPTIONS.indexOf(first) !== -1) return true;
  if (first.charAt(0) === '-' || COMMANDS.indexOf(first) !== -1) return false;
  return fs.existsSync(first) && !words.some(isOwnOption);
}

function isOwnOption(word) {
  return word.slice(0, 2) === '--' && SYSTEM_OPTIONS.indexOf(word) === -1;
}

/** Returns the exit code of the next `sync` on the PATH that was not tried yet; 1 if there is none. */
function runSystemSync() {
  if (process.platform === 'win32') return 0;
  var done = tried.concat(realPath(process.argv[1]));
  var program = findSystemSync(done);
  if (program === undefined) {
    console.error("No disk was flushed: the PATH has no other `sync`, which is the system's own.");
    return 1;
  }
  SECRET_VARIABLES.forEach(function (name) {
    delete process.env[name];
  });
  process.env[TRIED] = done.concat(realPath(program)).join(path.delimiter);
  var result = childProcess.spawnSync(program, args, { stdio: 'inherit' });
  if (result.error) throw result.error;
  if (result.signal === null) return result.status;
  return 128 + (os.constants ? os.constants.signals[result.signal] : 0);
}

function findSystemSync(done) {
  return (process.env.PATH || '')
    .split(path.delimiter)
    .filter(path.isAbsolute)
    .map(function (folder) {
      return path.join(folder, 'sync');
    })
    .filter(function (file) {
      return isExecutable(file) && done.indexOf(realPath(file)) === -1;
    })[0];
}

function isExecutable(file) {
  try {
    fs.accessSync(file, (fs.constants || fs).X_OK);
    return fs.statSync(file).isFile();
  } catch (error) {
    return false;
  }
}

function realPath(file) {
  try {
    return fs.realpathSync(file);
  } catch (error) {
    return file;
  }
}
