import * as f from '../fields.ts';
import { line } from '../line-kind.ts';
const SAYS_SO = 'the file says so';

const CADENCE_UNITS = {
  rpm: 'revolutions per minute',
  spm: 'steps per minute',
  'strokes/min': 'strokes per minute',
};

function averages(about: string) {
  return f.object(about, {
    power: f.amount('W', 'Average power.', SAYS_SO),
    heartRate: f.amount('bpm', 'Average heart rate.', SAYS_SO),
    cadence: f.amount('in `cadenceUnit`', 'Average cadence.', 'the sport has one, and it is known'),
    cadenceUnit: f.word('Unit of the cadence.', '`cadence` is present', CADENCE_UNITS),
  });
}

const SESSION = {
  sport: f.text('The kind of sport.', SAYS_SO),
  subSport: f.text('The variety of the sport.', SAYS_SO),
  startTime: f.time('When it began.', SAYS_SO),
  elapsedSecs: f.amount('s', 'Duration with pauses.', SAYS_SO),
  timerSecs: f.amount('s', 'Duration without pauses.', SAYS_SO),
  distanceMeters: f.amount('m', 'Distance.', SAYS_SO),
  poolLengthMeters: f.amount('m', 'Length of the pool.', SAYS_SO),
  poolLengths: f.count('Lengths of the pool that were swum.', SAYS_SO),
};

