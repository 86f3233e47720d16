import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { dayOf } from '../../src/sandbox/resources/nutrition.ts';
import { MEALS, type StoredItem } from '../../src/sandbox/resources/nutrition-day.ts';
import type { SandboxServer } from '../../src/sandbox/server.ts';
import type { RunningHere } from './in-process.ts';
import { type Finished, PROGRAM, type Run, type RunOptions } from './program.ts';
import type { World } from './world.ts';
import type { RequestRecord } from '../../src/sandbox/types.ts';

export { freePort } from './local-server.ts';
export * from './world.ts';

/** Matches the authorization URL in the output of a login, once all of it is there. */
export const AUTHORIZE_URL = /https?:\/\/\S+\/api\/oauth\/authorize\?\S+(?=\s)/;

/** A login that waits for the callback. */
export interface WaitingLogin<R extends Run> {
  readonly running: R;
  /** The URL that the browser opens. */
  readonly authorizeUrl: string;
  readonly redirectUri: string;
  readonly state: string;
}

/** Starts a command line, as a process ({@link World.start}) or {@link here}. */
interface Starts<R extends Run> {
  readonly start: (args: readonly string[], options?: Partial<RunOptions>) => R | Promise<R>;
}

/** Starts command lines in the process of the test: the usual way. */
export const here = ({ startHere }: Pick<World, 'startHere'>): Starts<RunningHere> => ({
  start: startHere,
});

/** Starts `sync login --no-browser --port 0 ARGS` and waits until it shows the address. */
export async function startLogin<R extends Run>(
  { start }: Starts<R>,
  args: readonly string[] = [],
  options: Partial<RunOptions> = {},
): Promise<WaitingLogin<R>> {
  const port = args.some((arg) => arg === '--port' || arg === '--redirect-uri')
    ? []
    : ['--port', '0'];
  const running = await start(['login', '--no-browser', ...port, ...args], options);
  const [authorizeUrl] = await running.waitFor(AUTHORIZE_URL);
  // The last line: all of the text is printed.
  await running.waitFor(/Ctrl-C cancels/);
  const query = new URL(authorizeUrl).searchParams;
  return {
    running,
    authorizeUrl,
    redirectUri: query.get('redirect_uri') ?? '',
    state: query.get('state') ?? '',
  };
}

/** Returns the URL of the callback to which the service redirects the browser. */
async function answerOf(authorizeUrl: string): Promise<string> {
  const response = await fetch(authorizeUrl, { redirect: 'manual' });
  const location = response.headers.get('location');
  if (location === null) throw new Error(`no redirect: ${String(response.status)}`);
  return location;
}

/** Opens the authorization URL as a browser does. @returns the page that the user sees */
export async function visit(
  authorizeUrl: string,
): Promise<{ status: number; html: string; url: string }> {
  const url = await answerOf(authorizeUrl);
  let response = await fetch(url);
  // This process may have stalled with the connection open: browsers send a request again after a 408.
  while (response.status === 408) response = await fetch(url);
  return { status: response.status, html: await response.text(), url };
}

/** Starts a login, approves it in the browser, and waits for its end. */
export async function completeLogin<R extends Run>(...given: Parameters<typeof startLogin<R>>) {
  const login = await startLogin<R>(...given);
  const page = await visit(login.authorizeUrl);
  return { ...login, page, ...(await login.running.finished) };
}

/** The program `script` of util-linux, which runs a child in a new terminal. */
const SCRIPT = ['/usr/bin/script', '/bin/script'].find((path) => existsSync(path));

export const terminals = {
  present: process.platform === 'linux' && SCRIPT !== undefined,
  note:
    process.platform === 'linux' && SCRIPT !== undefined
      ? ''
      : ' (skipped: no `script` of util-linux here, so no terminal to type into)',
} as const;

export interface Terminal {
  /** All output: stdout and stderr in one. */
  screen(): string;
  type(keys: string): void;
  /** Waits until the output after the last match matches. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  /** `stdout` is the screen. */
  readonly finished: Promise<Finished>;
}

/** Wide enough for the address of a login, so that it stands on one line. */
const COLUMNS = 1000;

