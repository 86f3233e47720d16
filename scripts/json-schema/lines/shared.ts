import * as v from 'valibot';
import * as f from '../fields.ts';
import { outcomesOf } from '../../../src/app/outcomes.ts';
import type { ErrorCode } from '../../../src/base/errors.ts';

/** Every `code` of a failure. */
export const ERROR_CODES: Readonly<Record<ErrorCode, string>> = {
  USAGE: 'the command line is wrong',
  CONFIG: 'a setting is missing or wrong',
  INPUT_INVALID: 'a file or a record cannot be used',
  FOLDER_GONE: 'a folder is gone: the device was unplugged',
  AUTH_REQUIRED: 'there is no login for this profile',
  AUTH_EXPIRED: 'the platform no longer accepts the login',
  AUTH_REFUSED: 'the athlete or the platform refused the login',
  AUTH_TIMEOUT: 'the login was not approved in time',
  SCOPE_MISSING: 'the login lacks a scope',
  KEYCHAIN_MISSING: 'there is no keychain',
  KEYCHAIN_LOCKED: 'the keychain is locked, or does not answer; try later',
  PORT_IN_USE: 'the port is taken',
  NETWORK: 'no connection, a broken connection, or no answer in time',
  SERVICE_UNAVAILABLE: 'the platform cannot answer now (5xx, 408, 429)',
  SERVICE_ANSWER: 'the answer of the platform cannot be read',
  REJECTED: 'the platform refused the request (4xx)',
  FATE_UNKNOWN: 'sent, but not answered: sending it again might double it',
  BUSY: 'another process holds a lock',
  STORAGE: "this machine's disk or database failed",
  INTERRUPTED: 'Ctrl-C or another signal',
  INTERNAL: 'a fault of this program; please report it',
};

const code = f.fieldsOf(v.picklist(Object.keys(ERROR_CODES) as ErrorCode[]));

/** The code of a failure; its meanings are shown once, with the error line. */
export function errorCode<TWhen extends f.When = undefined>(when?: TWhen) {
  return code('What failed: a code of the `error` line.', when);
}

/** Why something failed. */
export function failure<TWhen extends f.When = undefined>(when?: TWhen) {
  return {
    code: errorCode(when),
    message: f.text('What failed and why, as a sentence.', when),
    hint: f.text('What to do or to type next.', when ?? 'there is something to do'),
  };
}

/** The athlete that a login belongs to. */
export const account = {
  id: f.text("The platform's identifier of the athlete."),
  name: f.text('The name.', 'the platform names it'),
  email: f.text('The email address.', 'the platform names it'),
};

const STATES_IT = 'the recording states it';

/** A recording as the athlete knows it. */
const ACTIVITY = {
  name: f.text('Display name.', 'the sport is known or a name was given'),
  startedAt: f.time(
    'When it began, with the offset that the device recorded, else in UTC.',
    STATES_IT,
  ),
  durationSecs: f.amount('s', 'Time without pauses.', STATES_IT),
  distanceMeters: f.amount('m', 'Distance.', STATES_IT),
};

export const activity = {
  activity: f.object('The activity.', 'the recording was read and states something', ACTIVITY),
};

/** Set if an upload is known to be accepted, and no more. */
export const accepted = {
  accepted: f.flag(
    'Always true: the platform accepts recordings without naming them.',
    'it never named one',
  ),
};

/** Set in lines of `sync seed --accounts`, which prints lines of several accounts. */
export const accountName = {
  account: f.text(
    'The account in the `--accounts` file.',
    '`sync seed --accounts` prints the line',
  ),
};

/** An HTTP request that `--dry-run` shows. */
export const request = {
  method: f.word('The HTTP method.', { GET: 'reads', POST: 'sends', PATCH: 'changes' }),
  url: f.text('The address; only its path if no address is configured.'),
  body: f.openObject('The JSON body.', 'the request has one'),
};

/** The requests that change a profile, as `--dry-run` shows them. */
export const profileRequests = f.list('The requests.', {
  method: f.word('The HTTP method.', { GET: 'reads', PATCH: 'changes' }),
  url: f.text('The address.'),
  body: f.openObject('The JSON body.', 'the request has one'),
  when: f.text('The condition on which it is sent.', 'there is one'),
});

/** Returns a count for each of these outcomes. */
export function outcomeCounts(outcomes: readonly string[], when?: string) {
  return Object.fromEntries(
    outcomes.map((outcome) => [outcome, f.count(`Items with the outcome \`${outcome}\`.`, when)]),
  );
}

/** Returns a count for each outcome of recordings or of days. */
export function itemCounts(...of: Parameters<typeof outcomesOf>[0]) {
  return {
    ...outcomeCounts(outcomesOf(of, false)),
    ...outcomeCounts(outcomesOf(of, true), '`--dry-run` found one'),
  };
}

/** Why a file cannot be sent. */
export const INVALID_REASONS = {
  'not-fit': 'no FIT file',
  incomplete: 'the end of the file is missing',
  corrupt: 'the content is damaged',
  'not-an-activity': 'a FIT file of another kind',
  unreadable: 'the file cannot be read',
};

/** A recording in the record of sent data. */
export const sentRecording = {
  path: f.text('The file that was sent last.'),
  sha256: f.sha256('SHA-256 of the recording, unpacked.'),
  ...activity,
};

/** The kind of a record, and its day. */
export const recordKind = f.word('Kind of the record.', {
  wellness: 'wellness',
  nutrition: 'nutrition',
});

export const ATTEMPTS = 'Requests of this run that were to change it, repetitions included.';
