import { describe, expect, it } from 'vitest';
import { phrase, sync } from '../../src/base/phrase.ts';
import type { Io } from '../../src/terminal/io.ts';
import { type GlobalFlags, createOutput } from '../../src/terminal/output.ts';
import { plainIo } from '../support/io.ts';
import { manualClock } from '../watch/manual-clock.ts';

function open(flags: Partial<GlobalFlags> = {}, over: Partial<Io> = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const io = plainIo({ out: (line) => out.push(line), err: (line) => err.push(line), ...over });
  const clock = manualClock();
  const given = { json: false, quiet: false, verbose: false, ...flags };
  return { output: createOutput(io, given, clock), clock, out, err };
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

it.each<[string, Partial<GlobalFlags>]>([
  ['--quiet', { quiet: true }],
  ['--json', { json: true }],
  ['--verbose', { verbose: true }],
])('shows no progress with %s', async (_why, flags) => {
  const { output, err, out, clock } = open(flags);
  const progress = output.progress();
  progress.update({ noun: 'day', done: 1, total: 2 });
  await clock.advance(60_000);
  progress.stop();
  progress.stop();
  expect([out, err]).toEqual([[], []]);
});

describe('in a terminal', () => {
  const terminal = {
    stdoutIsTerminal: true,
    stderrIsTerminal: true,
    redraws: true,
    stdoutColumns: 30,
    stderrColumns: 20,
  };

  it('wraps results and messages between words', () => {
    const { output, out, err } = open({}, terminal);
    output.result({}, 'a result that is too long for a line');
    output.say('a remark that is too long');
    output.error({}, 'Error: a failure of this');
    expect(out).toEqual(['a result that is too long for\na line']);
    expect(err).toEqual(['a remark that is too\nlong', 'Error: a failure of\nthis']);
  });

  it('does not wrap a text that is verbatim, such as a script', () => {
    const { output, out } = open({}, terminal);
    const script = 'complete -c sync -f -a upload -d Upload';
    output.result({}, script, { verbatim: true });
    expect(out).toEqual([script]);
  });

  it('prints results and messages above the progress line', async () => {
    const shown: string[] = [];
    const push = (line: string) => void shown.push(line);
    const io = { ...terminal, out: push, err: push, drawLine: push };
    const { output, clock } = open({}, io);
    const progress = output.progress();
    progress.update({ noun: 'day', done: 1, total: 2 });
    await clock.advance(100);
    output.result({}, 'a result');
    output.warn('a warning');
    progress.stop();
    const line = '███░░░  1 of 2';
    expect(shown).toEqual([line, '', 'a result', line, '', 'a warning', line, '']);
  });

  it('does not erase the line for a result that goes elsewhere', async () => {
    const shown: string[] = [];
    const io = { ...terminal, stdoutIsTerminal: false, stdoutColumns: 0 };
    const { output, clock } = open({}, { ...io, drawLine: (line) => void shown.push(line) });
    const progress = output.progress();
    progress.update({ noun: 'day', done: 1, total: 2 });
    await clock.advance(100);
    output.result({}, 'a result');
    expect(shown).toHaveLength(1);
    progress.stop();
  });

  it('replaces an ellipsis if the terminal shows only ASCII', () => {
    const { output, out } = open({}, { unicode: false });
    output.result({}, 'Größe of a long na…');
    expect(out).toEqual(['Größe of a long na...']);
  });
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