export const LOCAL_LINES = {
  recording: line('inspect', 'What a recording holds.', {
    path: f.text('The file as the command line names it.'),
    state: f.variants('Whether the recording is complete.', [
      f.variant('unreadable', 'the file cannot be read', { detail: f.text('Why, as a sentence.') }),
      f.variantOf(
        {
          whole: 'it is complete',
          incomplete: 'the end is missing',
          corrupt: 'the content is damaged',
          'not-fit': 'it is no FIT file',
        },
        {
          sha256: f.sha256('SHA-256 of the recording, unpacked.'),
          size: f.bytes('Size of the recording, unpacked.'),
          problem: f.text(
            'What is wrong: `recording`, `missing-bytes`, `header-cut`, `crc`, `zero-tail`, `trailing-bytes`, or what a file is that is no FIT file, such as `gpx`.',
            '`state` is not `whole`',
          ),
          detail: f.text('The problem as a sentence.', '`state` is not `whole`'),
          readableBytes: f.count(
            'Bytes before the first byte that cannot be decoded.',
            'it cannot be decoded to its end',
          ),
          segments: f.count('FIT segments in the file.', '`state` is `whole`'),
          holds: f.text('What the file is, such as `an activity`.', '`state` is not `not-fit`'),
          isSent: f.flag('Whether `sync upload` sends it: a whole activity.'),
          hasWellness: f.flag(
            'Whether it is no activity and holds wellness: `sync push wellness` sends it.',
          ),
          device: f.object('The device that recorded it.', SAYS_SO, {
            id: f.text('Identifier of the device, as an upload sends it.'),
            manufacturer: f.text('The manufacturer: a name or a number.', SAYS_SO),
            product: f.text('The product: a name or a number.', SAYS_SO),
            serial: f.count('The serial number.', SAYS_SO),
          }),
          name: f.text('The name under which it would be uploaded.', SAYS_SO),
          startTime: f.time('When it began.', SAYS_SO),
          localStartTime: f.time("The same instant with the athlete's offset.", SAYS_SO),
          elapsedSecs: f.amount('s', 'Duration with pauses.', SAYS_SO),
          timerSecs: f.amount('s', 'Duration without pauses.', SAYS_SO),
          distanceMeters: f.amount('m', 'Distance.', SAYS_SO),
          ascentMeters: f.amount('m', 'Ascent.', SAYS_SO),
          maxDepthMeters: f.amount('m', 'Greatest depth of a dive.', SAYS_SO),
          calories: f.amount('kcal', 'Energy.', SAYS_SO),
          fromRecords: f.texts(
            'Fields above that are from the records, as no session states them: `elapsedSecs`, `distanceMeters`.',
          ),
          maxima: f.object("The device's maxima. Without one, the greatest value of the records.", {
            power: f.amount('W', 'Greatest power.', SAYS_SO),
            heartRate: f.amount('bpm', 'Greatest heart rate.', SAYS_SO),
            speedMetersPerSec: f.amount('m/s', 'Greatest speed.', SAYS_SO),
          }),
          averages: averages(
            "The device's averages. Without one, the mean of the records: of heart rate and cadence without zeroes.",
          ),
          recordedAverages: averages(
            "Means of the records, each only if it contradicts the device's average.",
          ),
          sessions: f.list('Its sessions.', SESSION),
          laps: f.count('Number of laps.'),
          records: f.count('Number of samples.'),
          recordedSecs: f.amount('s', 'Time from the first to the last sample.', 'it has samples'),
          developerFields: f.list('Fields that an app on the device added.', {
            name: f.text('The name.'),
            units: f.text('The unit.', SAYS_SO),
          }),
        },
      ),
    ]),
  }),

  repair: line('repair', 'A copy of a recording that was not whole.', {
    path: f.text('The file as the command line names it.'),
    outcome: f.variants('What was done.', [
      f.variant('whole', 'nothing is repaired: the recording is complete', {
        copy: f.text('Path of an unchanged copy.', '`--out` names one'),
      }),
      f.variant('repaired', 'the copy is written', {
        copy: f.text('Path of the copy.'),
        sha256: f.sha256('SHA-256 of the copy.'),
        size: f.bytes('Size of the copy.'),
        problem: f.text('The problem of the original, as in the line `recording`.'),
        detail: f.text('The problem as a sentence.'),
        isDoubtful: f.flag(
          'Whether values in the copy may be wrong: the damage is more than a missing end.',
        ),
        records: f.count('Number of samples in the copy.'),
        startTime: f.time('Time of the first sample.', 'it has one'),
        endTime: f.time('Time of the last sample.', 'it has one'),
        cutBytes: f.count('Bytes at the end of the original that are not in the copy.'),
        droppedBytes: f.count('Bytes between messages of the copy that are not in it.'),
        lostSecs: f.amount('s', 'Time after the last sample, by the summary of the device.'),
        hasSession: f.flag(
          'Whether the copy has the summary (`session`) that the device writes at the end.',
        ),
      }),
    ]),
  }),

  convert: line('convert', 'The FIT recording that an activity in a GPX or TCX file becomes.', {
    path: f.text('The file as the command line names it; the second activity with `#2`.'),
    outcome: f.variants('Whether there is a recording.', [
      f.variant('invalid', 'the file, or a part of it, is no recorded activity', {
        reason: f.word('Why.', {
          'not-an-activity': 'a route, a plan, or something else that was not recorded',
          incomplete: 'the end of the file is missing',
          corrupt: 'the file is damaged',
        }),
        problem: f.text('Why, as a sentence.'),
      }),
      f.variant('converted', 'there is one', {
        copy: f.text('Path of the recording.', '`--out` names a file'),
        sha256: f.sha256('SHA-256 of the recording.'),
        size: f.bytes('Size of the recording.'),
        digest: f.sha256('Identifies the activity in every version of the program.'),
        name: f.text('The name of the track, which becomes that of the workout.', SAYS_SO),
        startTime: f.time('When it began.'),
        elapsedSecs: f.amount('s', 'Duration with pauses.'),
        timerSecs: f.amount('s', 'Duration without pauses.'),
        distanceMeters: f.amount('m', 'Distance.', 'it is known'),
        records: f.count('Number of samples.'),
        laps: f.count('Number of laps.'),
        gaps: f.list('Times without values, of more than 10 s.', {
          channel: f.text('What is missing, such as `heart rate`.'),
          secs: f.amount('s', 'How long, in all.'),
        }),
        notes: f.texts('What was left out of the file, as sentences.'),
      }),
    ]),
  }),

  finding: line('doctor', 'A check of this machine.', {
    check: f.word('Subject of the check.', {
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
    state: f.word('The result.', {
      good: 'it works',
      odd: 'it may fail some day',
      bad: 'it does not work',
    }),
    message: f.text('The result as a sentence.'),
    hint: f.text('How to fix it.', 'there is a way'),
  }),

  setting: line('config get, config set, config unset, config list', 'A setting of the profile.', {
    key: f.text('Its name.'),
    value: f.nullable(f.text('Its value'), 'if it has none.'),
    origin: f.word('Where the value comes from.', {
      flag: 'the command line',
      environment: 'a variable',
      profile: 'the configuration file',
      system: 'the configuration file for all users of this machine',
      default: 'the program',
    }),
    profile: f.text('Name of the profile.'),
  }),

  paths: line('config path', 'Where this program keeps its files.', {
    configFile: f.text('The configuration file.'),
    systemFile: f.text('The configuration file for all users of this machine; it need not exist.'),
    stateDir: f.text('The folder of the record of sent data and the logs.'),
  }),

  completion: line('completion', 'The completion script of a shell.', {
    shell: f.text('The shell.'),
    script: f.text('The script.'),
  }),

  'summary of lines': line(
    'sources, sources FILE, config list, doctor, inspect, daemon logs, undo upload, verify --days, verify, seed, watch',
    'How many lines there are; the last line, also of a run that was interrupted and cannot sum up more.',
    { total: f.count('All lines before it.') },
  ),
};
