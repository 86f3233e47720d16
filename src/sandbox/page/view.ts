import { setImmediate } from 'node:timers/promises';
import { factsOf, readFit } from '../resources/workout.ts';
import type { World } from '../world.ts';
import { drawingOf } from './drawing.ts';

/** Days of wellness and nutrition that the page shows, the newest. */
const DAYS = 28;
const LISTED = 30;
const REQUESTS = 100;
/** Recordings that stay decoded. */
const DECODED = 200;

export type PageView = Readonly<Awaited<ReturnType<ReturnType<typeof pageReader>>>>;
export type ListedRecording = PageView['recordings'][number];

/** Returns a function that reads the page's data. It changes nothing: a queued recording stays queued. */
export function pageReader({ athletes, recordings, daily, faults, settings, requests }: World) {
  const decoded = new Map<string, Awaited<ReturnType<typeof decode>>>();

  /** Decodes each recording once, while it is among the newest that the page showed. */
  async function decodeOnce(sha256: string, athleteId: string) {
    const known = decoded.get(sha256);
    if (known !== undefined) return known;
    // Decoding one takes up to a second; requests are answered in between.
    await setImmediate();
    const found = await decode(recordings.bytes(sha256, athleteId));
    decoded.set(sha256, found);
    const [oldest] = decoded.keys();
    if (decoded.size > DECODED && oldest !== undefined) decoded.delete(oldest);
    return found;
  }

  /** @param id of the athlete to show; by default, and for an unknown one, the first */
  return async (origin: string, id = '') => {
    const athlete = athletes.has(id) ? athletes.get(id) : athletes.first();
    const states = recordings.list(athlete.id);
    const listed = [];
    for (const state of states.slice(-LISTED)) {
      listed.push({ state, ...(await decodeOnce(state.sha256, athlete.id)) });
    }
    listed.sort((a, b) => (b.facts?.startedAt ?? 0) - (a.facts?.startedAt ?? 0));
    return {
      origin,
      settings: settings.current,
      athletes: athletes.all().map((each) => ({
        athlete: each,
        recordings: recordings.list(each.id).length,
        wellness: daily.list(each.id, 'wellness').length,
        nutrition: daily.list(each.id, 'nutrition').length,
      })),
      athlete,
      recordings: listed,
      /** Recordings that are not listed. */
      further: states.length - listed.length,
      wellness: daily.list(athlete.id, 'wellness').slice(-DAYS),
      nutrition: daily.list(athlete.id, 'nutrition').slice(-DAYS),
      faults: faults.list().filter(({ hitsLeft }) => hitsLeft !== 0),
      requests: requests.list().slice(-REQUESTS).reverse(),
    };
  };
}

async function decode(bytes: Uint8Array | null) {
  const { sessions, records } = await readFit(bytes ?? new Uint8Array());
  return { facts: factsOf(sessions), drawing: drawingOf(records) };
}
