import { describe, expect, it, onTestFinished } from 'vitest';
import { FaultScript } from '../../src/sandbox/faults/script.ts';
import { FaultSpecError, parseFault } from '../../src/sandbox/faults/spec.ts';
import { bearer, openApp, openSandbox, postJson } from './support.ts';

const status = (value: number, more: object = {}) => ({
  kind: 'status',
  status: value,
  retryAfter: null,
  retryAfterAsDate: false,
  error: null,
  after: false,
  ...more,
});

describe('a fault', () => {
  it.each<[spec: string, what: object, hitsLeft?: number, skipLeft?: number]>([
    ['upload-fit:503', status(503)],
    ['upload-fit:503*2', status(503), 2],
    ['any:500*inf', status(500), Infinity],
    ['refresh:429(retry-after=1)*3+2', status(429, { retryAfter: 1 }), 3, 2],
    ['token:503(retry-after-date=5)', status(503, { retryAfter: 5, retryAfterAsDate: true })],
    ['refresh:400(error=invalid_grant)', status(400, { error: 'invalid_grant' })],
    ['wellness:504(after, retry-after=0)', status(504, { after: true, retryAfter: 0 })],
    ['any:delay=200ms*inf', { kind: 'delay', ms: 200 }, Infinity],
    ['any:delay=1.5s', { kind: 'delay', ms: 1500 }],
    ['profile-update:reset', { kind: 'reset', after: false }],
    ['nutrition:reset-after', { kind: 'reset-after', after: true }],
    ['nutrition:reset-mid', { kind: 'reset-mid', after: true }],
    ['nutrition:close-mid', { kind: 'close-mid', after: true }],
    ['nutrition:truncate', { kind: 'truncate', after: true }],
    ['workouts:html', { kind: 'html', status: 502, after: false }],
    ['workouts:html(status=200,after)', { kind: 'html', status: 200, after: true }],
    ['userinfo:hang', { kind: 'hang', after: false }],
    ['userinfo:hang-after', { kind: 'hang-after', after: true }],
    ['wellness:success-false', { kind: 'success-false', after: false }],
  ])('%s is parsed', (spec, what, hitsLeft = 1, skipLeft = 0) => {
    const [route] = spec.split(':');
    expect(parseFault(spec)).toEqual({ spec, route, what, hitsLeft, skipLeft });
  });

  it.each([
    ['', 'cannot be read'],
    ['upload-fit', 'cannot be read'],
    ['upload-fit:503*', 'cannot be read'],
    ['uploads:503', 'no route "uploads": authorize, consent, token'],
    ['upload-fit:timeout', 'no kind "timeout": an HTTP status from 300 to 599, delay=TIME'],
    ['upload-fit:200', 'no kind "200"'],
    ['upload-fit:503*0', 'a count is 1 or more, or inf'],
    ['upload-fit:503(retry=1)', '"503" takes no "retry"; it takes retry-after=S'],
    ['upload-fit:503(retry-after=soon)', '"retry-after" is a whole number'],
    ['upload-fit:503(retry-after)', '"retry-after" needs a value'],
    ['upload-fit:503(after=1)', '"after" takes no value'],
    ['upload-fit:reset(mid)', '"reset" takes no "mid"; it takes nothing'],
    ['upload-fit:truncate(after)', '"truncate" takes no "after"; it takes nothing'],
    ['upload-fit:delay', 'a delay is delay=200ms or delay=1.5s'],
    ['upload-fit:delay=200', 'a delay is delay=200ms or delay=1.5s'],
    ['upload-fit:reset=1', '"reset" takes no =value'],
    [
      'upload-fit:html(status=99)',
      'a page has a status from 200 to 599 that allows a body, not 99',
    ],
    [
      'upload-fit:html(status=204)',
      'a page has a status from 200 to 599 that allows a body, not 204',
    ],
  ])('%s is refused with the allowed values', (spec, message) => {
    expect(() => parseFault(spec)).toThrow(FaultSpecError);
    expect(() => parseFault(spec)).toThrow(`Fault "${spec}": ${message}`);
  });
});

