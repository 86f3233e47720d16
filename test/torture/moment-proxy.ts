import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { openServer } from '../support/local-server.ts';
import type { Finished, Running } from '../support/program.ts';
import type { World } from '../support/world.ts';
import type { Round } from './kind.ts';

/** Moments in the life of a request, in order. */
const MOMENTS = [
  'before the request',
  'after half of the request',
  'before the answer',
  'after half of the answer',
  'after the answer',
] as const;
type Moment = (typeof MOMENTS)[number];

/** What happens to one request. */
interface Strike {
  readonly moment: Moment;
  /** The strike is for the nth request, from 0, among those to this path. */
  readonly nth: number;
  readonly path: RegExp | undefined;
  /** Time between the moment and the strike (ms). */
  readonly delayMs: number;
  /** Kills the program, for example. */
  readonly hit: () => void;
}

export interface MomentProxy {
  readonly url: string;
  /** Arms the proxy. It passes everything on until then, and again after the strike. */
  arm(strike: Strike): void;
  /** Disarms the proxy. Returns whether the strike hit. */
  disarm(): boolean;
}

/**
 * Awaits a program, which is hit at a random moment of one of its requests.
 *
 * @param path of that request; default: any of the first ones
 */
export async function strike(
  round: Round,
  proxy: MomentProxy,
  running: Running,
  hit: () => void,
  path?: RegExp,
): Promise<{ readonly finished: Finished; readonly hasHit: boolean }> {
  const { random } = round;
  const moment = random.pick(MOMENTS);
  // The earlier requests are always there; later ones reach further into the run.
  const nth = path === undefined ? Math.min(random.integer(0, 6), random.integer(0, 6)) : 0;
  // Some milliseconds are between an answer and its record in the ledger.
  const delayMs = moment === 'after the answer' ? random.integer(0, 40) : 0;
  round.note(`strike ${moment} ${path?.source ?? nth}, ${delayMs} ms later`);
  proxy.arm({ moment, nth, path, delayMs, hit });
  const finished = await running.finished;
  return { finished, hasHit: proxy.disarm() };
}

/** Opens a proxy that knows how far each request is. Closes with the test. */
export async function openMomentProxy({ sandbox }: World): Promise<MomentProxy> {
  let armed: Strike | undefined;
  let seen = 0;
  let hasHit = false;

  /** Returns the strike for this request, once. */
  const take = ({ url = '' }: IncomingMessage): Strike | undefined => {
    if (armed === undefined || armed.path?.test(url) === false) return undefined;
    if (seen++ !== armed.nth) return undefined;
    return armed;
  };
  const { url } = await openServer((incoming, outgoing) => {
    const strike = take(incoming);
    const strikeAt = async (moment: Moment) => {
      if (strike?.moment !== moment) return false;
      await sleep(strike.delayMs);
      // The program may have ended meanwhile, with a request in flight.
      if (armed !== strike) return false;
      hasHit = true;
      strike.hit();
      return true;
    };
    pass(incoming, outgoing, sandbox.url, strikeAt).catch(() => incoming.socket.destroy());
  });
  return {
    url,
    arm: (strike) => {
      armed = strike;
      seen = 0;
      hasHit = false;
    },
    disarm: () => {
      armed = undefined;
      return hasHit;
    },
  };
}

/** Passes one exchange on. A strike ends it where it is. */
async function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  target: string,
  strikeAt: (moment: Moment) => Promise<boolean>,
): Promise<void> {
  const { method, headers, url = '' } = incoming;
  if (await strikeAt('before the request')) return;
  const body = await buffer(incoming);
  const onwards = request(new URL(url, target), { method, headers });
  onwards.on('error', () => outgoing.destroy());
  const half = body.subarray(0, body.length / 2);
  if (half.length > 0) onwards.write(half);
  if (await strikeAt('after half of the request')) {
    onwards.destroy();
    return;
  }
  onwards.end(body.subarray(half.length));
  const [answer] = (await once(onwards, 'response')) as [IncomingMessage];
  const answered = await buffer(answer);
  if (await strikeAt('before the answer')) return;
  outgoing.writeHead(answer.statusCode ?? 502, {
    'content-type': answer.headers['content-type'] ?? 'text/plain',
    'content-length': answered.length,
    ...(answer.headers.location === undefined ? {} : { location: answer.headers.location }),
  });
  const start = answered.subarray(0, answered.length / 2);
  outgoing.write(start);
  if (await strikeAt('after half of the answer')) {
    outgoing.destroy();
    return;
  }
  outgoing.end(answered.subarray(start.length));
  await strikeAt('after the answer');
}
