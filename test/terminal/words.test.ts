import { describe, expect, it } from 'vitest';
import { ago, bytes, duration, firstOf, plural } from '../../src/terminal/words.ts';

describe('text for people', () => {
  it.each([
    [0, '0 bytes'],
    [999, '999 bytes'],
    [1000, '1.0 kB'],
    [9_949, '9.9 kB'],
    [12_345, '12 kB'],
    [999_499, '999 kB'],
    [999_500, '1.0 MB'],
    [273_026, '273 kB'],
    [1_340_000, '1.3 MB'],
    [2_500_000_000, '2.5 GB'],
    [5e12, '5000 GB'],
  ])('formats %d bytes as %s', (size, text) => {
    expect(bytes(size)).toBe(text);
  });

  it.each([
    [0, '0 seconds'],
    [1_000, '1 second'],
    [45_400, '45 seconds'],
    [119_000, '119 seconds'],
    [120_000, '2 minutes'],
    [7_100_000, '118 minutes'],
    [7_200_000, '2 hours'],
    [86_400_000, '24 hours'],
    [2 * 86_400_000, '2 days'],
    [30 * 86_400_000, '30 days'],
  ])('formats %d ms as %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it.each([
    [9 * 86_400_000, '9 days ago'],
    [-300, '0 seconds ago'],
    [-9 * 86_400_000, '9 days ahead of this clock'],
  ])('formats a time %d ms back as %s', (ms, text) => {
    expect(ago(ms)).toBe(text);
  });

  it.each([
    [0, '0 files'],
    [1, '1 file'],
    [2, '2 files'],
  ])('formats %d as %s', (count, text) => {
    expect(plural(count, 'file')).toBe(text);
  });

  it('counts the texts of a list that are not shown', () => {
    expect(firstOf(['a', 'b'], 2)).toEqual(['a', 'b']);
    expect(firstOf(['a', 'b', 'c'], 2)).toEqual(['a', 'b', 'and 1 more, which --json lists']);
  });
});
