import { describe, expect, it } from 'vitest';
import { terminalFeatures } from '../../src/terminal/features.ts';

describe('the terminal', () => {
  it.each<[string, boolean, Record<string, string>]>([
    ['LC_ALL=C', false, { LC_ALL: 'C', LANG: 'de_DE.UTF-8' }],
    ['LC_ALL=C.UTF-8 before LANG=C', true, { LC_ALL: 'C.UTF-8', LANG: 'C' }],
    ['LC_CTYPE before LANG', false, { LC_CTYPE: 'de_DE.ISO-8859-1', LANG: 'de_DE.UTF-8' }],
    ['an empty LC_ALL', true, { LC_ALL: '', LANG: 'de_DE.utf8' }],
    ['no locale', false, {}],
    ['TERM=dumb', false, { LANG: 'C.UTF-8', TERM: 'dumb' }],
    ['TERM=linux', false, { LANG: 'C.UTF-8', TERM: 'linux' }],
    ['TERM=xterm', true, { LANG: 'C.UTF-8', TERM: 'xterm-256color' }],
  ])('has %s: characters beyond ASCII: %s', (_what, unicode, env) => {
    expect(terminalFeatures(env, 'linux').unicode).toBe(unicode);
  });

  it.each<[string, boolean, Record<string, string>]>([
    ['the old console', false, {}],
    ['Windows Terminal', true, { WT_SESSION: 'id' }],
    ['Visual Studio Code', true, { TERM_PROGRAM: 'vscode' }],
    ['Git Bash', true, { TERM: 'xterm', LANG: 'de_DE.UTF-8' }],
    ['Git Bash with LC_ALL=C', false, { TERM: 'xterm', LC_ALL: 'C' }],
  ])('is %s on Windows: characters beyond ASCII: %s', (_what, unicode, env) => {
    expect(terminalFeatures(env, 'win32').unicode).toBe(unicode);
  });

  it.each<[string, boolean, boolean, Record<string, string>]>([
    ['no variables', true, true, {}],
    ['NO_COLOR=1', false, true, { NO_COLOR: '1' }],
    ['an empty NO_COLOR', true, true, { NO_COLOR: '' }],
    ['FORCE_COLOR=0', false, true, { FORCE_COLOR: '0' }],
    ['CLICOLOR=0', false, true, { CLICOLOR: '0' }],
    ['FORCE_COLOR=1 beside CLICOLOR=0', true, true, { FORCE_COLOR: '1', CLICOLOR: '0' }],
    ['NO_COLOR=1 beside FORCE_COLOR=1', false, true, { NO_COLOR: '1', FORCE_COLOR: '1' }],
    ['TERM=dumb', false, false, { TERM: 'dumb' }],
  ])('with %s: shows colours: %s, redraws lines: %s', (_what, colour, redraws, env) => {
    expect(terminalFeatures(env, 'linux')).toMatchObject({ colour, redraws });
  });
});
