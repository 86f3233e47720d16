import { setImmediate } from 'node:timers/promises';
import type { SandboxSettings } from '../settings.ts';
import { factsOf, readFit, type WorkoutFacts } from '../resources/workout.ts';
import type { World } from '../world.ts';
import { viewOf, type RecordingView } from './recording-view.ts';
import type {
  ActiveFault,
  AnsweredRequest,
  AthleteProfile,
  DailyState,
  LoginState,
  RecordingState,
  RequestRecord,
} from '../types.ts';

export interface PageView {
  readonly origin: string;
  readonly clientId: string;
  readonly settings: SandboxSettings;
  readonly athletes: readonly AthleteCard[];
  readonly athlete: AthleteProfile;
  readonly recordings: readonly ListedRecording[];
  readonly further: number;
  readonly selected: ListedRecording | null;
  /** By date; the newest {@link DAYS}. */
  readonly wellness: readonly DailyState[];
  /** By date; the newest {@link DAYS}. */
  readonly nutrition: readonly DailyState[];
  readonly faults: readonly ActiveFault[];
  /** Newest first. */
  readonly logins: readonly ListedLogin[];
  /** Newest first. */
  readonly requests: readonly RequestRecord[];
  readonly requestCount: number;
  readonly opened: AnsweredRequest | undefined;
}

interface AthleteCard {
  readonly athlete: AthleteProfile;
  readonly recordings: number;
  readonly wellness: number;
  readonly nutrition: number;
}

export interface ListedRecording {
  readonly state: RecordingState;
  /** null if the recording has no session. */
  readonly facts: WorkoutFacts | null;
  readonly view: RecordingView | null;
}

export interface ListedLogin {
  readonly athlete: string;
  readonly state: LoginState;
  readonly valid: ReadonlySet<'access' | 'refresh'>;
}

/** Days of wellness and nutrition that the page shows. */
const DAYS = 28;
const LISTED = 30;
const REQUESTS = 100;
const LOGINS = 20;
/** Recordings that stay decoded. */
const DECODED = 200;

export interface Selection {
  readonly athlete?: string | undefined;
  readonly recording?: string | undefined;
  /** The ordinal of the opened request. */
  readonly request?: string | undefined;
}

type Decoded = Pick<ListedRecording, 'facts' | 'view'>;

/** Reads the page's data. Changes nothing: a queued recording stays queued. */
export class PageReader {
  readonly #world: World;
  readonly #decoded = new Map<string, Decoded>();

  constructor(world: World) {
    this.#world = world;
  }

  async read(origin: string, clientId: string, selection: Selection): Promise<PageView> {
    const { athletes, recordings, daily, faults, grants, settings, requests } = this.#world;
    const { athlete: id = '' } = selection;
    const athlete = athletes.has(id) ? athletes.get(id) : athletes.first();
    const states = recordings.list(athlete.id);
    const listed: ListedRecording[] = [];
    for (const state of states.slice(-LISTED)) {
      listed.push({ state, ...(await this.#decode(state.sha256, athlete.id)) });
    }
    listed.sort((a, b) => (b.facts?.startedAt ?? 0) - (a.facts?.startedAt ?? 0));
    return {
      origin,
      clientId,
      settings: settings.current,
      athletes: athletes.all().map((each) => ({
        athlete: each,
        recordings: recordings.list(each.id).length,
        wellness: daily.list(each.id, 'wellness').length,
        nutrition: daily.list(each.id, 'nutrition').length,
      })),
      athlete,
      recordings: listed,
      further: states.length - listed.length,
      selected:
        listed.find(({ state }) => state.sha256 === selection.recording) ??
        listed.find(({ view }) => view !== null) ??
        listed[0] ??
        null,
      wellness: daily.list(athlete.id, 'wellness').slice(-DAYS),
      nutrition: daily.list(athlete.id, 'nutrition').slice(-DAYS),
      faults: faults.list().filter(({ hitsLeft }) => hitsLeft !== 0),
      logins: athletes.ids
        .flatMap((each) =>
          grants.loginsOf(each).map((state) => ({
            athlete: athletes.get(each).name,
            state,
            valid: grants.validTokens(state.id),
          })),
        )
        .sort((a, b) => b.state.createdAt.localeCompare(a.state.createdAt))
        .slice(0, LOGINS),
      requests: requests.list().slice(-REQUESTS).reverse(),
      requestCount: requests.count,
      opened: requests.find(Number(selection.request)),
    };
  }

  /** Decodes each recording once, while it is among the newest that the page showed. */
  async #decode(sha256: string, athleteId: string): Promise<Decoded> {
    const known = this.#decoded.get(sha256);
    if (known !== undefined) return known;
    // Decoding one takes up to a second; requests are answered in between.
    await setImmediate();
    const bytes = this.#world.recordings.bytes(sha256, athleteId);
    const { sessions, records } = await readFit(bytes ?? new Uint8Array());
    const decoded = { facts: factsOf(sessions), view: viewOf(records) };
    this.#decoded.set(sha256, decoded);
    const [oldest] = this.#decoded.keys();
    if (this.#decoded.size > DECODED && oldest !== undefined) this.#decoded.delete(oldest);
    return decoded;
  }
}
