import {
  amount,
  count,
  flag,
  list,
  nullable,
  object,
  sha256,
  text,
  texts,
  time,
  whole,
  word,
} from '../fields.ts';
import { line, variant } from '../line-kind.ts';
const SAYS_SO = 'the file says so';

const CADENCE_UNITS = {
  rpm: 'revolutions per minute',
  spm: 'steps per minute',
  'strokes/min': 'strokes per minute',
};

function averages(about: string) {
  return object(about, {
    power: amount('W', 'Average power.', SAYS_SO),
    heartRate: amount('bpm', 'Average heart rate.', SAYS_SO),
    cadence: amount('in `cadenceUnit`', 'Average cadence.', 'the sport has one, and it is known'),
    cadenceUnit: word('Unit of the cadence.', '`cadence` is present', CADENCE_UNITS),
  });
}

const SESSION = {
  sport: text('The kind of sport.', SAYS_SO),
  subSport: text('The variety of the sport.', SAYS_SO),
  startTime: time('When it began.', SAYS_SO),
  elapsedSecs: amount('s', 'Duration with pauses.', SAYS_SO),
  timerSecs: amount('s', 'Duration without pauses.', SAYS_SO),
  distanceMeters: amount('m', 'Distance.', SAYS_SO),
  poolLengthMeters: amount('m', 'Length of the pool.', SAYS_SO),
  poolLengths: count('Lengths of the pool that were swum.', SAYS_SO),
};

const RECORDING = line('recording', {
  about: 'What a recording holds.',
  commands: ['inspect'],
  fields: { path: text('The file as the command line names it.') },
  by: ['state', 'Whether the recording is complete.'],
  variants: [
    variant('unreadable', 'the file cannot be read', { detail: text('Why, as a sentence.') }),
    variant(
      {
        whole: 'it is complete',
        incomplete: 'the end is missing',
        corrupt: 'the content is damaged',
        'not-fit': 'it is no FIT file',
      },
      {
        sha256: sha256('SHA-256 of the recording, unpacked.'),
        size: whole('bytes', 'Size of the recording, unpacked.'),
        problem: text(
          'What is wrong: `recording`, `missing-bytes`, `header-cut`, `crc`, `zero-tail`, `trailing-bytes`, or what a file is that is no FIT file, such as `gpx`.',
          '`state` is not `whole`',
        ),
        detail: text('The problem as a sentence.', '`state` is not `whole`'),
        readableBytes: count(
          'Bytes before the first byte that cannot be decoded.',
          'it cannot be decoded to its end',
        ),
        segments: count('FIT segments in the file.', '`state` is `whole`'),
        holds: text('What the file is, such as `an activity`.', '`state` is not `not-fit`'),
        isSent: flag('Whether `sync upload` sends it: a whole activity.'),
        hasWellness: flag(
          'Whether it is no activity and holds wellness: `sync push wellness` sends it.',
        ),
        device: object('The device that recorded it.', SAYS_SO, {
          id: text('Identifier of the device, as an upload sends it.'),
          manufacturer: text('The manufacturer: a name or a number.', SAYS_SO),
          product: text('The product: a name or a number.', SAYS_SO),
          serial: count('The serial number.', SAYS_SO),
        }),
        name: text('The name under which it would be uploaded.', SAYS_SO),
        startTime: time('When it began.', SAYS_SO),
        localStartTime: time("The same instant with the athlete's offset.", SAYS_SO),
        elapsedSecs: amount('s', 'Duration with pauses.', SAYS_SO),
        timerSecs: amount('s', 'Duration without pauses.', SAYS_SO),
        distanceMeters: amount('m', 'Distance.', SAYS_SO),
        ascentMeters: amount('m', 'Ascent.', SAYS_SO),
        maxDepthMeters: amount('m', 'Greatest depth of a dive.', SAYS_SO),
        calories: amount('kcal', 'Energy.', SAYS_SO),
        fromRecords: texts(
          'Fields above that are from the records, as no session states them: `elapsedSecs`, `distanceMeters`.',
        ),
        maxima: object("The device's maxima. Without one, the greatest value of the records.", {
          power: amount('W', 'Greatest power.', SAYS_SO),
          heartRate: amount('bpm', 'Greatest heart rate.', SAYS_SO),
          speedMetersPerSec: amount('m/s', 'Greatest speed.', SAYS_SO),
        }),
        averages: averages(
          "The device's averages. Without one, the mean of the records: of heart rate and cadence without zeroes.",
        ),
        recordedAverages: averages(
          "Means of the records, each only if it contradicts the device's average.",
        ),
        sessions: list('Its sessions.', SESSION),
        laps: count('Number of laps.'),
        records: count('Number of samples.'),
        recordedSecs: amount('s', 'Time from the first to the last sample.', 'it has samples'),
        developerFields: list('Fields that an app on the device added.', {
          name: text('The name.'),
          units: text('The unit.', SAYS_SO),
        }),
      },
    ),
  ],
});