describe('the fault script', () => {
  const kinds = (script: FaultScript, rounds: number) =>
    Array.from({ length: rounds }, () => script.draw(['wellness']).fault?.kind ?? 'none');

  it('applies the faults of a route in order, without affecting other routes', () => {
    const script = new FaultScript(['wellness:503*2', 'nutrition:hang', 'wellness:reset']);
    expect(kinds(script, 4)).toEqual(['status', 'status', 'reset', 'none']);
    expect(script.list()).toEqual([
      { spec: 'wellness:503*2', skipLeft: 0, hitsLeft: 0 },
      { spec: 'nutrition:hang', skipLeft: 0, hitsLeft: 1 },
      { spec: 'wellness:reset', skipLeft: 0, hitsLeft: 0 },
    ]);
  });

  it('skips the first requests if a fault says so', () => {
    expect(kinds(new FaultScript(['any:503+2']), 4)).toEqual(['none', 'none', 'status', 'none']);
  });

  it('adds up delays and applies another fault after them', () => {
    const script = new FaultScript(['any:delay=20ms*inf', 'wellness:503', 'wellness:delay=1s']);
    expect(script.draw(['wellness'])).toEqual({
      delayMs: 1020,
      fault: status(503),
      specs: ['any:delay=20ms*inf', 'wellness:503', 'wellness:delay=1s'],
    });
    expect(script.draw(['wellness'])).toMatchObject({ delayMs: 20, fault: null });
  });

  it('adds none of several faults if one is invalid', () => {
    const script = new FaultScript();
    expect(() => script.add(['any:503', 'any:nonsense'])).toThrow(FaultSpecError);
    expect(script.list()).toEqual([]);
  });

  it('removes the first fault with a spec, and none if no fault has it', () => {
    const script = new FaultScript(['any:503', 'any:reset', 'any:503']);
    const specs = () => script.list().map(({ spec }) => spec);
    expect(script.clear('any:hang')).toBe(false);
    expect(specs()).toEqual(['any:503', 'any:reset', 'any:503']);
    expect(script.clear('any:503')).toBe(true);
    expect(specs()).toEqual(['any:reset', 'any:503']);
  });
});

/** The client's view: a status with the readable body, or the end of the connection. */
type Met = { status: number; body: string } | { broken: 'before' | 'middle'; code: unknown };

async function send(url: string, headers: Record<string, string>, hrv: number): Promise<Met> {
  let answer: Response;
  const causeOf = (error: unknown) =>
    ((error as Error).cause as { code?: unknown } | undefined)?.code;
  try {
    answer = await fetch(`${url}/api/wellness`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ date: '2026-02-15', hrv }),
    });
  } catch (error) {
    return { broken: 'before', code: causeOf(error) };
  }
  try {
    return { status: answer.status, body: await answer.text() };
  } catch (error) {
    return { broken: 'middle', code: causeOf(error) };
  }
}

