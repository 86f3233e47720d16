import { foodsHeld, sha256 } from '../support/acceptance.ts';
import { type Finished, ndjson } from '../support/program.ts';
import { type Food, foodKey } from './cargo.ts';
import { judgeOutput } from './judge.ts';
import type { Scene } from './scene.ts';

/** What a command claims if it reports its delivery. */
export interface Claim {
  readonly recordings: ReadonlyMap<string, Uint8Array>;
  readonly wellness: ReadonlyMap<string, Readonly<Record<string, number>>>;
  /** By day: foods that the day then holds, and keys of those that it then lacks. */
  readonly foods: ReadonlyMap<
    string,
    { readonly held: readonly Food[]; readonly gone: readonly string[] }
  >;
  readonly profile?: { readonly weight: number; readonly ftp: number };
}

/** The claim of a command that sends nothing. */
export const NOTHING: Claim = { recordings: new Map(), wellness: new Map(), foods: new Map() };

export type Line = Readonly<Record<string, unknown>>;

const COUNTED: readonly unknown[] = ['uploaded', 'duplicate', 'pushed', 'skipped'];
/** Only `sync undo` ends so: no summary counts it. */
const DELIVERED: readonly unknown[] = [...COUNTED, 'undone'];
const FATES = [...COUNTED, 'invalid', 'rejected', 'conflict', 'failed'];

/** Exit codes by the code of a failure. */
const EXIT_CODES: Readonly<Record<string, number>> = {
  USAGE: 2,
  CONFIG: 2,
  INPUT_INVALID: 3,
  AUTH_REQUIRED: 4,
  AUTH_EXPIRED: 4,
  AUTH_REFUSED: 4,
  SCOPE_MISSING: 4,
  NETWORK: 5,
  SERVICE_UNAVAILABLE: 5,
  SERVICE_ANSWER: 6,
  FATE_UNKNOWN: 5,
  BUSY: 5,
  FOLDER_GONE: 5,
  KEYCHAIN_LOCKED: 5,
  REJECTED: 6,
  INTERRUPTED: 130,
};
/** An item that failed may arrive later: what the service answers ends by 5 then. */
const LATER: readonly unknown[] = ['SERVICE_ANSWER', 'REJECTED'];
/** What keeps `seed` from setting a profile, while its data are complete: it ends by 0. */
const EXPECTED_OF_PROFILE: readonly unknown[] = ['SCOPE_MISSING', 'REJECTED', 'SERVICE_ANSWER'];
const PRECEDENCE = [130, 1, 2, 4, 5, 6, 3, 0];

/** Compares what a run with `--json` says with what the platform holds, and with its exit code. */
export function judgeReport(scene: Scene, label: string, finished: Finished, claim: Claim): void {
  const { round, world } = scene;
  const { code, stdout } = finished;
  const wrong = (what: string) => round.failed('wrong report', `${label}: ${what}`);
  const lines = judgeLines(scene, label, finished, claim);
  const codes = lines.flatMap((line) => exitCodesOf(line, wrong));
  const expected = PRECEDENCE.find((each) => codes.includes(each)) ?? 0;
  if (code !== expected) {
    wrong(`exit ${String(code)}, not ${expected}, for ${stdout}`);
  }
  judgeSummary(lines, wrong);
  if (code !== 0) return;
  const { control } = world.sandbox;
  const held = control.state('athlete-1').athletes[0];
  for (const [name, bytes] of claim.recordings) {
    if (control.recordingBytes(sha256(bytes)) === null) wrong(`exit 0, but ${name} is not there`);
  }
  for (const date of claim.wellness.keys()) {
    if (!held?.wellness.some((day) => day.date === date)) wrong(`exit 0, but not ${date}`);
  }
  if (claim.profile !== undefined) {
    const { weight = 0, ftp } = held?.profile ?? {};
    if (Math.abs(weight - claim.profile.weight) > 0.01 || ftp !== claim.profile.ftp) {
      wrong(`exit 0, but the profile has ${weight} kg and ${String(ftp)} W`);
    }
  }
}

/**
 * Judges what a process with `--json` printed that the round started itself. Of a killed process, and of a watcher
 * that runs until it is ended, only the lines count.
 */
