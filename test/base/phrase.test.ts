import { describe, expect, it } from 'vitest';
import { joinTexts, phrase, renderText, sync } from '../../src/base/phrase.ts';

describe('phrase', () => {
  it.each([
    [undefined, 'Run `sync login`, then `sync status --check`.'],
    ['default', 'Run `sync login`, then `sync status --check`.'],
    [
      'race bike',
      'Run `sync login --profile "race bike"`, then `sync status --check --profile "race bike"`.',
    ],
  ])('names the profile %s in each command', (profile, expected) => {
    const text = phrase`Run ${sync('login')}, then ${sync('status', '--check')}.`;
    expect(renderText(text, profile)).toBe(expected);
  });

  it('quotes a file name that a shell would take for a redirection', () => {
    const text = phrase`${sync('upload', 'ride>~/.bashrc')} ${sync('push', '<in')}`;
    expect(text.toString()).toBe('`sync upload "ride>~/.bashrc"` `sync push "<in"`');
  });

  it('puts ./ before the name of a file that begins like a flag', () => {
    const text = phrase`${sync('repair', '-cut.fit', '--out', '--new file.fit')} ${sync('push', '-')}`;
    expect(text.toString()).toBe('`sync repair ./-cut.fit --out "./--new file.fit"` `sync push -`');
  });

  it('puts the profile before the input of a command', () => {
    const text = phrase`Run ${sync('login', '--with-token').withInput('< tokens.json')}.`;
    expect(text.render('ada')).toBe('Run `sync login --with-token --profile ada < tokens.json`.');
  });

  it('keeps the commands of nested phrases', () => {
    const hint = phrase`Run ${sync('login')}.`;
    expect(phrase`ride.fit: not sent. ${hint}`.render('ada')).toBe(
      'ride.fit: not sent. Run `sync login --profile ada`.',
    );
    expect(joinTexts(['Failed.', hint], '\n  ').render('ada')).toBe(
      'Failed.\n  Run `sync login --profile ada`.',
    );
  });

  it.each([
    [sync('login', '--profile', 'other'), '`sync login --profile other`'],
    [sync('login', '--profile=other'), '`sync login --profile=other`'],
    [sync('upload', '--help'), '`sync upload --help`'],
  ])('adds no profile to %s', (command, expected) => {
    expect(command.render('ada')).toBe(expected);
  });

  it('leaves text that merely looks like a command unchanged', () => {
    expect(renderText('the service said `sync login`', 'ada')).toBe(
      'the service said `sync login`',
    );
  });
});