describe('a fault on a real connection', () => {
  const whole = /^\{"success":true,.*"hrv":50.*\}\}$/;
  const half = /^\{"success":true,.*[^}]$/;
  const error = (code: number) => ({
    status: code,
    body: expect.stringContaining(
      `"statusCode":${code},"statusMessage":"Server Error","message":"A scripted fault`,
    ) as string,
  });
  const html = /<h1>502 Bad Gateway<\/h1>/;

  it.each([
    // The fault, the client's view, and whether the request was processed anyway.
    ['wellness:503', error(503), false],
    ['wellness:504(after)', error(504), true],
    ['wellness:html', { status: 502, body: html }, false],
    ['wellness:html(after)', { status: 502, body: html }, true],
    ['wellness:reset', { broken: 'before', code: 'ECONNRESET' }, false],
    ['wellness:reset-after', { broken: 'before', code: 'ECONNRESET' }, true],
    ['wellness:reset-mid', { broken: 'middle', code: 'ECONNRESET' }, true],
    ['wellness:close-mid', { broken: 'middle', code: 'UND_ERR_SOCKET' }, true],
    ['wellness:truncate', { status: 200, body: half }, true],
    ['wellness:delay=5ms', { status: 200, body: whole }, true],
    [
      'wellness:success-false',
      { status: 200, body: '{"success":false,"message":"The record could not be stored"}' },
      false,
    ],
  ])('%s hits one request, and the next is answered', async (spec, met, processed) => {
    const sandbox = await openSandbox({ faults: [spec] });
    const headers = bearer(sandbox);
    expect(await send(sandbox.url, headers, 50)).toEqual(met);
    const held = sandbox.control.state('athlete-1').athletes[0]?.wellness;
    expect(held?.map(({ record }) => record)).toEqual(processed ? [{ hrv: 50 }] : []);
    expect(await send(sandbox.url, headers, 50)).toEqual({ status: 200, body: whole });
    expect(
      sandbox.control.requests().map(({ faults, body, athlete }) => ({ faults, body, athlete })),
    ).toEqual([
      { faults: [spec], body: { date: '2026-02-15', hrv: 50 }, athlete: 'athlete-1' },
      { faults: [], body: { date: '2026-02-15', hrv: 50 }, athlete: 'athlete-1' },
    ]);
  });

  it.each([
    ['hang', false],
    ['hang-after', true],
  ])('%s leaves a request without an answer until the client gives up', async (kind, processed) => {
    const sandbox = await openSandbox({ faults: [`wellness:${kind}`] });
    const stop = new AbortController();
    const answer = fetch(`${sandbox.url}/api/wellness`, {
      method: 'POST',
      headers: { ...bearer(sandbox), 'content-type': 'application/json' },
      body: JSON.stringify({ date: '2026-02-15', hrv: 50 }),
      signal: stop.signal,
    });
    await expect.poll(() => sandbox.control.requests()[0]?.faults).toEqual([`wellness:${kind}`]);
    await expect
      .poll(() => sandbox.control.state('athlete-1').athletes[0]?.wellness.length)
      .toBe(processed ? 1 : 0);
    stop.abort();
    await expect(answer).rejects.toThrow('aborted');
    expect(sandbox.control.requests()[0]?.status).toBeNull();
  });

  it('sends Retry-After in seconds or as a date', async () => {
    const now = Date.UTC(2026, 1, 15, 12);
    const sandbox = await openSandbox({
      faults: ['profile:429(retry-after=7)', 'profile:503(retry-after-date=7)'],
      now: () => now,
    });
    const ask = () => fetch(`${sandbox.url}/api/profile`, { headers: bearer(sandbox) });
    expect((await ask()).headers.get('retry-after')).toBe('7');
    expect((await ask()).headers.get('retry-after')).toBe('Sun, 15 Feb 2026 12:00:07 GMT');
  });
});

describe('a fault without a connection', () => {
  it('matches a token request by its grant type, and answers in the format of OAuth', async () => {
    const sandbox = openApp({ faults: ['refresh:400(error=invalid_grant)', 'exchange:503'] });
    const ask = (grant_type: string) => postJson(sandbox, '/api/oauth/token', { grant_type });
    expect((await ask('authorization_code')).status).toBe(503);
    const refused = await ask('refresh_token');
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { error: 'invalid_grant', error_description: 'A scripted fault of the sandbox' },
    ]);
    expect(await (await ask('refresh_token')).json()).toMatchObject({ error: 'invalid_request' });
  });

  it('reports that it needs a connection', async () => {
    const { app, control } = openApp({ faults: ['profile:reset'] });
    expect(await (await app.request('/api/profile')).json()).toMatchObject({
      statusCode: 500,
      message: 'This fault needs a real connection',
    });
    expect(control.request(1)).toMatchObject({ status: 500, answer: { status: 500 } });
  });

  it('never hits the control endpoints', async () => {
    const { app } = openApp({ faults: ['any:500*inf'] });
    expect((await app.request('/_sandbox/faults')).status).toBe(200);
    expect((await app.request('/api/profile')).status).toBe(500);
  });
});

it('delays many requests at once without a warning of Node.js', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  const { app } = openApp({ faults: ['any:delay=100ms*inf'] });
  await Promise.all(
    Array.from({ length: 20 }, async () => await app.request('/api/oauth/userinfo')),
  );
  expect(warnings).toEqual([]);
});
