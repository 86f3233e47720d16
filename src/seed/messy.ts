import {
  daysOf,
  recordingOf,
  type CompleteDay,
  type DaySetting,
  type SyntheticDay,
  type SyntheticRecording,
  type Variation,
} from './day.ts';
import { DEVICES } from './athlete.ts';
import { planDay, type TrainingPlan } from './plan.ts';
import { type Random, stream } from './random.ts';
import { homeIn } from './route.ts';
import { nightRide, plannedStress } from './workouts.ts';

/** Days in which each kind of mess occurs about once. */
const PERIOD = 14;

/** Periods from one trip to the next. */
const TRIP_EVERY = 6;

/** Zones of trips. */
const ZONES = [
  'America/Los_Angeles',
  'America/New_York',
  'Europe/London',
  'Asia/Dubai',
  'Asia/Tokyo',
  'Australia/Sydney',
] as const;

/** Smallest difference between the zones of a trip and the athlete (h). */
const FAR = 4;

/** The part of a broken recording that the device wrote. */
const WRITTEN = 0.7;

/** A day's mess. A day of a flight has no data, so that nothing overlaps when the zone changes. */
type Mess =
  | 'none'
  | 'no-data'
  | 'no-wellness'
  | 'no-nutrition'
  | 'abroad'
  | 'night-ride'
  | 'broken'
  | 'copy'
  | 'second-device';

/** Makes days like those of a real account, oldest first. */
export function* messyDaysOf(setting: DaySetting, days: number): Generator<SyntheticDay, void> {
  const account = new MessyAccount(setting);
  let daysBefore = days;
  for (const day of daysOf(setting, days, account)) {
    daysBefore--;
    yield account.spoil(day, daysBefore);
  }
}

/**
 * Decides the mess of each day, for a period at a time. Periods count back from the last day, so that
 * more days do not change the others.
 */
class MessyAccount implements Variation {
  readonly #setting: DaySetting;
  /** The period that was asked for last. */
  #period: { readonly number: number; readonly days: readonly Mess[] } = { number: -1, days: [] };

  constructor(setting: DaySetting) {
    this.#setting = setting;
  }

  plan(index: number): TrainingPlan {
    const { athlete, calendar } = this.#setting;
    const daysBefore = index - athlete.character.raceIn;
    const usual = planDay(athlete, index);
    switch (this.#messOn(daysBefore)) {
      case 'no-data':
        return { ...usual, workout: null, stress: 0 };
      case 'night-ride': {
        // From before the repeated hour to its second run.
        const startMinute = (calendar.repeatedSecond(daysBefore) ?? 0) / 60 + 20;
        const random = stream(athlete.seed, 'night ride', index);
        const workout = { ...nightRide(random), startMinute };
        return { ...usual, ill: false, workout, stress: plannedStress(workout) };
      }
      default:
        return usual;
    }
  }