const REPAIR = line('repair', {
  about: 'A copy of a recording that was not whole.',
  commands: ['repair'],
  fields: { path: text('The file as the command line names it.') },
  by: ['outcome', 'What was done.'],
  variants: [
    variant('whole', 'nothing: the recording is complete', {
      copy: text('Path of an unchanged copy.', '`--out` names one'),
    }),
    variant('repaired', 'the copy is written', {
      copy: text('Path of the copy.'),
      sha256: sha256('SHA-256 of the copy.'),
      size: whole('bytes', 'Size of the copy.'),
      problem: text('The problem of the original, as in the line `recording`.'),
      detail: text('The problem as a sentence.'),
      isDoubtful: flag(
        'Whether values in the copy may be wrong: the damage is more than a missing end.',
      ),
      records: count('Number of samples in the copy.'),
      startTime: time('Time of the first sample.', 'it has one'),
      endTime: time('Time of the last sample.', 'it has one'),
      cutBytes: count('Bytes at the end of the original that are not in the copy.'),
      droppedBytes: count('Bytes between messages of the copy that are not in it.'),
      lostSecs: amount('s', 'Time after the last sample, by the summary of the device.'),
      hasSession: flag(
        'Whether the copy has the summary (`session`) that the device writes at the end.',
      ),
    }),
  ],
});

const CONVERT = line('convert', {
  about: 'The FIT recording that an activity in a GPX or TCX file becomes.',
  commands: ['convert'],
  fields: { path: text('The file as the command line names it; the second activity with `#2`.') },
  by: ['outcome', 'Whether there is a recording.'],
  variants: [
    variant('invalid', 'the file, or a part of it, is no recorded activity', {
      reason: word('Why.', {
        'not-an-activity': 'a route, a plan, or something else that was not recorded',
        incomplete: 'the end of the file is missing',
        corrupt: 'the file is damaged',
      }),
      problem: text('Why, as a sentence.'),
    }),
    variant('converted', 'there is one', {
      copy: text('Path of the recording.', '`--out` names a file'),
      sha256: sha256('SHA-256 of the recording.'),
      size: whole('bytes', 'Size of the recording.'),
      digest: sha256('Identifies the activity in every version of the program.'),
      name: text('The name of the track, which becomes that of the workout.', SAYS_SO),
      startTime: time('When it began.'),
      elapsedSecs: amount('s', 'Duration with pauses.'),
      timerSecs: amount('s', 'Duration without pauses.'),
      distanceMeters: amount('m', 'Distance.', 'it is known'),
      records: count('Number of samples.'),
      laps: count('Number of laps.'),
      gaps: list('Times without values, of more than 10 s.', {
        channel: text('What is missing, such as `heart rate`.'),
        secs: amount('s', 'How long, in all.'),
      }),
      notes: texts('What was left out of the file, as sentences.'),
    }),
  ],
});

const FINDING = line('finding', {
  about: 'A check of this machine.',
  commands: ['doctor'],
  fields: {
    check: word('Subject of the check.', {
      config: 'the settings',
      folders: 'who else can change the settings and the state',
      disk: 'free space for the state',
      state: 'the record of sent data',
      keychain: 'where logins are stored',
      zone: 'the zone that decides about days',
      proxy: 'the proxy of the environment',
      service: 'whether the platform answers',
      clock: "this machine's clock",
      login: 'the login',
      node: 'the Node.js that runs the program',
      'zone-data': 'the release of the time zone data',
      watch: 'whether folders can be watched, and watched folders answer',
      name: 'which program the name `sync` starts',
    }),
    state: word('The result.', {
      good: 'it works',
      odd: 'it may fail some day',
      bad: 'it does not work',
    }),
    message: text('The result as a sentence.'),
    hint: text('How to fix it.', 'there is a way'),
  },
});

const SETTING = line('setting', {
  about: 'A setting of the profile.',
  commands: ['config get', 'config set', 'config unset', 'config list'],
  fields: {
    key: text('Its name.'),
    value: nullable(text('Its value'), 'if it has none.'),
    origin: word('Where the value comes from.', {
      flag: 'the command line',
      environment: 'a variable',
      profile: 'the configuration file',
      system: 'the configuration file for all users of this machine',
      default: 'the program',
    }),
    profile: text('Name of the profile.'),
  },
});

const PATHS = line('paths', {
  about: 'Where this program keeps its files.',
  commands: ['config path'],
  fields: {
    configFile: text('The configuration file.'),
    systemFile: text('The configuration file for all users of this machine; it need not exist.'),
    stateDir: text('The folder of the record of sent data and the logs.'),
  },
});

const COMPLETION = line('completion', {
  about: 'The completion script of a shell.',
  commands: ['completion'],
  fields: { shell: text('The shell.'), script: text('The script.') },
});

const LINE_SUMMARY = line('summary of lines', {
  about:
    'How many lines there are; the last line, also of a run that was interrupted and cannot sum up more.',
  commands: [
    ...['sources', 'sources FILE', 'config list', 'doctor', 'inspect', 'daemon logs'],
    ...['undo upload', 'verify --days', 'verify', 'seed', 'watch'],
  ],
  fields: { total: count('All lines before it.') },
});

export const LOCAL_LINES = [
  RECORDING,
  REPAIR,
  CONVERT,
  FINDING,
  SETTING,
  PATHS,
  COMPLETION,
  LINE_SUMMARY,
];