export function judgeProcess(
  scene: Scene,
  args: readonly string[],
  finished: Finished,
  claim: Claim,
): void {
  const { code, stdout, stderr } = finished;
  const command = args.join(' ');
  scene.round.note(`$ sync ${command} -> ${String(code)}\n${stdout}${stderr}`);
  judgeOutput(scene.round, command, finished);
  const isEndless = args.includes('watch') && !args.includes('--once');
  const judge = code === null || isEndless ? judgeLines : judgeReport;
  judge(scene, command, finished, claim);
}

/** Compares each line that says that an item was delivered with what the platform holds. @returns all lines */
export function judgeLines(
  { round, world, cargo }: Scene,
  label: string,
  { stdout }: Finished,
  claim: Claim,
): Line[] {
  const wrong = (what: string) => round.failed('wrong report', `${label}: ${what}`);
  const { control } = world.sandbox;
  // A killed process may leave half a line.
  const lines = ndjson(stdout.slice(0, stdout.lastIndexOf('\n') + 1));
  const held = control.state('athlete-1').athletes[0];
  for (const line of lines.filter(isDelivery)) {
    const { type, date, reason, sha256: hash } = line;
    if (type === 'upload' && (reason === undefined || reason === 'already-uploaded')) {
      if (control.recordingBytes(String(hash)) === null) wrong(`${shown(line)} is not there`);
    }
    if (type === 'wellness') {
      const day = held?.wellness.find((each) => each.date === date)?.record;
      for (const [name, value] of Object.entries(claim.wellness.get(String(date)) ?? {})) {
        if (day?.[name] !== value) wrong(`${shown(line)}: ${name} is ${String(day?.[name])}`);
      }
    }
    if (type === 'nutrition' && reason !== 'undone') {
      const keys = foodsHeld(world.sandbox, String(date)).map(foodKey);
      const { held: due = [], gone = [] } = claim.foods.get(String(date)) ?? {};
      const left = JSON.stringify(line['warnings'] ?? []);
      for (const food of due) {
        const key = foodKey(food);
        // An undo that was interrupted had begun with it.
        const isNamed = left.includes(`"${food.name},`) || / more\b/.test(left);
        if (cargo.removed.has(key) || (left.includes('taken back') && isNamed)) continue;
        if (!keys.includes(key)) wrong(`${shown(line)}: ${key} is not there`);
      }
      for (const key of gone) {
        if (keys.includes(key)) wrong(`${shown(line)}: ${key} is still there`);
      }
    }
  }
  return lines;
}

/** Returns the exit codes that a line stands for. */
function exitCodesOf(line: Line, wrong: (what: string) => void): number[] {
  const { type, outcome, code, message, hint } = line;
  if (type === 'seed-profile') {
    const codes = (line['unset'] as readonly Line[]).map((field) => field['code']);
    return codes
      .filter((each) => !EXPECTED_OF_PROFILE.includes(each))
      .map((each) => EXIT_CODES[String(each)] ?? 1);
  }
  const failed = type === 'error' || outcome === 'failed';
  if (failed || outcome === 'rejected' || outcome === 'conflict') {
    if (typeof message !== 'string' || message === '') wrong(`no message: ${shown(line)}`);
    // A refusal is final: its message says it all.
    const needsHint = failed && code !== 'REJECTED';
    if (needsHint && (typeof hint !== 'string' || hint === '')) wrong(`no hint: ${shown(line)}`);
  }
  if (failed) {
    const exit = type !== 'error' && LATER.includes(code) ? 5 : EXIT_CODES[String(code)];
    if (exit === undefined) wrong(`unexpected code: ${shown(line)}`);
    return [exit ?? 1];
  }
  if (outcome === 'rejected' || outcome === 'conflict') return [6];
  if (outcome === 'invalid' || type === 'import-unreadable') return [3];
  return outcome === undefined || DELIVERED.includes(outcome) ? [] : [1];
}

/** Compares the counts of the summary with the lines. */
function judgeSummary(lines: readonly Line[], wrong: (what: string) => void): void {
  const summary = lines.find(({ type }) => type === 'summary');
  if (summary === undefined) return;
  for (const fate of FATES) {
    const stated = summary[String(fate)];
    const counted = lines.filter((line) => line['outcome'] === fate).length;
    // Recordings of folders that were sent before have no lines of their own.
    if (typeof stated !== 'number' || stated === counted || fate === 'skipped') continue;
    wrong(`the summary counts ${stated} ${String(fate)}, not ${counted}`);
  }
}

function isDelivery({ outcome }: Line): boolean {
  return DELIVERED.includes(outcome);
}

function shown(line: Line): string {
  return JSON.stringify(line).slice(0, 500);
}
