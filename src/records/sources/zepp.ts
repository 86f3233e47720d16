import { type MappingRule, type Source, wellness } from './types.ts';

/** Days and nights without the watch have zeros. */
const minutes = (from: string, ...and: string[]): MappingRule => ({
  ...{ from, and, factor: 60, none: [0] },
});

export const zepp: Source = {
  name: 'zepp',
  title: 'Zepp export (Amazfit, Zepp Life, Mi Fit)',
  howTo:
    'In the Zepp or Zepp Life app: Profile > Settings > About > Exercise User Rights > Export Data. The link and the password of the archive arrive by e-mail; unpack it.',
  evidence: [
    'https://github.com/oliexdev/openScale/issues/669',
    'MVFofanov/mifit_analyzer src/mifit_analyzer/sleep/sleep.py',
  ],
  files: [
    wellness('csv', 'nights', {
      // SLEEP. `date` is the day of waking; naps are left out.
      has: ['date', 'deepSleepTime', 'shallowSleepTime', 'wakeTime'],
      day: { from: 'date' },
      fields: {
        sleepSecs: minutes('shallowSleepTime', 'deepSleepTime', 'REMTime'),
        sleepDeepSecs: minutes('deepSleepTime'),
        sleepLightSecs: minutes('shallowSleepTime'),
        sleepRemSecs: minutes('REMTime'),
        sleepAwakeSecs: minutes('wakeTime'),
      },
    }),
    wellness('csv', 'daily steps', {
      // ACTIVITY. What its `calories` count is not known.
      has: ['date', 'steps', 'distance', 'runDistance'],
      day: { from: 'date' },
      fields: {
        steps: { from: 'steps', none: [0] },
        distanceMeters: { from: 'distance', none: [0] },
      },
    }),
    wellness('csv', 'weights', {
      // BODY. Only the height tells the people of a scale apart.
      has: [['time', 'timestamp'], 'weight', 'fatRate', 'bodyWaterRate'],
      person: 'height',
      day: { from: ['time', 'timestamp'] },
      fields: {
        weight: { from: 'weight', decimals: 2 },
        bodyFat: { from: 'fatRate', decimals: 1, none: [0] },
      },
    }),
  ],
};
