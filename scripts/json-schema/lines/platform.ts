import { anything, count, flag, texts, valueOf } from '../fields.ts';
import type { LineKind } from '../line-kind.ts';
import { profileRequests } from './shared.ts';

const NAMED = 'the platform names it';

const WORKOUT: LineKind = {
  types: ['workout'],
  about:
    'A workout of the platform; the newest comes first. The fields are those of the platform, unchanged; only its field `type` has another name here: `sport`. Usual fields are:',
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
};

const WORKOUTS: LineKind = {
  types: ['workouts'],
  about: "The platform's answer, if it is not a list of workouts.",
  commands: ['workouts'],
  fields: { body: anything('The unchanged answer.') },
};

const WORKOUT_SUMMARY: LineKind = {
  types: ['summary'],
  of: 'workouts',
  about: 'How many workouts were listed; the last line.',
  commands: ['workouts'],
  fields: {
    total: count('Workouts that were listed.'),
    more: flag('Whether the platform has more than `--limit`.'),
  },
};

const PROFILE: LineKind = {
  types: ['profile'],
  about: "The athlete's profile at the platform.",
  commands: ['profile'],
  fields: {},
  variants: {
    by: 'action',
    about: 'The action.',
    each: [
      {
        is: { shown: 'the profile was read' },
        fields: {
          profile: anything(
            'The unchanged profile, or what userinfo has of it; weights are in kg.',
          ),
          warnings: texts('What the platform does not show.', 'it shows only a part'),
        },
      },
      {
        is: { updated: 'the profile was changed' },
        fields: {
          profile: anything('The unchanged profile; weights are in kg.', 'the platform returns it'),
          warnings: texts(
            'What the platform did otherwise, as sentences.',
            'it did something else',
          ),
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
};

export const PLATFORM_LINES = [WORKOUT, WORKOUTS, WORKOUT_SUMMARY, PROFILE];
