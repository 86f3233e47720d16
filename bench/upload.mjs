import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  compare,
  environment,
  has,
  logIn,
  makeFolder,
  peakMemory,
  program,
  run,
  scratch,
  startSink,
  tell,
} from './support.mjs';

const JOBS = 4;

/** Uploads of what the service does not have, beside curl at equal concurrency. */
export async function bench({ full }) {
  if (!has('curl')) {
    console.log('curl is not here, so not compared');
    return;
  }
  const small = await makeFolder('upload-small', 500, 200_000);
  const large = await makeFolder('upload-large', 20, 20_000_000);
  for (const latency of [0, 20]) {
    const { ratio, ms } = await against(small, latency, 9);
    const job = `500 x 200 kB, ${latency === 0 ? 'loopback' : '20 ms a request'}`;
    tell(`${job}, ms`, ms.ours, undefined, 'ms');
    tell(`${job} / curl --parallel`, ratio.curl, latency === 0 ? 3.5 : 1.05);
  }
  const { ratio, memory } = await against(large, 0, 5);
  tell('20 x 20 MB, loopback / curl --parallel', ratio.curl, 1.5);
  if (memory !== undefined) tell('20 x 20 MB, peak memory', memory, 80, 'MB');
  const loop = await oneByOne(small);
  tell('500 x 200 kB / a loop of curl', loop, 0.1);
  await growth(full);
}

async function against(folder, latency, rounds) {
  const sink = await startSink(latency);
  const { env, command, forget } = await ours(folder, sink);
  const result = await compare(
    { command, env },
    { curl: { command: curl(folder, sink) } },
    { rounds, before: forget },
  );
  forget('ours');
  const memory = await peakMemory(command, env);
  sink.close();
  return { ...result, memory };
}

async function ours(folder, sink) {
  const env = environment(`upload-${Math.random()}`, sink.url);
  await logIn(env);
  return {
    env,
    command: [process.execPath, program, 'upload', '--jobs', String(JOBS), '--quiet', folder],
    // What a run left in the ledger is forgotten, so that the next one sends it all again.
    forget: (name) => {
      if (name !== 'ours') return;
      for (const end of ['', '-wal', '-shm'])
        rmSync(join(env.SYNC_STATE_DIR, `ledger.db${end}`), { force: true });
    },
  };
}

function recordings(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** One curl for all: what somebody who knows curl well would write. */
function curl(folder, sink) {
  const config = join(scratch, `curl-${Math.random()}.cfg`);
  const transfers = recordings(folder).map((path) =>
    [
      `url = "${sink.url}/api/workouts/upload-fit"`,
      `form = "file=@${path}"`,
      'header = "Authorization: Bearer bench"',
      'output = /dev/null',
    ].join('\n'),
  );
  writeFileSync(config, transfers.join('\nnext\n'));
  return ['curl', '-s', '--parallel', '--parallel-max', String(JOBS), '-K', config];
}

/** A shell loop: what somebody in a hurry would write. */
async function oneByOne(folder) {
  const sink = await startSink();
  const { env, command, forget } = await ours(folder, sink);
  const script = `find '${folder}' -name '*.fit' | while read -r f; do curl -s -F "file=@$f" -H 'Authorization: Bearer bench' ${sink.url}/ >/dev/null; done`;
  const { ratio } = await compare(
    { command, env },
    { loop: { command: ['sh', '-c', script] } },
    { rounds: 1, before: forget },
  );
  sink.close();
  return ratio.loop;
}

/** Does the cost of an item grow with their number? The exponent over a factor of eight. */
async function growth(full) {
  const [few, many] = full ? [500, 4_000] : [250, 2_000];
  const sink = await startSink();
  const base = await ours(await makeFolder('growth-0', 1, 20_000), sink);
  const time = async (count) => {
    const folder = await makeFolder(`growth-${count}`, count, 20_000);
    const one = await ours(folder, sink);
    const times = [];
    for (let round = 0; round < 3; round++) {
      one.forget('ours');
      times.push((await run(one.command, one.env)).ms);
    }
    return Math.min(...times);
  };
  base.forget('ours');
  const start = (await run(base.command, base.env)).ms;
  const exponent =
    Math.log(((await time(many)) - start) / ((await time(few)) - start)) / Math.log(many / few);
  tell(`cost per item from ${few} to ${many}: exponent`, exponent, 1.05, '');
  sink.close();
}
