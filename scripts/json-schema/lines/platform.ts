import * as f from '../fields.ts';
import { line, openLine, summary } from '../line-kind.ts';
import { profileRequests } from './shared.ts';

const NAMED = 'the platform names it';

export const PLATFORM_LINES = {
  workout: openLine(
    'workouts',
    'A workout of the platform; the newest comes first. The fields are those of the platform, unchanged; only its field `type` has another name here: `sport`. Usual fields are:',
    {
      id: f.anything('Identifier of the workout; text if no number holds it.', NAMED),
      date: f.anything('When it began.', NAMED),
      title: f.anything('The title.', NAMED),
      sport: f.anything('The kind of sport, such as `Ride`.', NAMED),
      durationSec: f.anything('Duration.', NAMED),
      distanceMeters: f.anything('Distance.', NAMED),
      averageWatts: f.anything('Average power.', NAMED),
      averageHr: f.anything('Average heart rate.', NAMED),
    },
  ),

  workouts: line('workouts', "The platform's answer, if it is not a list of workouts.", {
    body: f.anything('The unchanged answer.'),
  }),

  'summary of workouts': summary('workouts', 'How many workouts were listed', {
    total: f.count('Workouts that were listed.'),
    more: f.flag('Whether the platform has more, or may have.'),
  }),

  profile: line('profile', "The athlete's profile at the platform.", {
    action: f.variants('The action.', [
      f.variant('shown', 'the profile was read', {
        profile: f.anything(
          'The unchanged profile, or what userinfo has of it; weights are in kg.',
        ),
        warnings: f.texts('What the platform does not show.', 'it shows only a part'),
      }),
      f.variant('updated', 'the profile was changed', {
        profile: f.anything('The unchanged profile; weights are in kg.', 'the platform returns it'),
        warnings: f.texts(
          'What the platform did otherwise, as sentences.',
          'it did something else',
        ),
      }),
      f.variant('would-update', '`--dry-run`: it would be changed', {
        requests: profileRequests,
      }),
    ]),
  }),
};
