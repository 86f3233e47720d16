import { describe, expect, it } from 'vitest';
import { phrase, sync } from '../../src/base/phrase.ts';
import type { Io } from '../../src/terminal/io.ts';
import { type GlobalFlags, createOutput } from '../../src/terminal/output.ts';

function open(flags: Partial<GlobalFlags> = {}, over: Partial<Io> = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const io: Io = {
    interactive: false,
    stdoutIsTerminal: false,
    stderrIsTerminal: false,
    colour: false,
    columns: 80,
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    unread: new AbortController().signal,
    readStdin: () => {
      throw new Error('nobody reads');
    },
    ask: () => Promise.reject(new Error('nobody asks')),
    ...over,
  };
  const given = { json: false, quiet: false, verbose: false, ...flags };
  return { output: createOutput(io, given), out, err };
}

/** One of each. */
function sayAll({ output }: ReturnType<typeof open>): void {
  output.result({ type: 'a' }, 'a result');
  output.result({ type: 'b' });
  output.say('a remark');
  output.warn('a warning');
  output.detail('a detail');
  output.error({ type: 'error' }, 'Error: a failure');
}

it.each<[string, Partial<GlobalFlags>, string[], string[]]>([
  ['people', {}, ['a result'], ['a remark', 'a warning', 'Error: a failure']],
  ['--quiet', { quiet: true }, ['a result'], ['a warning', 'Error: a failure']],
  [
    '--verbose',
    { verbose: true },
    ['a result'],
    ['a remark', 'a warning', 'a detail', 'Error: a failure'],
  ],
  [
    '--json',
    { json: true },
    ['{"type":"a","v":1}', '{"type":"b","v":1}', '{"type":"error","v":1}'],
    ['a remark', 'a warning', 'Error: a failure'],
  ],
  [
    '--json --quiet',
    { json: true, quiet: true },
    ['{"type":"a","v":1}', '{"type":"b","v":1}', '{"type":"error","v":1}'],
    ['a warning', 'Error: a failure'],
  ],
])('separates results from messages with %s', (_who, flags, out, err) => {
  const opened = open(flags);
  sayAll(opened);
  expect({ out: opened.out, err: opened.err }).toEqual({ out, err });
});

describe('text from outside', () => {
  it.each([
    ['an escape sequence', 'a\u001b[2Jb', 'a [2Jb'],
    ['a title', 'a\u001b]0;x\u0007b', 'a ]0;x b'],
    ['a carriage return', 'all is well\rbad', 'all is well bad'],
    ['a back space', 'a\u0008b', 'a b'],
    ['NUL and DEL', 'a\u0000\u007fb', 'a  b'],
    ['one-byte sequences', 'a\u009b2Jb', 'a 2Jb'],
    ['a turn of direction', 'gpj\u202etif.exe', 'gpj tif.exe'],
    ['isolates and separators', 'a\u2066b\u2028c', 'a b c'],
  ])('cannot control the terminal with %s', (_what, text, shown) => {
    const opened = open({ verbose: true });
    opened.output.result({}, text);
    opened.output.say(text);
    opened.output.warn(text);
    opened.output.detail(text);
    opened.output.error({}, text);
    expect([...opened.out, ...opened.err]).toEqual(Array(5).fill(shown));
  });

  it('keeps lines, tabs, umlauts, emoji and right-to-left letters', () => {
    const text = 'Größe\t1\n日本 🚴🏽‍♀️ שלום';
    const { output, out } = open();
    output.result({}, text);
    expect(out).toEqual([text]);
  });

  it('is escaped in JSON, without losing characters', () => {
    const { output, out } = open({ json: true });
    output.result({ type: 'a', path: 'a\u001b[2J\nb' });
    expect(out).toEqual(['{"type":"a","v":1,"path":"a\\u001b[2J\\nb"}']);
  });
});

it('writes type and v before all other fields of a JSON line', () => {
  const { output, out } = open({ json: true });
  output.result({ account: 'ada', v: 7, type: 'upload', path: 'ride.fit' });
  expect(out).toEqual(['{"type":"upload","v":1,"account":"ada","path":"ride.fit"}']);
});

it('prints an error in red only if colour is enabled', () => {
  const coloured = open({}, { colour: true });
  coloured.output.error({}, 'Error: no\nError: this is quoted');
  expect(coloured.err).toEqual(['\u001b[31mError:\u001b[39m no\nError: this is quoted']);
  const plain = open();
  plain.output.error({}, 'Error: no');
  expect(plain.err).toEqual(['Error: no']);
});

it.each<[string, Partial<GlobalFlags>, boolean]>([
  ['no terminal', {}, false],
  ['--quiet', { quiet: true }, true],
  ['--json', { json: true }, true],
  ['--verbose', { verbose: true }, true],
])('draws no progress with %s', async (_why, flags, stderrIsTerminal) => {
  const { output, err, out } = open(flags, { stderrIsTerminal });
  const progress = output.progress();
  progress.update(() => 'half');
  await new Promise((go) => setTimeout(go, 30));
  progress.stop();
  progress.stop();
  expect([out, err]).toEqual([[], []]);
});

it('names the profile in each command of a text and of a JSON field', () => {
  const { output, out, err } = open({ json: true, profile: 'ada' });
  const hint = phrase`Run ${sync('config', 'set', 'endpoint.token', 'PATH')}.`;
  output.error({ type: 'error', hint, login: { hints: [hint] }, said: '`sync login`' }, hint);
  const named = 'Run `sync config set endpoint.token PATH --profile ada`.';
  expect(out.map((line) => JSON.parse(line) as unknown)).toEqual([
    { type: 'error', v: 1, hint: named, login: { hints: [named] }, said: '`sync login`' },
  ]);
  expect(err).toEqual([named]);
});
