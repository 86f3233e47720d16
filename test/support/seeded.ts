import { MEALS } from '../../src/sandbox/resources/nutrition-day.ts';
import type { World } from './world.ts';

/** What `sync seed` put into the first athlete's account of a sandbox. */

export const heldBy = (world: World) => {
  const [athlete] = world.sandbox.control.state('athlete-1').athletes;
  if (athlete === undefined) throw new Error('no such athlete');
  const { recordings, wellness, nutrition, profile } = athlete;
  return { recordings, wellness, nutrition, profile };
};

/** A stored day of nutrition without the numbers that the service gives its items. */
const withoutIds = (day: Record<string, unknown>) => ({
  ...day,
  ...Object.fromEntries(
    MEALS.map((meal) => [
      meal,
      (day[meal] as readonly object[]).map((item) => ({ ...item, id: undefined })),
    ]),
  ),
});

/** The stored data and the profile, without times and IDs of the service. */
export const contentsOf = (world: World) => {
  const { recordings, wellness, nutrition, profile } = heldBy(world);
  const plain = ({ date, record }: { date: string; record: unknown }) => ({ date, record });
  return {
    profile: { ...profile, weighedAt: undefined },
    recordings: recordings.map((recording) => recording.sha256).sort(),
    wellness: wellness.map(plain),
    nutrition: nutrition.map(({ date, record }) => ({
      date,
      record: withoutIds(record as Record<string, unknown>),
    })),
  };
};

/** The scopes that `sync login` asks for: days of nutrition cannot be read with them. */
export const USUAL_SCOPES = {
  scopes: [
    ...(['workout:read', 'workout:write', 'health:write', 'nutrition:write'] as const),
    ...(['profile:read', 'profile:write'] as const),
  ],
};
