import { describe, expect, it } from 'vitest';
import type { SandboxSettings } from '../../src/sandbox/settings.ts';
import { type World, foodsHeld, openLoggedInWorld, requestCounts } from '../support/acceptance.ts';
import { makeRecording } from '../support/fit-maker.ts';

const DATE = '2026-02-15';
const day = (...names: string[]) =>
  JSON.stringify({
    date: DATE,
    items: names.map((name) => ({ name, carbs: 25, logged_at: `${DATE}T10:00:00+01:00` })),
  });

const open = (settings: Partial<SandboxSettings>) =>
  openLoggedInWorld({ platform: 'interface', sandbox: { settings } });

/** Sends a recording, a wellness day and a nutrition day. @returns the exit code of each */
async function sendAll(world: World): Promise<(number | null)[]> {
  world.write('ride.fit', makeRecording({ seed: 1 }));
  world.write('wellness.json', JSON.stringify({ date: DATE, hrv: 61.5 }));
  world.write('food.json', day('Gel', 'Oats'));
  const runs = [
    await world.sync(['upload', 'ride.fit']),
    await world.sync(['push', 'wellness', 'wellness.json']),
    await world.sync(['push', 'nutrition', 'food.json']),
  ];
  return runs.map(({ code }) => code);
}

function held({ sandbox }: World) {
  const [state] = sandbox.control.state().athletes;
  return {
    recordings: state?.recordings.map(({ receivedCount }) => receivedCount),
    wellness: state?.wellness.map(({ record }) => record),
    foods: foodsHeld(sandbox, DATE).map(({ name }) => name),
  };
}

const ALL = { recordings: [1], wellness: [{ hrv: 61.5 }], foods: ['Gel', 'Oats'] };

describe('a platform that has the interface document alone', () => {
  it.each(['object', 'id', 'empty', 'created', 'accepted', 'no-content', 'text'] as const)(
    'took each item, if it answers by %s, and gets nothing twice',
    async (answers) => {
      const world = await open({ answers });
      expect(await sendAll(world)).toEqual([0, 0, 0]);
      expect(held(world)).toEqual(ALL);
      world.sandbox.control.clearRequests();
      expect(await sendAll(world)).toEqual([0, 0, 0]);
      const { 'upload-fit': uploads, wellness, nutrition } = requestCounts(world.sandbox);
      expect([uploads, wellness, nutrition]).toEqual([undefined, undefined, undefined]);
    },
  );

  it.each([404, 405, 403, 400, 422, 'object', 'page'] as const)(
    'takes each kind of data, and keeps a nutrition day, if it answers unknown routes by %s',
    async (unknownRoutes) => {
      const world = await open({ unknownRoutes });
      expect(await sendAll(world)).toEqual([0, 0, 0]);
      expect(held(world)).toEqual(ALL);
      // Another file of the day: it is sent whole, and never emptied on the way.
      world.write('more.json', day('Bar'));
      expect((await world.sync(['push', 'nutrition', 'more.json'])).code).toBe(0);
      expect(held(world).foods.toSorted()).toEqual(['Bar', 'Gel', 'Oats']);
      const bodies = world.sandbox.control.requests({ route: 'nutrition' }).map(({ body }) => body);
      expect(bodies).not.toContainEqual(expect.objectContaining({ items: [] }));
    },
  );
});
