import { start, standalone } from './rows/start.mjs';
import { growth, knownItems, pushItems, uploadItems } from './rows/growth.mjs';
import { hashAndCheck } from './rows/hash.mjs';
import { importArchive, seedYear } from './rows/import.mjs';
import { nothingToDo } from './rows/known.mjs';
import { status } from './rows/ledger.mjs';
import { appleExport, pushNutrition } from './rows/records.mjs';
import { npmSize, standaloneSize } from './rows/size.mjs';
import { loopOfCurl, parallelCurl, sinkItself, upload } from './rows/upload.mjs';
import { watchLatency } from './rows/watch-latency.mjs';
import { watchIdle, watchStart } from './rows/watch-start.mjs';

const NODE = '`node -e 0`';
const OWN_NODE = '`node -e 0` of the archive';
const CURL = '`curl --parallel`';
const SHA256SUM = '`sha256sum`';
const LINEAR = { 'exponent of CPU': [1.05, ''] };
const WATCH_START = {
  'watching, less start-up': [2, 'x'],
  'peak memory': [80, 'MB'],
  'inotify watches a folder': [1, ''],
};
const GIGABIT = { mbitPerSecond: 1_000 };
const SLOW = { latencyMs: 20 };

/**
 * What the bench measures. Of each row:
 *
 * - `id`: its name on the command line; its first word names its part
 * - `job`, `rival`: what is compared, in words; `needs`: the commands of the rival
 * - `targets`: by figure, a limit and its unit; `x`: of the ratio to the rival
 * - `rounds`, by default 1; `full`: measured with `--full` only; `linux`: measured on Linux only
 * - `measure`: returns the figures; `compared` is false if the rival is missing
 */
