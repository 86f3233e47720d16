import { describe, expect, it } from 'vitest';
import { findPaths } from '../../src/config/paths.ts';

describe('the folders for configuration and state', () => {
  it.each(['', 'somewhere'])('are not placed in the current folder if HOME is "%s"', (home) => {
    expect(() => findPaths({}, 'linux', home)).toThrow(
      expect.objectContaining({
        code: 'CONFIG',
        message: `There is no home folder to keep anything in (HOME is "${home}").`,
        hint: 'Set HOME, or SYNC_CONFIG_DIR and SYNC_STATE_DIR.',
      }),
    );
  });

  it('need no home folder if both are given', () => {
    const env = { SYNC_CONFIG_DIR: '/c\r', SYNC_STATE_DIR: '/s\r' };
    expect(findPaths(env, 'linux', '')).toEqual({ configFile: '/c/config.json', stateDir: '/s' });
  });

  it('are those of the XDG base directories', () => {
    const usual = {
      configFile: '/home/a/.config/athlete-sync/config.json',
      stateDir: '/home/a/.local/state/athlete-sync',
    };
    const relative = { XDG_CONFIG_HOME: 'c', XDG_STATE_HOME: './s' };
    for (const env of [{}, relative]) expect(findPaths(env, 'linux', '/home/a')).toEqual(usual);
    expect(findPaths({ ...relative, XDG_STATE_HOME: '/s' }, 'linux', '/home/a')).toEqual({
      ...usual,
      stateDir: '/s/athlete-sync',
    });
  });
});
