import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawChart, drawTrack, type Place, type Point } from '../../src/fit/picture.ts';

function everySecond(values: readonly number[], from = 0): Point[] {
  return values.map((value, i) => ({ at: from + i, value }));
}

describe('drawChart', () => {
  it('rises from left to right with the values', () => {
    const points = everySecond([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(drawChart(points, 7, 1, { columns: 8, rows: 1 })).toEqual({
      lines: ['▁▂▃▄▅▆▇█'],
      least: 0,
      greatest: 7,
    });
  });

  it('uses all its rows', () => {
    const points = everySecond(Array.from({ length: 16 }, (_, i) => i));
    expect(drawChart(points, 15, 1, { columns: 16, rows: 2 })?.lines).toEqual([
      '        ▁▂▃▄▅▆▇█',
      '▁▂▃▄▅▆▇█████████',
    ]);
  });

  it('shows the mean of the values in a column', () => {
    const points = everySecond([0, 10, 20, 30]);
    expect(drawChart(points, 3, 1, { columns: 2, rows: 1 })).toEqual({
      lines: ['▁█'],
      least: 5,
      greatest: 25,
    });
  });

  it('leaves a gap for a pause, but none between sparse records', () => {
    const points = [...everySecond([5, 5], 0), ...everySecond([5, 5, 5], 98)];
    const [line = ''] = drawChart(points, 100, 1, { columns: 10, rows: 1 })?.lines ?? [];
    expect(line).toBe('▁▁▁      ▁');
  });

  it('does not amplify noise', () => {
    const points = everySecond([100, 101, 100, 101]);
    expect(drawChart(points, 3, 30, { columns: 4, rows: 1 })?.lines).toEqual(['▁▁▁▁']);
  });

  it('has fewer levels in ASCII', () => {
    const points = everySecond(Array.from({ length: 16 }, (_, i) => i));
    expect(drawChart(points, 15, 1, { columns: 16, rows: 2, ascii: true })?.lines).toEqual([
      '        ..::||##',
      '..::||##########',
    ]);
  });

  it('draws nothing without values', () => {
    expect(drawChart([], 100, 1, { columns: 10, rows: 1 })).toBeUndefined();
    expect(drawChart([{ at: 500, value: 1 }], 100, 1, { columns: 10, rows: 1 })).toBeUndefined();
  });
});

describe('drawTrack', () => {
  const size = { columns: 6, rows: 3 };
  const at = (latitude: number, longitude: number, secs = 0): Place => ({
    at: secs,
    latitude,
    longitude,
  });

  it('draws north up', () => {
    expect(drawTrack([at(47, 8), at(47.01, 8)], size)).toEqual(['⡇', '⡇', '⡇']);
    expect(drawTrack([at(47, 8), at(47, 8.01)], size)).toEqual(['⠉⠉⠉⠉⠉⠉']);
  });

  it('draws to scale: a square on the ground is a square of dots', () => {
    const square = [at(0, 0.01), at(0.01, 0.01), at(0.01, 0.02), at(0, 0.02), at(0, 0.01)];
    expect(drawTrack(square, size)).toEqual(['⡏⠉⠉⠉⠉⢹', '⡇⠀⠀⠀⠀⢸', '⣇⣀⣀⣀⣀⣸']);
    expect(drawTrack(square, { ...size, ascii: true })).toEqual([":'''':", ':    :', ':....:']);
  });

  it('crosses the date line', () => {
    expect(drawTrack([at(0, 179.99), at(0, -179.99)], size)).toEqual(['⠉⠉⠉⠉⠉⠉']);
  });

  it('does not connect positions that are far apart in time', () => {
    const [line = ''] = drawTrack([at(0, 8), at(0, 8.01, 3600)], size);
    expect(line).toBe('⠁⠀⠀⠀⠀⠈');
  });

  it('draws nothing for fewer than two positions', () => {
    expect(drawTrack([], size)).toEqual([]);
    expect(drawTrack([at(47, 8)], size)).toEqual([]);
    expect(drawTrack([at(47, 8), at(47.00001, 8.00001)], size)).toEqual([]);
  });

  it('keeps to its size for any track', () => {
    const place = fc.record({
      at: fc.integer({ min: 0, max: 10_000 }),
      latitude: fc.double({ min: -90, max: 90, noNaN: true }),
      longitude: fc.double({ min: -180, max: 180, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(place, { maxLength: 8 }), (places) => {
        const lines = drawTrack(places, size);
        expect(lines.length).toBeLessThanOrEqual(size.rows);
        expect(new Set(lines.map(({ length }) => length)).size).toBeLessThanOrEqual(1);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(size.columns);
      }),
    );
  });
});
