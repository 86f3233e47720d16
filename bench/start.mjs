import { join } from 'node:path';
import {
  compare,
  environment,
  logIn,
  makeFolder,
  program,
  run,
  startSink,
  tell,
} from './support.mjs';

/** Start-up, beside the least that Node itself takes. */
export async function bench() {
  const sink = await startSink();
  const env = environment('start', sink.url);
  await logIn(env);
  const folder = await makeFolder('start-files', 20, 20_000);
  const node = { node: { command: [process.execPath, '-e', '0'], env } };
  const sync = (...args) => ({ command: [process.execPath, program, ...args], env });
  const one = join(folder, '2026-000', 'ride-0.fit');
  // The ledger remembers a file by its times once these are a little in the past.
  await new Promise((done) => setTimeout(done, 2_500));
  await run(sync('upload', folder).command, env);

  const rounds = 25;
  tell(
    '--version / node -e 0',
    (await compare(sync('--version'), node, { rounds })).ratio.node,
    1.05,
  );
  tell('--help / node -e 0', (await compare(sync('--help'), node, { rounds })).ratio.node, 1.15);
  tell(
    'upload of one known file / node -e 0',
    (await compare(sync('upload', one), node, { rounds })).ratio.node,
    1.25,
  );
  sink.close();
}
