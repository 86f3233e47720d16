import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawChart, drawTrack, type Series, type Track } from '../../src/fit/picture.ts';

function everySecond(values: readonly number[]): Series {
  return { at: values.map((_, i) => i), values };
}

describe('drawChart', () => {
  it('rises from left to right with the values', () => {
    const points = everySecond([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(drawChart(points, 7, 1, { columns: 8, rows: 1 })).toEqual(['▁▂▃▄▅▆▇█']);
  });

  it('uses all its rows', () => {
    const points = everySecond(Array.from({ length: 16 }, (_, i) => i));
    expect(drawChart(points, 15, 1, { columns: 16, rows: 2 })).toEqual([
      '        ▁▂▃▄▅▆▇█',
      '▁▂▃▄▅▆▇█████████',
    ]);
  });

  it('shows the mean of the values in a column', () => {
    const points = everySecond([0, 10, 20, 30]);
    expect(drawChart(points, 3, 1, { columns: 2, rows: 1 })).toEqual(['▁█']);
  });

  it('leaves a gap for a pause, but none between sparse records', () => {
    const points = { at: [0, 1, 98, 99, 100], values: [5, 5, 6, 6, 6] };
    const [line = ''] = drawChart(points, 100, 1, { columns: 10, rows: 1 });
    expect(line).toBe('▁▁▁      █');
  });

  it('does not amplify noise', () => {
    const points = everySecond([100, 101, 100, 101]);
    expect(drawChart(points, 3, 4, { columns: 4, rows: 1 })).toEqual(['▁▃▁▃']);
  });

  it.each([
    ['a constant value', [18, 18, 18, 18]],
    ['less change than a step of the chart', [100, 101, 100, 101]],
    ['only zeroes', [0, 0, 0, 0]],
    ['one value', [120]],
  ])('draws nothing for %s', (_, values) => {
    expect(drawChart(everySecond(values), 3, 30, { columns: 4, rows: 1 })).toEqual([]);
  });

  it('skips missing values', () => {
    const points = everySecond([1, NaN, 3, NaN]);
    expect(drawChart(points, 3, 1, { columns: 2, rows: 1 })).toEqual(['▁█']);
  });

  it('has fewer levels in ASCII', () => {
    const points = everySecond(Array.from({ length: 16 }, (_, i) => i));
    expect(drawChart(points, 15, 1, { columns: 16, rows: 2, ascii: true })).toEqual([
      '        ..::||##',
      '..::||##########',
    ]);
  });

  it('draws nothing without values', () => {
    const size = { columns: 10, rows: 1 };
    expect(drawChart({ at: [], values: [] }, 100, 1, size)).toEqual([]);
    expect(drawChart({ at: [500, 501], values: [1, 2] }, 100, 1, size)).toEqual([]);
    expect(drawChart(everySecond([NaN, NaN]), 100, 1, size)).toEqual([]);
  });
});

describe('drawTrack', () => {
  const size = { columns: 6, rows: 3 };
  const at = (latitude: number, longitude: number, secs = 0) => [secs, latitude, longitude];
  const track = (...places: readonly (readonly number[])[]): Track => {
    const column = (i: number) => places.map((place) => place[i] ?? NaN);
    return { at: column(0), latitude: column(1), longitude: column(2) };
  };

  it('draws north up', () => {
    expect(drawTrack(track(at(47, 8), at(47.01, 8)), size)).toEqual(['⡇', '⡇', '⡇']);
    expect(drawTrack(track(at(47, 8), at(47, 8.01)), size)).toEqual(['⠉⠉⠉⠉⠉⠉']);
  });

  it('draws to scale: a square on the ground is a square of dots', () => {
    const corners = [at(0, 0.01), at(0.01, 0.01), at(0.01, 0.02), at(0, 0.02), at(0, 0.01)];
    const square = track(...corners);
    expect(drawTrack(square, size)).toEqual(['⡏⠉⠉⠉⠉⢹', '⡇⠀⠀⠀⠀⢸', '⣇⣀⣀⣀⣀⣸']);
    expect(drawTrack(square, { ...size, ascii: true })).toEqual([":'''':", ':    :', ':....:']);
  });

  it('crosses the date line', () => {
    expect(drawTrack(track(at(0, 179.99), at(0, -179.99)), size)).toEqual(['⠉⠉⠉⠉⠉⠉']);
  });

  it('does not connect positions that are far apart in time', () => {
    const [line = ''] = drawTrack(track(at(0, 8), at(0, 8.01, 3600)), size);
    expect(line).toBe('⠁⠀⠀⠀⠀⠈');
  });

  it('draws nothing for fewer than two positions', () => {
    expect(drawTrack(track(), size)).toEqual([]);
    expect(drawTrack(track(at(47, 8)), size)).toEqual([]);
    expect(drawTrack(track(at(47, 8), at(47.00001, 8.00001)), size)).toEqual([]);
    expect(drawTrack(track(at(47, 8), at(NaN, NaN)), size)).toEqual([]);
  });

  it('keeps to its size for any track', () => {
    const place = fc.tuple(
      fc.integer({ min: 0, max: 10_000 }),
      fc.double({ min: -90, max: 90, noNaN: true }),
      fc.double({ min: -180, max: 180, noNaN: true }),
    );

    fc.assert(
      fc.property(fc.array(place, { maxLength: 8 }), (places) => {
        const lines = drawTrack(track(...places), size);
        expect(lines.length).toBeLessThanOrEqual(size.rows);
        expect(new Set(lines.map(({ length }) => length)).size).toBeLessThanOrEqual(1);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(size.columns);
      }),
    );
  });
});
