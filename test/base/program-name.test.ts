import { afterEach, describe, expect, it } from 'vitest';
import {
  phrase,
  sync,
  type ProgramName,
  chooseProgramName,
  setProgramName,
  withProgramName,
} from '../../src/base/phrase.ts';

const NAMES: readonly ProgramName[] = ['sync', 'athlete-sync'];

afterEach(() => setProgramName('sync'));

describe('the name of the program', () => {
  it.each([
    ['sync', undefined, 'sync'],
    ['athlete-sync', undefined, 'athlete-sync'],
    ['athlete-sync', 'sync', 'athlete-sync'],
    ['sync', 'athlete-sync', 'sync'],
    ['sync.js', undefined, 'sync'],
    ['main.cjs', 'athlete-sync', 'athlete-sync'],
    ['main.cjs', 'sync', 'sync'],
    ['main.cjs', 'another', 'sync'],
    ['', undefined, 'sync'],
  ])('is that of the script %s, or else the variable %s: %s', (script, variable, name) => {
    expect(chooseProgramName(script, variable)).toBe(name);
  });

  it.each(NAMES)('is in every command to type: %s', (name) => {
    setProgramName(name);
    const text = phrase`Run ${sync('login')}, then ${sync('status')}.`;
    expect(text.render('ada')).toBe(
      `Run \`${name} login --profile ada\`, then \`${name} status --profile ada\`.`,
    );
  });

  it.each(NAMES)('replaces sync in command lines alone: %s', (name) => {
    setProgramName(name);
    for (const [text, expected] of [
      ['sync upload ride.fit', `${name} upload ride.fit`],
      ['collect | sync push wellness -', `collect | ${name} push wellness -`],
      ['eval "$(sync completion bash)"', `eval "$(${name} completion bash)"`],
      ['a key of `sync config list`', `a key of \`${name} config list\``],
      ['sync -f FILE', `${name} -f FILE`],
      ['exports that sync understands', 'exports that sync understands'],
      ['Learn more: athlete-sync/docs', 'Learn more: athlete-sync/docs'],
    ] as const) {
      expect(withProgramName(text)).toBe(expected);
    }
  });
});
