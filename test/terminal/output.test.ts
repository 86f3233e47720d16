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
  it('neither controls the terminal nor imitates a line', () => {
    const { output, out, err } = open({ verbose: true });
    const text = 'ride\u001b[2J.fit\nother.fit: uploaded\u202e';
    output.text(text);
    output.say(text);
    output.warn(text);
    output.detail(text);
    output.error({}, phrase`${text}\n  ${text}`);
    const shown = 'ride [2J.fit other.fit: uploaded';
    expect({ out, err }).toEqual({
      out: [shown],
      err: [shown, shown, shown, `${shown}\n  ${shown}`],
    });
  });

  it('is escaped in JSON, without losing characters', () => {
    const { output, out } = open({ json: true });
    output.result({ type: 'a', path: 'a\u001b[2J\nb\u009b\u202e' });
    expect(out).toEqual(['{"type":"a","v":1,"path":"a\\u001b[2J\\nb\\u009b\\u202e"}']);
  });
});

it('writes type and v before all other fields of a JSON line', () => {
  const { output, out } = open({ json: true });
  output.result({ account: 'ada', v: 7, type: 'upload', path: 'ride.fit' });
  expect(out).toEqual(['{"type":"upload","v":1,"account":"ada","path":"ride.fit"}']);
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
    output.text('a result that is too long for a line');
    output.say('a remark that is too long');
    output.error({}, 'Error: a failure of this');
    expect(out).toEqual(['a result that is too long for\na line']);
    expect(err).toEqual(['a remark that is too\nlong', 'Error: a failure of\nthis']);
  });

  it('prints a script unchanged', () => {
    const { output, out } = open({}, terminal);
    const script = 'complete -c sync -f\n\t-a upload -d Upload';
    output.script({}, script);
    expect(out).toEqual([script]);
  });

  it('replaces an ellipsis if the terminal shows only ASCII', () => {
    const { output, out } = open({}, { unicode: false });
    output.text('Größe of a long na…');
    expect(out).toEqual(['Größe of a long na...']);
  });
});

it.each([
  ['ada', ' --profile ada'],
  [undefined, ''],
])('names the profile in each command of a text and of a JSON field: %s', (profile, flag) => {
  const { output, out, err } = open({ json: true, profile });
  const hint = phrase`Run ${sync('config', 'set', 'endpoint.token', 'PATH')}.`;
  output.error({ type: 'error', hint, login: { hints: [hint] }, said: '`sync login`' }, hint);
  const named = `Run \`sync config set endpoint.token PATH${flag}\`.`;
  expect(out.map((line) => JSON.parse(line) as unknown)).toEqual([
    { type: 'error', v: 1, hint: named, login: { hints: [named] }, said: '`sync login`' },
  ]);
  expect(err).toEqual([named]);
});
