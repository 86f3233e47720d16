import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { TerminalFeatures } from '../../src/terminal/features.ts';
import { type IoStreams, systemIo } from '../../src/terminal/io.ts';
import { FORBIDDEN, HOSTILE, harmIn } from '../support/hostile.ts';

const FEATURES = { unicode: true, colour: true, redraws: true };

/** Streams in memory, as terminals or not. */
function open(
  terminals: { stdin?: boolean; stdout?: boolean; stderr?: boolean } = {},
  features: TerminalFeatures = FEATURES,
) {
  const stream = (isTTY: boolean) => Object.assign(new PassThrough(), { isTTY });
  const streams = {
    stdin: stream(terminals.stdin ?? false),
    stdout: stream(terminals.stdout ?? false),
    stderr: stream(terminals.stderr ?? false),
  };
  const shown = { out: '', err: '' };
  streams.stdout.on('data', (part: Buffer) => (shown.out += part.toString()));
  streams.stderr.on('data', (part: Buffer) => (shown.err += part.toString()));
  const lost: Error[] = [];
  const io = systemIo(streams as unknown as IoStreams, features, (error) => lost.push(error));
  return { io, streams, shown, lost };
}

const never = () => new AbortController().signal;

it('writes results to stdout and the rest to stderr, one line each', async () => {
  const { io, shown } = open();
  io.out('result');
  io.err('remark');
  await new Promise(setImmediate);
  expect(shown).toEqual({ out: 'result\n', err: 'remark\n' });
});

const RED_ERROR = '\u001b[31mError:\u001b[39m';

it('writes no control sequence but its own colour, which marks an error once', async () => {
  const { io, shown } = open({}, { ...FEATURES, forcesColour: true });
  io.out(`Error: a${HOSTILE}\n\tb`);
  io.err(`Error: a${HOSTILE}\nError: this is quoted`);
  await new Promise(setImmediate);
  expect(shown.err.startsWith(`${RED_ERROR} ax `)).toBe(true);
  const rest = shown.out + shown.err.replace(RED_ERROR, '');
  expect(rest.replaceAll(/[\n\t]/g, '')).not.toMatch(FORBIDDEN);
});

it('draws and asks without a control sequence of others', async () => {
  const { io, shown, streams } = open({ stderr: true });
  const done = () => true;
  Object.assign(streams.stderr, { cursorTo: done, clearLine: done, moveCursor: done });
  const end = io.spin(() => `a${HOSTILE}`);
  await expect.poll(() => shown.err).toContain('ax ');
  end();
  const answer = io.ask(`b${HOSTILE}`, { signal: never() });
  streams.stdin.write('yes\n');
  expect(await answer).toBe('yes');
  expect(shown.err).toContain('bx ');
  expect(harmIn(shown.err)).toBeUndefined();
});

it('keeps the spinner below the output', async () => {
  const { io, shown, streams } = open({ stderr: true });
  const done = () => true;
  Object.assign(streams.stderr, {
    ...{ cursorTo: done, moveCursor: done },
    clearLine: () => streams.stderr.write('<cleared>'),
  });
  let count = 0;
  const end = io.spin(() => `count ${count}`);
  await expect.poll(() => shown.err).toContain('count 0');
  count = 1;
  io.err('remark');
  await expect.poll(() => shown.err).toMatch(/count 0.*<cleared>remark\n.*count 1/s);
  end();
  await expect.poll(() => shown.err).toMatch(/<cleared>[^<]*$/);
});

it('opens no stream before its first use, because creating stdin is slow', () => {
  const touched: string[] = [];
  const streams = Object.defineProperties(
    {},
    Object.fromEntries(
      ['stdin', 'stdout', 'stderr'].map((name) => [
        name,
        {
          get: () => {
            touched.push(name);
            return new PassThrough();
          },
        },
      ]),
    ),
  );
  const io = systemIo(streams as IoStreams, FEATURES, () => undefined);
  // A test has no terminal: questions are impossible.
  const asked = [io.interactive, io.stdoutIsTerminal && io.stderrIsTerminal];
  expect(asked).toEqual([false, false]);
  expect(touched).toEqual([]);
  io.out('x');
  expect(touched).toEqual(['stdout']);
});

