import { expect, it } from 'vitest';
import { namingProfile } from '../../src/terminal/profile-hint.ts';

it.each([
  ['Run `sync login`.', 'Run `sync login --profile lim`.'],
  ['`sync login` or `sync logout`', '`sync login --profile lim` or `sync logout --profile lim`'],
  ['`sync config set endpoint.token PATH`', '`sync config set endpoint.token PATH --profile lim`'],
  [
    '`sync login --client-secret-stdin < secret.txt`',
    '`sync login --client-secret-stdin --profile lim < secret.txt`',
  ],
  ['`sync login --profile other`', '`sync login --profile other`'],
  ['See `sync upload --help`.', 'See `sync upload --help`.'],
  ['`athlete-sync`, `sudo sysctl x`, `sync`', '`athlete-sync`, `sudo sysctl x`, `sync`'],
])('adds the profile to a command: %s becomes %s', (text, named) => {
  expect(namingProfile(text, 'lim')).toBe(named);
  expect(namingProfile(named, 'lim')).toBe(named);
  expect(namingProfile(text, 'default')).toBe(text);
  expect(namingProfile(text, undefined)).toBe(text);
});
