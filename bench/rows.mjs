import { pair } from './pair.mjs';
import { growth } from './rows/growth.mjs';
import { firstImport } from './rows/import.mjs';
import { nothingToDo } from './rows/known.mjs';
import { status } from './rows/ledger.mjs';
import { appleExport, pushNutrition } from './rows/records.mjs';
import { start } from './rows/start.mjs';
import { uploadTrack } from './rows/tracks.mjs';
import { parallelCurl, upload } from './rows/upload.mjs';
import { watchDelivery, watchIdle, watchStart } from './rows/watch.mjs';

const NODE = '`node -e 0`';
const CURL = '`curl --parallel`';
const XMLLINT = '`xmllint --stream --noout`';
const SLOW = { latencyMs: 20 };

/** Limits of the ratio to Node.js with an empty program. From version 22 on, Node.js keeps compiled code. */
const keepsCode = Number(process.versions.node.split('.')[0]) >= 22;
const START = keepsCode
  ? { version: 1.05, help: 1.35, status: 1.8, known: 1.8 }
  : { version: 1.1, help: 1.5, status: 2.5, known: 2 };

/**
 * What the bench measures: the figures by which a user would choose. Of each row:
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
    targets: { wall: [START.version, 'x'] },
    rounds: 41,
    measure: start('--version'),
  },
  {
    id: 'start-help',
    job: 'print the help',
    rival: NODE,
    targets: { wall: [START.help, 'x'] },
    rounds: 41,
    measure: start('--help'),
  },
  {
    id: 'start-status',
    job: 'print the status',
    rival: NODE,
    targets: { wall: [START.status, 'x'] },
    rounds: 41,
    measure: start('status'),
  },
  {
    id: 'start-known',
    job: 'upload one known file',
    rival: NODE,
    targets: { wall: [START.known, 'x'] },
    rounds: 41,
    measure: start(),
  },
  {
    id: 'known-10000',
    job: 'nothing to do, 10,000 recordings',
    rival: '`rclone copy`',
    needs: ['rclone'],
    targets: { CPU: [1, 'x'], wall: [1.15, 'x'] },
    rounds: 11,
    measure: nothingToDo(10_000),
  },
  {
    id: 'known-50000',
    job: 'nothing to do, 50,000 recordings',
    rival: '`rclone copy`',
    needs: ['rclone'],
    targets: { CPU: [0.6, 'x'], wall: [1, 'x'] },
    rounds: 7,
    full: true,
    measure: nothingToDo(50_000),
  },
  {
    id: 'upload-20ms',
    job: 'upload 500 recordings of 200 kB, 20 ms latency, 4 at once',
    rival: CURL,
    needs: ['curl'],
    targets: { wall: [1.15, 'x'], 'peak memory': [100, 'MB'] },
    rounds: 5,
    measure: upload(500, 200_000, parallelCurl, SLOW),
  },
  {
    id: 'upload-10000',
    job: 'first upload of 10,000 recordings of 100 kB, 20 ms latency',
    targets: { 'peak memory': [100, 'MB'] },
    full: true,
    measure: upload(10_000, 100_000, undefined, SLOW),
  },
  {
    id: 'upload-growth',
    job: 'cost of an upload, from 500 to 4,000',
    targets: { 'exponent of CPU': [1.05, ''] },
    rounds: 3,
    full: true,
    measure: growth(500),
  },
  {
    id: 'import-ten-years',
    job: 'first import of 2,000 recordings, 126 MB in nested archives, 20 ms latency, 4 at once',
    rival: '`unzip` and `curl --parallel`',
    needs: ['unzip', 'curl'],
    targets: { wall: [1.3, 'x'], 'peak memory': [150, 'MB'] },
    rounds: 2,
    measure: firstImport(2_000, 63_000, SLOW),
  },
  {
    id: 'push-nutrition',
    job: 'push ten years of nutrition, 10 MB, a record a line',
    targets: { wall: [3_000, 'ms'], 'peak memory': [150, 'MB'] },
    rounds: 3,
    measure: pushNutrition(10),
  },
  {
    id: 'push-apple-1gb',
    job: 'push an export.xml of Apple Health, 1 GB',
    rival: XMLLINT,
    needs: ['xmllint'],
    targets: { wall: [2.5, 'x'], 'peak memory': [180, 'MB'] },
    rounds: 2,
    full: true,
    measure: appleExport(1_000),
  },
  {
    id: 'upload-gpx',
    job: 'upload a GPX file of 100,000 points with heart rate and cadence',
    rival: XMLLINT,
    needs: ['xmllint'],
    targets: { wall: [4, 'x'], 'peak memory': [150, 'MB'] },
    rounds: 5,
    measure: uploadTrack(100_000),
  },
  {
    id: 'watch-idle',
    job: 'watch: 10,000 files, an idle minute',
    targets: {
      'share of a core': [0.1, '%'],
      'peak memory': [70, 'MB'],
    },
    linux: true,
    measure: watchIdle(10_000),
  },
  {
    id: 'watch-delivery',
    job: 'watch: from the last byte of a recording to the report of its upload, 20 ms latency',
    targets: { delay: [500, 'ms'] },
    rounds: 11,
    measure: watchDelivery(SLOW),
  },
  {
    id: 'watch-start-50000',
    job: 'watch: start, 50,000 known files in 5,000 folders',
    targets: { 'peak memory': [75, 'MB'] },
    rounds: 3,
    full: true,
    linux: true,
    measure: watchStart(50_000, 5_000),
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
    id: 'tests',
    job: 'build the program and run its tests, `npm test`',
    targets: { CPU: [330_000, 'ms'], wall: [210_000, 'ms'] },
    full: true,
    measure: ({ rounds }) => pair({ command: ['npm', 'test'] }, undefined, rounds),
  },
];
