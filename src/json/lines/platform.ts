import { anything, count, flag, texts, valueOf } from '../fields.ts';
import type { LineKind } from '../line-kind.ts';
import { profileRequests } from './shared.ts';

const NAMED = 'the service names it';

const WORKOUT: LineKind = {
  types: ['workout'],
  about:
    'A workout of the platform; the newest comes first. The fields are those of the service, unchanged; only its field `type` has another name here: `sport`. Usual fields are:',
  commands: ['workouts'],
  fields: {
    id: valueOf('string', 'Identifier of the workout.', NAMED),
    date: valueOf('time', 'When it began.', NAMED),
    title: valueOf('string', 'The title.', NAMED),
    sport: valueOf('string', 'The kind of sport, such as `Ride`.', NAMED),
    durationSec: valueOf('number, s', 'Duration.', NAMED),
    distanceMeters: valueOf('number, m', 'Distance.', NAMED),
    averageWatts: valueOf('number, W', 'Average power.', NAMED),
    averageHr: valueOf('number, bpm', 'Average heart rate.', NAMED),
  },
  open: true,
  examples: [
    {
      id: 'workout-17',
      date: '2026-02-15T06:10:00.000Z',
      title: 'Morning Ride',
      sport: 'Ride',
      durationSec: 3600,
      distanceMeters: 30120.5,
      averageWatts: 201,
      averageHr: 141,
    },
  ],
};

const WORKOUTS: LineKind = {
  types: ['workouts'],
  about: "The service's answer, if it is not a list of workouts.",
  commands: ['workouts'],
  fields: { body: anything('The unchanged answer.') },
  examples: [{ body: { message: 'soon' } }],
};

const WORKOUT_SUMMARY: LineKind = {
  types: ['summary'],
  of: 'workouts',
  about: 'How many workouts were listed; the last line.',
  commands: ['workouts'],
  fields: {
    total: count('Workouts that were listed.'),
    more: flag('Whether the service has more than `--limit`.'),
  },
  examples: [{ total: 20, more: true }],
};

const PROFILE: LineKind = {
  types: ['profile'],
  about: "The athlete's profile at the service.",
  commands: ['profile'],
  fields: {},
  variants: {
    by: 'action',
    about: 'The action.',
    each: [
      {
        is: { shown: 'the profile was read' },
        fields: { profile: anything('The unchanged profile; weights are in kg.') },
      },
      {
        is: { updated: 'the profile was changed' },
        fields: {
          profile: anything('The unchanged profile; weights are in kg.', 'the service returns it'),
          warnings: texts('What the service did otherwise, as sentences.', 'it did something else'),
        },
      },
      {
        is: { 'would-update': '`--dry-run`: it would be changed' },
        fields: {
          requests: profileRequests,
        },
      },
    ],
  },
  examples: [
    {
      action: 'shown',
      profile: { id: 'athlete-1', name: 'Ada Example', weight: 62.5, weightUnits: 'Kilograms' },
    },
    { action: 'updated', profile: { id: 'athlete-1', weight: 61.2 } },
    {
      action: 'would-update',
      requests: [
        {
          method: 'PATCH',
          url: 'https://training.example.com/api/profile',
          body: { ftp: 250 },
        },
      ],
    },
  ],
};

export const PLATFORM_LINES = [WORKOUT, WORKOUTS, WORKOUT_SUMMARY, PROFILE];
