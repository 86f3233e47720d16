import { describe, expect, it } from 'vitest';
import { makeRecording } from '../support/fit-maker.ts';
import { type PlainAnswer, openPlainWorld } from '../support/plain-platform.ts';

/** Answers of a platform that took something: the interface shows none. */
const TAKEN: readonly (readonly [string, PlainAnswer])[] = [
  ['200 {}', {}],
  ['200 {"success": true}', { body: { success: true } }],
  ['200 {"ok": true, "error": null}', { body: { ok: true, error: null } }],
  ['201 {"id"}', { status: 201, body: { id: 'w1' } }],
  ['201 without a body', { status: 201, body: '' }],
  ['202 {"status": "queued"}', { status: 202, body: { status: 'queued' } }],
  ['200 without a body', { body: '' }],
  ['204', { status: 204 }],
  ['200 OK as a text', { body: 'OK', type: 'text/plain' }],
  ['200 OK as HTML', { body: 'OK', type: 'text/html; charset=utf-8' }],
  ['200 with a list', { body: [{ id: 'w1' }] }],
];

const DAY = '2026-05-10';

describe.each(TAKEN)('a platform that answers %s', (_what, answer) => {
  it('has a recording, a wellness day and a nutrition day after one request each', async () => {
    const world = await openPlainWorld({ upload: answer, wellness: answer, nutrition: answer });
    const { platform, sync, write } = world;
    write('ride.fit', makeRecording());
    write('wellness.json', JSON.stringify([{ date: DAY, restingHr: 48 }]));
    const item = { name: 'Gel', carbs: 25, logged_at: `${DAY}T08:00:00Z` };
    write('food.json', JSON.stringify([{ date: DAY, items: [item] }]));
    const commands = [
      ['upload', 'ride.fit'],
      ['push', 'wellness', 'wellness.json'],
      ['push', 'nutrition', 'food.json'],
    ];
    for (const command of [...commands, ...commands]) {
      expect(await sync(command)).toMatchObject({ code: 0 });
    }
    const posts = platform.lines().filter((line) => line.startsWith('POST '));
    expect(posts).toEqual([
      'POST /api/workouts/upload-fit',
      'POST /api/wellness',
      'POST /api/nutrition',
    ]);
    expect(platform.recordings.size).toBe(1);
    expect(platform.wellness.get(DAY)).toEqual({ date: DAY, restingHr: 48 });
    expect(platform.nutrition.get(DAY)).toMatchObject({ items: [{ name: 'Gel', carbs: 25 }] });
  });
});