it.each([
  ['Error: no\n', {}],
  [`${RED_ERROR} no\n`, { forcesColour: true }],
  ['Error: no\n', { forcesColour: true, colour: false }],
])('shows %j in a pipe with %j', async (text, features) => {
  const { io, shown } = open({}, { ...FEATURES, ...features });
  io.err('Error: no');
  await new Promise(setImmediate);
  expect(shown.err).toBe(text);
});

it('reads stdin until its signal is aborted, also while no input comes', async () => {
  const { io, streams } = open();
  const stop = new AbortController();
  const reason = new Error('stopped');
  const read: string[] = [];
  const reading = (async () => {
    for await (const part of io.readStdin(stop.signal)) read.push(Buffer.from(part).toString());
  })();
  streams.stdin.write('one');
  await expect.poll(() => read).toEqual(['one']);
  stop.abort(reason);
  await expect(reading).rejects.toBe(reason);
});

it.each(['EPIPE', 'EIO'])('ignores a reader that went away (%s)', (code) => {
  const { io, streams, lost } = open();
  io.out('x');
  io.err('x');
  for (const stream of [streams.stdout, streams.stderr]) {
    expect(() => stream.emit('error', Object.assign(new Error('gone'), { code }))).not.toThrow();
  }
  expect(lost).toEqual([]);
});

it.each(['EPIPE', 'EIO'])('signals that only the reader of stdout left (%s)', (code) => {
  const { io, streams } = open();
  io.out('x');
  io.err('x');
  const gone = Object.assign(new Error('gone'), { code });
  streams.stderr.emit('error', gone);
  streams.stdout.emit('error', Object.assign(new Error('full'), { code: 'ENOSPC' }));
  expect(io.unread.aborted).toBe(false);
  streams.stdout.emit('error', gone);
  expect(io.unread.aborted).toBe(true);
});

it('reports another failure of stdout once', () => {
  const { io, streams, lost } = open();
  io.out('x');
  io.err('x');
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  for (const stream of [streams.stderr, streams.stdout, streams.stdout]) stream.emit('error', full);
  expect(lost).toEqual([full]);
});

describe('a question', () => {
  it('is printed on stderr and returns a line without surrounding white space', async () => {
    const { io, streams, shown } = open();
    const answer = io.ask('Name? ', { signal: never() });
    streams.stdin.write('  Ann \nnot this\n');
    expect(await answer).toBe('Ann');
    expect([shown.out, shown.err]).toEqual(['', 'Name? ']);
  });

  it('does not show the typed text if it is hidden', async () => {
    const { io, streams, shown } = open({ stdin: true, stderr: true });
    const answer = io.ask('Secret? ', { hidden: true, signal: never() });
    streams.stdin.write('s3cret\n');
    expect(await answer).toBe('s3cret');
    await new Promise(setImmediate);
    expect(shown.err).toBe('Secret? \n');
    expect(shown.out).toBe('');
  });

  it('ends with the end of stdin', async () => {
    const { io, streams } = open();
    const answer = io.ask('Name? ', { signal: never() });
    streams.stdin.end();
    await expect(answer).rejects.toMatchObject({ code: 'INTERRUPTED', message: 'Cancelled.' });
  });

  it('fails with the reason of its signal, before and during the question', async () => {
    const { io } = open();
    const abort = new AbortController();
    const reason = new Error('stop');
    const answer = io.ask('Name? ', { signal: abort.signal });
    abort.abort(reason);
    await expect(answer).rejects.toBe(reason);
    await expect(io.ask('Name? ', { signal: abort.signal })).rejects.toBe(reason);
  });

  it('can follow another question', async () => {
    const { io, streams } = open();
    const first = io.ask('One? ', { signal: never() });
    streams.stdin.write('1\n');
    expect(await first).toBe('1');
    const second = io.ask('Two? ', { signal: never() });
    streams.stdin.write('2\n');
    expect(await second).toBe('2');
  });
});
