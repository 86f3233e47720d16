import { type Finished, ndjson } from '../support/program.ts';
import { foodsHeld } from '../support/acceptance.ts';
import { type SentFood, judgeFoods, judgeOutput, judgeRecordings, judgeWellness } from './judge.ts';
import type { Round } from './kind.ts';
import type { Control } from '../../src/sandbox/types.ts';

export interface Food extends SentFood {
  /** g */
  readonly carbs: number;
}

/** All that a round sends. The platform holds nothing else afterwards. */
export interface Sent {
  /** By file name. */
  readonly recordings?: ReadonlyMap<string, Uint8Array>;
  /** By date. */
  readonly wellness?: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly foods?: readonly Food[];
  /** Days without food, such as those of `sync undo`. */
  readonly emptyDays?: readonly string[];
  readonly profile?: { readonly weight: number; readonly ftp: number };
}

type Findings = Pick<Round, 'failed'>;
interface Platform {
  readonly control: Control;
}

/** Compares all that the platform holds with all that was sent. */
export function judgePlatform(round: Findings, platform: Platform, sent: Sent): void {
  const { recordings = new Map(), wellness = new Map(), foods = [], emptyDays = [] } = sent;
  judgeRecordings(round, platform, recordings);
  judgeWellness(round, platform, wellness);
  const days = new Set([...foods.map(({ date }) => date), ...emptyDays]);
  judgeFoods(round, platform, [...days], foods);
  for (const { date, name, carbs } of foods) {
    const held = foodsHeld(platform, date).find((item) => item.name === name);
    if (held !== undefined && held.carbs !== carbs) {
      round.failed('lost', `${date} ${name}: ${String(held.carbs)} g instead of ${carbs} g`);
    }
  }
  if (sent.profile === undefined) return;
  const { weight, ftp } = platform.control.state('athlete-1').athletes[0]?.profile ?? {};
  if (weight !== sent.profile.weight || ftp !== sent.profile.ftp) {
    round.failed('lost', `the profile has ${String(weight)} kg and ${String(ftp)} W`);
  }
}

/**
 * Judges a run, also one that was killed: what it printed, and every outcome that says that the
 * platform holds an item. Exit code 0 says that it holds all.
 */
export function judgeRun(
  round: Round,
  platform: Platform,
  sent: Sent,
  args: readonly string[],
  run: Finished,
): void {
  const command = `sync ${args.join(' ')}`;
  round.note(`${command}: ${String(run.code)}\n${run.stdout}${run.stderr}`);
  judgeOutput(round, command, run);
  const missing: string[] = [];
  // Other runs may have sent more.
  const note: Findings['failed'] = (failure, what) => {
    if (failure !== 'wrong report') missing.push(what);
  };
  judgePlatform({ failed: note }, platform, sent);
  if (run.code === 0 && missing.length > 0) {
    round.failed('wrong report', `${command} ended with 0, but: ${missing.join('; ')}`);
  }
  if (!args.includes('--json')) return;
  // A killed process may leave half a line.
  const whole = run.stdout.slice(0, run.stdout.lastIndexOf('\n') + 1);
  for (const line of ndjson(whole)) {
    if (!saysDelivered(line)) continue;
    const about = missing.filter((what) => concerns(what, line, sent));
    if (about.length > 0) {
      const text = JSON.stringify(line);
      round.failed('wrong report', `${command} printed ${text}, but: ${about.join('; ')}`);
    }
  }
}

type Line = Readonly<Record<string, unknown>>;

function saysDelivered({ outcome, reason }: Line): boolean {
  if (outcome === 'skipped') return reason === 'already-uploaded' || reason === 'unchanged';
  return outcome === 'uploaded' || outcome === 'duplicate' || outcome === 'pushed';
}

/** Whether a finding of the judge is about the item of a line. */
function concerns(finding: string, { type, path, date }: Line, sent: Sent): boolean {
  switch (type) {
    case 'upload': {
      const names = [...(sent.recordings?.keys() ?? [])];
      const name = names.find((each) => String(path).endsWith(`/${each}`));
      return name !== undefined && finding.startsWith(name);
    }
    case 'wellness':
      return finding.startsWith(`wellness of ${String(date)}`);
    case 'nutrition':
      return finding.startsWith(String(date));
    default:
      return false;
  }
}
