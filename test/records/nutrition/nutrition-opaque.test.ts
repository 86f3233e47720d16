import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/base/secret.ts';
import { clientOf } from '../../support/delivery.ts';
import { type TinyRequest, openTinyService } from '../../support/tiny-service.ts';
import {
  BAR,
  GEL,
  RICE,
  day,
  dayOn,
  daysAhead,
  notesOf,
  openMachine,
  outcomesOf,
} from './delivery-support.ts';

type Answer = readonly [status: number, body: unknown];
const TAKEN: Answer = [200, { success: true }];
const REPLACES = 'it is taken to replace a day that is sent again, as its interface says';
const OPAQUE_NOTE = `the service does not show what a day holds; ${REPLACES}`;
const REFUSED_NOTE = `the service takes no day without items, so what a day holds cannot be learned; ${REPLACES}`;

/** A service with `POST /api/nutrition` alone, and a computer that pushes to it. */
async function open(answer: (request: TinyRequest, count: number) => Answer) {
  let count = 0;
  const service = await openTinyService({
    'POST /api/nutrition': (request) => answer(request, count++),
    'GET /api/oauth/userinfo': [200, { sub: 'athlete-1' }],
  });
  const { client } = clientOf(
    { url: service.url, control: { mint: () => ({ access_token: 'token' }) } } as never,
    {},
    { accessToken: () => Promise.resolve(new Secret('token')) },
  );
  const { push, ledger } = openMachine(client, service.url);
  /** The names in each request since the last time. */
  let seen = 0;
  const sent = () => {
    const news = service.requests.slice(seen);
    seen = service.requests.length;
    return news.map(({ body }) => (body as ReturnType<typeof day>).items.map(({ name }) => name));
  };
  return { push, ledger, sent };
}

describe('a service that replaces days and does not show that it emptied one', () => {
  /** A service that hides what a day without items holds, if `hides` says so. */
  const openHiding = async (hides: (count: number) => boolean) => {
    const held: { current: unknown[] } = { current: [] };
    const world = await open(({ body }, count) => {
      const { items } = body as ReturnType<typeof day>;
      held.current = items;
      const row = { snacks: items.map((item, index) => ({ ...item, id: `${count} ${index}` })) };
      return [200, { success: true, ...(items.length === 0 && hides(count) ? {} : { data: row }) }];
    });
    return { ...world, names: () => held.current.map((item) => (item as typeof GEL).name) };
  };

  it('is looked at once more, and receives its items again', async () => {
    // The first request looks, the second one sends, the third one shows the kind of service.
    const { push, sent, names } = await openHiding((count) => count === 2);
    expect(outcomesOf(await push({ 'a.json': day(GEL) }))).toEqual(['pushed']);
    expect(sent()).toEqual([[], ['gel'], [], [], ['gel']]);
    expect(names()).toEqual(['gel']);
  });

  it('leaves the day unclear if it never shows it', async () => {
    const { push, names } = await openHiding((count) => count > 0);
    expect(outcomesOf(await push({ 'a.json': day(GEL) }))).toEqual(['failed FATE_UNKNOWN']);
    expect(names()).toEqual([]);
    expect(outcomesOf(await push({ 'a.json': day(GEL) }, { force: true }))).toEqual(['pushed']);
    expect(names()).toEqual(['gel']);
  });
});

