import { anything, count, flag, texts } from '../fields.ts';
import { line, variant } from '../line-kind.ts';
import { profileRequests } from './shared.ts';

const NAMED = 'the platform names it';

const WORKOUT = line('workout', {
  about:
    'A workout of the platform; the newest comes first. The fields are those of the platform, unchanged; only its field `type` has another name here: `sport`. Usual fields are:',
  commands: ['workouts'],
  fields: {
    id: anything('Identifier of the workout.', NAMED),
    date: anything('When it began.', NAMED),
    title: anything('The title.', NAMED),
    sport: anything('The kind of sport, such as `Ride`.', NAMED),
    durationSec: anything('Duration.', NAMED),
    distanceMeters: anything('Distance.', NAMED),
    averageWatts: anything('Average power.', NAMED),
    averageHr: anything('Average heart rate.', NAMED),
  },
  open: true,
});

const WORKOUTS = line('workouts', {
  about: "The platform's answer, if it is not a list of workouts.",
  commands: ['workouts'],
  fields: { body: anything('The unchanged answer.') },
});

const WORKOUT_SUMMARY = line('summary of workouts', {
  about: 'How many workouts were listed; the last line.',
  commands: ['workouts'],
  fields: {
    total: count('Workouts that were listed.'),
    more: flag('Whether the platform has more than `--limit`.'),
  },
});

const PROFILE = line('profile', {
  about: "The athlete's profile at the platform.",
  commands: ['profile'],
  fields: {},
  by: ['action', 'The action.'],
  variants: [
    variant('shown', 'the profile was read', {
      profile: anything('The unchanged profile, or what userinfo has of it; weights are in kg.'),
      warnings: texts('What the platform does not show.', 'it shows only a part'),
    }),
    variant('updated', 'the profile was changed', {
      profile: anything('The unchanged profile; weights are in kg.', 'the platform returns it'),
      warnings: texts('What the platform did otherwise, as sentences.', 'it did something else'),
    }),
    variant('would-update', '`--dry-run`: it would be changed', {
      requests: profileRequests,
    }),
  ],
});

export const PLATFORM_LINES = [WORKOUT, WORKOUTS, WORKOUT_SUMMARY, PROFILE];
