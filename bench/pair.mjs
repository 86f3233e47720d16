import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { scratch } from './world.mjs';

const script = fileURLToPath(new URL('measure.py', import.meta.url));
let measurer;

/** Runs a command to its end, without input. @returns wall and CPU time (ms), peak memory (MB) */
export async function measure({ command, env = process.env }) {
  measurer ??= startMeasurer();
  const { code, stderr, ...cost } = await measurer({ command, env });
  if (code !== 0) {
    throw new Error(`${command.join(' ').slice(0, 200)} ended with ${code}: ${stderr.trim()}`);
  }
  return cost;
}

function startMeasurer() {
  const child = spawn('python3', [script, join(scratch, 'stderr')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (request) => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error('python3 ended');
    return JSON.parse(value);
  };
}

/**
 * Runs two commands in turns, and swaps their order each round: what drifts does so for both. From three
 * rounds on, one more comes first, unmeasured, to warm the caches.
 *
 * @param ours command, environment, and what to do before each run of it (`before`), untimed
 * @param rival likewise; `undefined` or `false`: only ours
 * @returns the figures CPU, wall and peak memory, with a value for each round
 */
export async function pair(ours, rival, rounds) {
  const sides = rival ? { ours, rival } : { ours };
  const costs = { ours: [], rival: [] };
  for (let round = rounds < 3 ? 0 : -1; round < rounds; round++) {
    const order = Object.entries(sides);
    if (round % 2 === 1) order.reverse();
    for (const [name, side] of order) {
      side.before?.();
      const cost = await measure(side);
      if (round >= 0) costs[name].push(cost);
    }
  }
  const figure = (name, unit, key) => ({
    name,
    unit,
    ours: costs.ours.map((cost) => cost[key]),
    rival: rival ? costs.rival.map((cost) => cost[key]) : undefined,
  });
  return [
    figure('CPU', 'ms', 'cpu'),
    figure('wall', 'ms', 'wall'),
    figure('peak memory', 'MB', 'memory'),
  ];
}