  settingOn(daysBefore: number): DaySetting {
    if (this.#messOn(daysBefore) !== 'abroad') return this.#setting;
    const { athlete, calendar } = this.#setting;
    const hours = calendar.standardOffsetHours();
    const trips = ZONES.map((zone) => calendar.elsewhere(zone)).filter(
      (there) => Math.abs(there.standardOffsetHours() - hours) >= FAR,
    );
    const random = stream(athlete.seed, 'trip', Math.floor(daysBefore / PERIOD));
    const there = trips[random.integer(0, trips.length - 1)] ?? calendar;
    return { ...this.#setting, calendar: there, home: homeIn(there.standardOffsetHours()) };
  }

  /** Removes or adds what the day's mess says. */
  spoil(day: CompleteDay, daysBefore: number): SyntheticDay {
    const [first, ...others] = day.recordings;
    const mess = this.#messOn(daysBefore);
    if (mess === 'no-data') return { ...day, wellness: null, nutrition: null };
    if (mess === 'no-wellness') return { ...day, wellness: null };
    if (mess === 'no-nutrition') return { ...day, nutrition: null };
    if (first === undefined) return day;
    if (mess === 'broken') return { ...day, recordings: [broken(first), ...others] };
    if (mess === 'copy') return { ...day, recordings: [first, copied(first), ...others] };
    if (mess !== 'second-device') return day;
    return { ...day, recordings: [first, this.#again(daysBefore), ...others] };
  }

  /** Records the first workout of a day with a second device. */
  #again(daysBefore: number): SyntheticRecording {
    const { athlete } = this.#setting;
    const { character, seed } = athlete;
    const index = daysBefore + character.raceIn;
    const random = stream(seed, 'second device', index);
    const { workout } = planDay(athlete, index);
    if (workout === null) throw new RangeError(`No workout ${daysBefore} days before the end`);
    const device = DEVICES.running.find(({ product }) => product !== character.device.product);
    const owner = {
      ...athlete,
      serial: (athlete.serial ^ 2) >>> 0,
      character: { ...character, device: device ?? character.device },
    };
    const startMinute = workout.startMinute + random.integer(15, 60) / 60;
    const setting = { ...this.#setting, athlete: owner };
    const recording = recordingOf(setting, daysBefore, { ...workout, startMinute });
    return { ...recording, fault: 'second-device' };
  }

  #messOn(daysBefore: number): Mess {
    const number = Math.floor(daysBefore / PERIOD);
    if (number !== this.#period.number) this.#period = { number, days: this.#decide(number) };
    return this.#period.days[daysBefore % PERIOD] ?? 'none';
  }

  /** Returns the mess of each day of a period, the last day first. */
  #decide(number: number): Mess[] {
    const { athlete, calendar } = this.#setting;
    const random = stream(athlete.seed, 'mess', number);
    const days = Array.from({ length: PERIOD }, (_, day): Mess => {
      const isClockChange = calendar.repeatedSecond(number * PERIOD + day) !== null;
      return isClockChange ? 'night-ride' : 'none';
    });
    if (number % TRIP_EVERY === 0) addTrip(days, random);
    const first = number * PERIOD + athlete.character.raceIn;
    const hasWorkout = (day: number) => planDay(athlete, first + day).workout !== null;
    const any = () => true;
    // An account has only one broken recording.
    if (number === 0) addTo(days, 'broken', hasWorkout, random);
    addTo(days, 'second-device', hasWorkout, random);
    addTo(days, 'copy', hasWorkout, random);
    addTo(days, 'no-wellness', any, random);
    addTo(days, 'no-nutrition', any, random);
    // The last day has data.
    addTo(days, 'no-data', (day) => day > 0, random);
    return days;
  }
}

/** Adds a trip of a few days, and the flights around it, on days without a clock change. */
function addTrip(days: Mess[], random: Random): void {
  const length = random.integer(5, 6);
  const starts = days
    .map((_, day) => day)
    .filter((day) => {
      const trip = days.slice(day, day + length);
      return day > 0 && trip.length === length && trip.every((mess) => mess === 'none');
    });
  const from = starts[random.integer(0, starts.length - 1)];
  if (from === undefined) return;
  days.fill('no-data', from, from + length).fill('abroad', from + 1, from + length - 1);
}

/** Gives one of the days without mess this one; none if none fits. */
function addTo(days: Mess[], mess: Mess, fits: (day: number) => boolean, random: Random): void {
  const free = days.flatMap((each, day) => (each === 'none' && fits(day) ? [day] : []));
  const chosen = free[random.integer(0, free.length - 1)];
  if (chosen !== undefined) days[chosen] = mess;
}

function broken(recording: SyntheticRecording): SyntheticRecording {
  const { bytes } = recording;
  return {
    ...recording,
    bytes: bytes.slice(0, Math.round(bytes.length * WRITTEN)),
    fault: 'broken',
  };
}

function copied(recording: SyntheticRecording): SyntheticRecording {
  const fileName = recording.fileName.replace('.fit', ' (1).fit');
  return { ...recording, fileName, fault: 'copy' };
}