describe('a service that does not show items in its answers', () => {
  it('receives the whole day, as the interface specifies, and this is reported once', async () => {
    const { push, sent } = await open(() => TAKEN);
    const first = await push({ 'a.json': [day(GEL), dayOn('2026-02-16', BAR)] });
    expect(outcomesOf(first)).toEqual(['pushed', 'pushed']);
    expect(notesOf(first)).toEqual([OPAQUE_NOTE]);
    expect(sent()).toEqual([[], ['gel'], ['bar']]);
    const second = await push({ 'a.json': day(GEL, BAR) });
    expect([outcomesOf(second), notesOf(second)]).toEqual([['pushed'], []]);
    expect(sent()).toEqual([['gel', 'bar']]);
    // It is asked again after 30 days.
    await push({ 'a.json': day(GEL, RICE) }, { clock: daysAhead(31) });
    expect(sent()).toEqual([[], ['gel', 'rice']]);
  });

  it('receives only new items if the setting is append, and no changed ones', async () => {
    const { push, sent } = await open(() => TAKEN);
    const nutrition = 'append';
    await push({ 'a.json': day(GEL) }, { nutrition });
    sent();
    expect(outcomesOf(await push({ 'a.json': day(GEL, BAR) }, { nutrition }))).toEqual(['pushed']);
    expect(sent()).toEqual([['bar']]);
    const changed = await push({ 'a.json': day({ ...GEL, carbs: 30 }, BAR) }, { nutrition });
    expect(changed).toMatchObject([
      { outcome: 'conflict', stored: [{ carbs: 25 }], intended: [{ carbs: 30 }] },
    ]);
    expect(sent()).toEqual([]);
  });

  const noAnswer: Answer = [504, { message: 'gateway' }];

  it.each(['auto', 'append'] as const)(
    'leaves a day unclear after an unanswered request, and does not receive it again (%s)',
    async (nutrition) => {
      const { push, sent } = await open((_, count) => (count === 1 ? noAnswer : TAKEN));
      const first = await push({ 'a.json': day(GEL) }, { nutrition });
      expect(outcomesOf(first)).toEqual(['failed FATE_UNKNOWN']);
      expect(first).toMatchObject([
        {
          hint: `Look at 2026-02-15 in the platform. If the items are there, run \`sync push nutrition FILE --assume-arrived\` with the same file; if not, with --force.`,
        },
      ]);
      expect(sent()).toEqual([[], ['gel']]);
      const others = [day(GEL), dayOn('2026-02-16', BAR)];
      const second = await push({ 'a.json': others }, { nutrition });
      expect(outcomesOf(second).sort()).toEqual(['failed FATE_UNKNOWN', 'pushed']);
      expect(sent()).toEqual([['bar']]);
    },
  );

  it('receives an unclear day again with --force', async () => {
    const { push, sent } = await open((_, count) => (count === 1 ? noAnswer : TAKEN));
    await push({ 'a.json': day(GEL) });
    sent();
    expect(outcomesOf(await push({ 'a.json': day(GEL) }, { force: true }))).toEqual(['pushed']);
    expect(sent()).toEqual([['gel']]);
    expect(outcomesOf(await push({ 'a.json': day(GEL) }))).toEqual(['skipped']);
  });

  it('receives nothing of an unclear day with --assume-arrived', async () => {
    const { push, sent, ledger } = await open((_, count) => (count === 1 ? noAnswer : TAKEN));
    await push({ 'a.json': day(GEL) });
    sent();
    const dry = await push({ 'a.json': day(GEL, BAR) }, { assumeArrived: true, dryRun: true });
    expect(outcomesOf(dry)).toEqual(['would-push']);
    expect(ledger.nutrition.day('2026-02-15').unclear).toBe(true);
    const same = await push({ 'a.json': day(GEL) }, { assumeArrived: true });
    expect([outcomesOf(same), sent()]).toEqual([['skipped'], []]);
    expect(outcomesOf(await push({ 'a.json': day(GEL) }))).toEqual(['skipped']);
  });

  it('receives a temporarily rejected day in the next run, because it is not unclear', async () => {
    const { push, sent } = await open((_, count) =>
      count === 1 ? [422, { message: 'no' }] : TAKEN,
    );
    expect(outcomesOf(await push({ 'a.json': day(GEL) }))).toEqual(['rejected']);
    expect(outcomesOf(await push({ 'a.json': day(GEL) }))).toEqual(['pushed']);
    expect(sent()).toEqual([[], ['gel'], ['gel']]);
  });
});

describe('a service that rejects a day without items', () => {
  const isEmpty = ({ body }: TinyRequest) => (body as ReturnType<typeof day>).items.length === 0;
  const REFUSED: Answer = [400, { message: 'items must not be empty' }];

  it('receives the whole day, as the interface specifies, and this is reported once', async () => {
    const { push, sent } = await open((request) => (isEmpty(request) ? REFUSED : TAKEN));
    const items = await push({ 'a.json': [day(GEL), dayOn('2026-02-16', BAR)] });
    expect(outcomesOf(items)).toEqual(['pushed', 'pushed']);
    expect(notesOf(items)).toEqual([REFUSED_NOTE]);
    expect(sent()).toEqual([[], [], ['gel'], ['bar']]);
  });

  it('causes a rejection if it rejects the items too, without conclusions about its kind', async () => {
    const { push, sent } = await open((request, count) =>
      count < 3 || isEmpty(request) ? REFUSED : TAKEN,
    );
    expect(outcomesOf(await push({ 'a.json': day(GEL) }))).toEqual(['rejected']);
    expect(sent()).toEqual([[], [], ['gel']]);
    expect(outcomesOf(await push({ 'a.json': day(GEL) }))).toEqual(['pushed']);
  });

  it('leaves a day unclear after an unanswered request with items', async () => {
    const { push, sent } = await open((request, count) =>
      isEmpty(request) ? REFUSED : count === 2 ? [504, {}] : TAKEN,
    );
    expect(outcomesOf(await push({ 'a.json': day(GEL) }))).toEqual(['failed FATE_UNKNOWN']);
    expect(sent()).toEqual([[], [], ['gel']]);
    expect(outcomesOf(await push({ 'a.json': day(GEL) }))).toEqual(['failed FATE_UNKNOWN']);
    expect(sent()).toEqual([]);
  });
});