/** Runs the program in a new terminal, with stdin, stdout and stderr on it. */
export function openTerminal(
  world: Pick<World, 'home'>,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  program = PROGRAM,
): Terminal {
  return runInTerminal(world, [process.execPath, program, ...args], env);
}

/** Runs any program in a new terminal. */
export function runInTerminal(
  { home }: Pick<World, 'home'>,
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Terminal {
  const command = `stty cols ${COLUMNS} rows 40; exec ${words.map(quoted).join(' ')}`;
  const child = spawn(SCRIPT ?? 'script', ['-qfec', command, '/dev/null'], {
    env: { ...home.env, TERM: 'xterm', SHELL: '/bin/sh', ...env },
    cwd: home.dir,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let screen = '';
  let read = 0;
  const watchers = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    for (const watcher of watchers) watcher();
  });
  child.stdin.on('error', () => undefined);
  const finished = new Promise<Finished>((done) =>
    child.once('close', (code) => done({ code, stdout: screen, stderr: '' })),
  );
  return {
    screen: () => screen,
    type: (keys) => void child.stdin.write(keys),
    finished,
    waitFor: (pattern) =>
      new Promise((done, fail) => {
        const look = () => {
          const match = pattern.exec(screen.slice(read));
          if (match === null) return false;
          read += match.index + match[0].length;
          watchers.delete(look);
          done(match);
          return true;
        };
        if (look()) return;
        watchers.add(look);
        void finished.then(() => {
          if (!look()) fail(new Error(`ended before ${String(pattern)}:\n${screen}`));
        });
      }),
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Returns the requests that the sandbox received, as `route status`, in order. */
export function requestLines({ control }: SandboxServer): string[] {
  return control
    .requests()
    .map(({ route, method, path, status }) => `${route ?? `${method} ${path}`} ${String(status)}`);
}

/** Returns the requests as {@link requestLines}, without the looks at nutrition days, which change nothing. */
export function sendingLines(sandbox: SandboxServer): string[] {
  const isLook = /^(?:nutrition-list |nutrition-items 4|userinfo )/;
  return requestLines(sandbox).filter((line) => !isLook.test(line));
}

/** Returns the metadata of an upload that the sandbox received. */
export function metadataOf({ parts }: RequestRecord): Record<string, unknown> {
  const text = parts?.find(({ name }) => name === 'metadata')?.text ?? '{}';
  return JSON.parse(text) as Record<string, unknown>;
}

/** Returns every item that the platform holds for a day of an athlete, meal by meal. */
export function foodsHeld(
  { control }: Pick<SandboxServer, 'control'>,
  date: string,
  athlete = 'athlete-1',
): StoredItem[] {
  const days = control.state(athlete).athletes[0]?.nutrition ?? [];
  const day = dayOf(days.find((each) => each.date === date) ?? null);
  return MEALS.flatMap((meal) => day[meal]);
}

/** Counts the requests of each route that the sandbox received. */
export function requestCounts({ control }: SandboxServer): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { route } of control.requests()) {
    const name = route ?? 'unknown';
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Returns the path of the default profile in the file store. */
export function tokenFile({ home }: Pick<World, 'home'>): string {
  return join(home.dir, 'state', 'logins', 'login-default.json');
}

/** Expires the access token, here and at the service. */
export function expireAccess(world: World): void {
  const path = tokenFile(world);
  const stored = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  writeFileSync(path, JSON.stringify({ ...stored, accessExpiresAt: Date.now() - 1000 }));
  world.sandbox.control.expire();
}

/** Asks the service for the athlete of a token; undefined if the token is invalid. */
export async function ownerOf({ url }: SandboxServer, token: string): Promise<string | undefined> {
  const answer = await fetch(`${url}/api/oauth/userinfo`, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (answer.status === 401) return undefined;
  return ((await answer.json()) as { sub: string }).sub;
}

/** Returns the files below a folder that contain one of these texts, as `path: text`. */
export function filesHolding(folder: string, texts: readonly string[]): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    // Node.js 22 and later follow links to folders.
    const isLinked = !realpathSync(entry.parentPath).startsWith(realpathSync(folder));
    if (!entry.isFile() || isLinked) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    for (const text of texts) if (bytes.includes(text)) found.push(`${path}: ${text}`);
  }
  return found;
}