export const ROWS = [
  {
    id: 'start-version',
    job: 'print the version',
    rival: NODE,
    targets: { wall: [1.1, 'x'] },
    rounds: 41,
    measure: start('--version'),
  },
  {
    id: 'start-help',
    job: 'print the help',
    rival: NODE,
    targets: { wall: [1.4, 'x'] },
    rounds: 41,
    measure: start('--help'),
  },
  {
    id: 'start-known',
    job: 'upload one known file',
    rival: NODE,
    targets: { wall: [1.6, 'x'] },
    rounds: 41,
    measure: start(),
  },
  {
    id: 'standalone-version',
    job: 'print the version, standalone',
    rival: OWN_NODE,
    targets: { wall: [1.3, 'x'] },
    rounds: 41,
    measure: standalone('--version'),
  },
  {
    id: 'standalone-help',
    job: 'print the help, standalone',
    rival: OWN_NODE,
    targets: { wall: [1.3, 'x'] },
    rounds: 41,
    measure: standalone('--help'),
  },
  {
    id: 'standalone-known',
    job: 'upload one known file, standalone',
    rival: OWN_NODE,
    targets: { wall: [1.3, 'x'] },
    rounds: 41,
    measure: standalone(),
  },
  {
    id: 'known-10000',
    job: 'nothing to do, 10,000 recordings',
    rival: '`rclone copy`',
    needs: ['rclone'],
    targets: { CPU: [0.75, 'x'], wall: [0.95, 'x'], 'peak memory': [60, 'MB'] },
    rounds: 15,
    measure: nothingToDo(10_000, 'rclone'),
  },
  {
    id: 'known-10000-rsync',
    job: 'nothing to do, 10,000 recordings',
    rival: '`rsync -a`',
    needs: ['rsync'],
    rounds: 15,
    measure: nothingToDo(10_000, 'rsync'),
  },
  {
    id: 'known-50000',
    job: 'nothing to do, 50,000 recordings',
    rival: '`rclone copy`',
    needs: ['rclone'],
    targets: { CPU: [0.65, 'x'], wall: [1.05, 'x'], 'peak memory': [60, 'MB'] },
    rounds: 11,
    full: true,
    measure: nothingToDo(50_000, 'rclone'),
  },
  {
    id: 'known-50000-rsync',
    job: 'nothing to do, 50,000 recordings',
    rival: '`rsync -a`',
    needs: ['rsync'],
    rounds: 11,
    full: true,
    measure: nothingToDo(50_000, 'rsync'),
  },
  {
    id: 'upload-20ms',
    job: 'upload 500 recordings of 200 kB, 20 ms latency, 4 at once',
    rival: CURL,
    needs: ['curl'],
    targets: { wall: [1.05, 'x'] },
    rounds: 9,
    measure: upload(500, 200_000, parallelCurl, SLOW),
  },
  {
    id: 'upload-loopback',
    job: 'upload 500 recordings of 200 kB, loopback, 4 at once',
    rival: CURL,
    needs: ['curl'],
    targets: { wall: [4.2, 'x'] },
    rounds: 15,
    measure: upload(500, 200_000, parallelCurl),
  },
  {
    id: 'upload-loop',
    job: 'upload 500 recordings of 200 kB, loopback',
    rival: 'a shell loop of `curl`',
    needs: ['curl'],
    targets: { wall: [0.1, 'x'] },
    rounds: 3,
    measure: upload(500, 200_000, loopOfCurl),
  },
  {
    id: 'upload-gigabit',
    job: 'upload 20 recordings of 20 MB, 1 Gbit/s, 4 at once',
    rival: CURL,
    needs: ['curl'],
    targets: { wall: [1.05, 'x'], 'peak memory': [80, 'MB'] },
    rounds: 5,
    measure: upload(20, 20_000_000, parallelCurl, GIGABIT),
  },
  {
    id: 'upload-10000',
    job: 'first upload of 10,000 recordings of 100 kB, 20 ms latency',
    targets: { 'peak memory': [100, 'MB'] },
    full: true,
    measure: upload(10_000, 100_000, undefined, SLOW),
  },
  {
    id: 'upload-sink',
    job: "the bench's own server, 500 uploads of 200 kB",
    rival: `${CURL}, which sends them`,
    needs: ['curl'],
    rounds: 9,
    measure: sinkItself(500, 200_000),
  },
  {
    id: 'hash-2000',
    job: 'hash and check 2,000 recordings of 200 kB',
    rival: SHA256SUM,
    needs: ['sha256sum'],
    targets: { wall: [0.55, 'x'] },
    rounds: 7,
    measure: hashAndCheck(2_000, 200_000, ['sha256sum']),
  },
  {
    id: 'hash-1gb',
    job: 'hash and check 1 GB in 5 recordings',
    rival: SHA256SUM,
    needs: ['sha256sum'],
    targets: { wall: [0.36, 'x'] },
    rounds: 5,
    measure: hashAndCheck(5, 200_000_000, ['sha256sum']),
  },
  {
    id: 'hash-1gb-openssl',
    job: 'hash and check 1 GB in 5 recordings',
    rival: '`openssl dgst -sha256`',
    needs: ['openssl'],
    rounds: 5,
    measure: hashAndCheck(5, 200_000_000, ['openssl', 'dgst', '-sha256']),
  },
  {
    id: 'push-nutrition',
    job: 'push 100 MB of nutrition',
    targets: { wall: [10_000, 'ms'], 'peak memory': [400, 'MB'] },
    rounds: 2,
    measure: pushNutrition(100),
  },
  {
    id: 'push-apple-100mb',
    job: 'push an export.xml of Apple Health, 100 MB',
    rival: '`xmllint --stream --noout`',
    needs: ['xmllint'],
    targets: { wall: [3, 'x'], 'peak memory': [200, 'MB'] },
    rounds: 3,
    measure: appleExport(100),
  },
  {
    id: 'push-apple-1gb',
    job: 'push an export.xml of Apple Health, 1 GB',
    rival: '`xmllint --stream --noout`',
    needs: ['xmllint'],
    targets: { wall: [3, 'x'], 'peak memory': [200, 'MB'] },
    rounds: 2,
    full: true,
    measure: appleExport(1_000),
  },
  {
    id: 'import-200mb',
    job: 'import an account export of 200 MB',
    targets: { 'peak memory': [200, 'MB'] },
    measure: importArchive(200),
  },
  {
    id: 'import-2gb',
    job: 'import an account export of 2 GB',
    targets: { 'peak memory': [200, 'MB'] },
    full: true,
    measure: importArchive(2_000),
  },
  {
    id: 'seed-year',
    job: 'write a year of the synthetic athlete to files',
    targets: { 'peak memory': [200, 'MB'] },
    rounds: 2,
    measure: seedYear,
  },
  {
    id: 'watch-latency',
    job: 'watch: recording closed to request begun',
    rival: '`inotifywait`, then `curl`',
    needs: ['inotifywait', 'curl'],
    targets: { 'closed to request begun': [10, 'ms'], '95th percentile of it': [30, 'ms'] },
    rounds: 50,
    linux: true,
    measure: watchLatency,
  },
  {
    id: 'watch-start-10000',
    job: 'watch: start, 10,000 known files in 5,000 folders',
    rival: '`inotifywait -r`',
    needs: ['inotifywait'],
    targets: WATCH_START,
    rounds: 7,
    linux: true,
    measure: watchStart(10_000, 5_000),
  },
  {
    id: 'watch-start-50000',
    job: 'watch: start, 50,000 known files in 5,000 folders',
    rival: '`inotifywait -r`',
    needs: ['inotifywait'],
    targets: WATCH_START,
    rounds: 5,
    full: true,
    linux: true,
    measure: watchStart(50_000, 5_000),
  },
  {
    id: 'watch-idle',
    job: 'watch: 10,000 files, an idle minute',
    targets: { 'share of a core': [0.1, '%'] },
    full: true,
    linux: true,
    measure: watchIdle(10_000),
  },
  {
    id: 'growth-upload',
    job: 'cost of an upload, from 500 to 4,000',
    targets: LINEAR,
    rounds: 3,
    measure: growth(500, uploadItems),
  },
  {
    id: 'growth-known',
    job: 'cost of a known recording, from 6,250 to 50,000',
    targets: LINEAR,
    rounds: 5,
    full: true,
    measure: growth(6_250, knownItems),
  },
  {
    id: 'growth-push',
    job: 'cost of a pushed day of nutrition, from 500 to 4,000',
    targets: LINEAR,
    rounds: 3,
    measure: growth(500, pushItems),
  },
  {
    id: 'status-1000000',
    job: 'status with a ledger of 1,000,000 uploads',
    targets: { wall: [120, 'ms'] },
    rounds: 11,
    full: true,
    measure: status(1_000_000),
  },
  {
    id: 'size-npm',
    job: 'installed size, npm',
    targets: { installed: [35, 'MB'] },
    full: true,
    measure: npmSize,
  },
  {
    id: 'size-standalone',
    job: 'standalone archive',
    targets: { packed: [45, 'MB'] },
    measure: standaloneSize,
  },
];
