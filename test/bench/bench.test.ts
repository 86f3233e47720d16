import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../support/documents.ts';
import { missingTools, skipNote } from '../support/shell.ts';

interface Sink {
  readonly url: string;
  close(): void;
}
interface Summary {
  readonly median: number;
  readonly minimum: number;
}
interface Judged {
  readonly ours: Summary;
  readonly rival?: Summary;
  readonly ratio?: Summary;
  readonly met?: boolean;
}
type Target = readonly [number, string];

/** Imports a module of bench/, which is JavaScript without types. */
async function load<Module>(name: string): Promise<Module> {
  return (await import(join(ROOT, 'bench', name))) as Module;
}

const { judge } = await load<{ judge: (figure: object, target?: Target) => Judged }>(
  'statistics.mjs',
);
const { terminalLines } = await load<{ terminalLines: (result: object) => string[] }>('report.mjs');
const { ROWS } = await load<{ ROWS: readonly { id: string }[] }>('rows.mjs');
const { measure } = await load<{
  measure: (run: { command: string[] }) => Promise<{ wall: number; cpu: number; memory: number }>;
}>('pair.mjs');
const { startSink } = await load<{ startSink: (line?: object) => Promise<Sink> }>('sink.mjs');

const ROUNDS = { name: 'wall', unit: 'ms', ours: [30, 20, 10], rival: [10, 20, 20] };
const missing = missingTools('python3');

describe('the bench', () => {
  it('compares medians, minima and the ratios of rounds', () => {
    expect(judge(ROUNDS, [1, 'x'])).toMatchObject({
      ours: { median: 20, minimum: 10 },
      rival: { median: 20, minimum: 10 },
      ratio: { median: 1, minimum: 1 },
      met: true,
    });
    // Other work only adds to a figure: a row fails if its minimum misses too.
    expect(judge(ROUNDS, [10, 'ms']).met).toBe(true);
    expect(judge(ROUNDS, [9.9, 'ms']).met).toBe(false);
    expect(judge(ROUNDS, [0.99, 'x']).met).toBe(false);
    expect(judge({ ...ROUNDS, rival: undefined }, [1, 'x']).met).toBeUndefined();
  });

  it('shows each figure with its target, and why a row has none', () => {
    const row = { id: 'known', job: 'nothing to do', rival: '`rclone copy`' };
    const figures = [judge(ROUNDS, [1, 'x']), judge({ ...ROUNDS, rival: undefined }, [1, 'x'])];
    const lines = terminalLines({ row, figures });
    expect(lines[0]).toBe('known: nothing to do / rclone copy');
    expect(lines[1]).toMatch(/^ {2}wall +20\.0 ms \(10\.0 ms\) .* 1\.000 x +<= 1 x +met$/);
    expect(lines[2]).toMatch(/<= 1 x +no rival$/);
    expect(terminalLines({ row, reason: 'failed: no disk' }).at(-1)).toBe('  failed: no disk');
  });

  it('names each row once', () => {
    const ids = ROWS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('finds the part of docs/internals/performance.md that it writes', () => {
    const page = readFileSync(join(ROOT, 'docs/internals/performance.md'), 'utf8');
    const begin = page.indexOf('<!-- Written by `npm run bench -- --full`. -->');
    expect(begin).toBeGreaterThan(0);
    expect(page.indexOf('<!-- End of the written part. -->')).toBeGreaterThan(begin);
  });
});

describe.skipIf(missing.length > 0)(`the bench${skipNote(missing)}`, () => {
  it('measures CPU time, wall time and memory of a process', async () => {
    const idle = await measure({ command: ['sleep', '0.2'] });
    expect(idle.wall).toBeGreaterThanOrEqual(200);
    expect(idle.cpu).toBeLessThan(idle.wall);
    const work = 'const b = Buffer.alloc(1e8, 1); while (process.cpuUsage().user < 300_000);';
    const busy = await measure({ command: [process.execPath, '-e', work] });
    expect(busy.cpu).toBeGreaterThanOrEqual(300);
    expect(busy.memory).toBeGreaterThan(95);
  });

  it('fails the row of a command that fails', async () => {
    const failing = measure({ command: ['sh', '-c', 'echo no disk >&2; exit 3'] });
    await expect(failing).rejects.toThrow('ended with 3: no disk');
    await expect(measure({ command: ['no-such-command'] })).rejects.toThrow('ended with 127');
  });

  it('runs a server that delays its answers', async () => {
    const sink = await startSink({ latencyMs: 100 });
    onTestFinished(() => {
      sink.close();
    });
    const started = performance.now();
    const response = await fetch(sink.url, { method: 'POST', body: Buffer.alloc(10) });
    expect(await response.json()).toMatchObject({ success: true });
    expect(performance.now() - started).toBeGreaterThanOrEqual(100);
  });
});
