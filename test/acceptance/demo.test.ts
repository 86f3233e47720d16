import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome } from '../support/acceptance.ts';
import { contractEnvironment } from '../support/contract-environment.ts';
import { ROOT } from '../support/documents.ts';
import { type Finished, PROGRAM } from '../support/program.ts';

/**
 * Runs the demo with the program under test and a scratch folder for temporary files.
 *
 * @param enough closes stdout after a text that contains this, as `| head` does
 */
async function runDemo(
  env: NodeJS.ProcessEnv,
  enough?: string,
): Promise<Finished & { left: string[] }> {
  const home = openHome();
  const scratch = join(home.dir, 'scratch');
  mkdirSync(scratch);
  const child = spawn(process.execPath, [join(ROOT, 'scripts', 'demo.mjs')], {
    cwd: home.dir,
    env: {
      ...home.env,
      ...contractEnvironment(),
      TMPDIR: scratch,
      TEMP: scratch,
      TMP: scratch,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    if (enough !== undefined && stdout.includes(enough)) child.stdout.destroy();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { code, stdout, stderr, left: [...readdirSync(scratch), ...touched(home.dir)] };
}

/** Lists a home without the folder for temporary files. */
function touched(home: string): string[] {
  return readdirSync(home).filter((name) => name !== 'scratch');
}

describe('npm run demo', () => {
  it('logs in, sends recordings and days, shows what arrived, and removes its files', async () => {
    // The demo must ignore the settings and tokens of the user who runs it.
    const { code, stdout, stderr, left } = await runDemo({
      SYNC_DEMO_PROGRAM: PROGRAM,
      SYNC_ACCESS_TOKEN: 'a-token-of-somebody',
      SYNC_BASE_URL: 'https://training.example.com',
      SYNC_PROFILE: 'somebody',
    });
    expect(code, stdout + stderr).toBe(0);
    expect(left).toEqual([]);
    expect(stderr).toBe('');
    for (const words of [
      /\$ sync login --no-browser/,
      /Logged in as Ada Lindqvist/,
      /\$ sync inspect data\/\S+-ride\.fit/,
      /\$ sync upload data\/\S+-ride\.fit/,
      /ride {2}\d.* {2}uploaded$/m,
      // The folder holds that ride too: it is not sent again.
      /\d+ uploaded \(.*\), 1 uploaded before/,
      /2026-05-17: sent/,
      /Garmin Edge 840 is plugged in/,
      /Activity\/\S+-ride\.fit: uploaded/,
      /2 recordings, all sent/,
      /Garmin Edge 840 was unplugged/,
      /wellness: 1 sent\./,
      /nutrition: 1 sent\./,
      /\$ sync workouts/,
      /\$ sync status/,
      /At the sandbox: \d+ recordings, 1 day of wellness, 1 day of nutrition\./,
    ]) {
      expect(stdout).toMatch(words);
    }
    expect(stdout).not.toMatch(/\(exit code|training\.example\.com|sbx_(?:at|rt)_/);
    // As many as are listed below the sum.
    const recordings = Number(/At the sandbox: (\d+) recordings/.exec(stdout)?.[1]);
    expect(stdout.match(/^ {2}[0-9a-f]{12} +\d+ bytes /gm)).toHaveLength(recordings);
  });

  it('fails if the program fails', async () => {
    const broken = join(openHome().dir, 'broken.cjs');
    writeFileSync(
      broken,
      `if (['inspect', 'upload', 'push', 'devices', 'workouts', 'status'].includes(process.argv[2])) process.exit(5);
      require(${JSON.stringify(PROGRAM)});`,
    );
    const { code, stdout, left } = await runDemo({ SYNC_DEMO_PROGRAM: broken });
    expect([code, stdout]).toEqual([1, /\(exit code 5\)/]);
    expect(left).toEqual([]);
  });

  it('ends its sandbox and removes its files if stdout is closed early', async () => {
    const ended = await runDemo({ SYNC_DEMO_PROGRAM: PROGRAM }, 'The platform, emulated, is at');
    expect(ended).toMatchObject({ code: 0, stderr: '', left: [] });
    const url = /http:\S+\d/.exec(ended.stdout)?.[0] ?? '';
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('ends with an error if the sandbox does not start', async () => {
    const { code, stderr } = await runDemo({ SYNC_DEMO_PROGRAM: join(ROOT, 'nowhere.cjs') });
    expect(code).not.toBe(0);
    expect(stderr).toContain('The sandbox ended at once.');
  });
});
