import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SECRET_PREFIXES } from '../../src/sandbox/oauth/grants.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { bearer, openApp, openSandbox, postJson, scratchDir, upload } from './support.ts';

describe('a sandbox', () => {
  it('listens only on 127.0.0.1', async () => {
    const sandbox = await openSandbox();
    expect(sandbox.url).toBe(`http://127.0.0.1:${sandbox.port}`);
    await expect(fetch(`http://[::1]:${sandbox.port}/_sandbox`)).rejects.toThrow();
    expect((await fetch(`${sandbox.url}/_sandbox`)).status).toBe(200);
  });

  it('does not replace Request and Response of its process', async () => {
    const before = [globalThis.Request, globalThis.Response];
    await openSandbox();
    expect([globalThis.Request, globalThis.Response]).toEqual(before);
  });

  it('fails if the port is in use, and leaves its data usable', async () => {
    const first = await openSandbox();
    const data = scratchDir();
    await expect(startSandbox({ port: first.port, data })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    await openSandbox({ data });
  });

  it('can be closed twice, and ends idle, half-sent, hanging and delayed connections', async () => {
    const sandbox = await startSandbox({ port: 0, faults: ['profile:hang', 'workouts:delay=60s'] });
    const waiting = Promise.allSettled([
      fetch(`${sandbox.url}/api/profile`),
      fetch(`${sandbox.url}/api/workouts`),
    ]);
    const half = connect(sandbox.port, '127.0.0.1');
    half.on('error', () => undefined);
    const halfClosed = new Promise((done) => half.once('close', done));
    half.write('POST /api/wellness HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{');
    await expect.poll(() => sandbox.control.requests().length).toBe(3);
    await Promise.all([sandbox.close(), sandbox.close()]);
    await halfClosed;
    expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(fetch(`${sandbox.url}/_sandbox`)).rejects.toThrow();
    await sandbox.close();
  });

  it('logs a request even if its client disconnects before its end', async () => {
    const sandbox = await openSandbox();
    const half = connect(sandbox.port, '127.0.0.1');
    half.write('POST /api/wellness HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{');
    await expect.poll(() => sandbox.control.requests().length).toBe(1);
    half.destroy();
    expect(sandbox.control.requests()[0]).toMatchObject({
      route: 'wellness',
      size: 0,
      status: null,
    });
    expect((await fetch(`${sandbox.url}/_sandbox`)).status).toBe(200);
  });

  it('keeps logins, recordings, days and profiles over a restart with a folder', async () => {
    const data = join(scratchDir(), 'deep', 'folder');
    const recording = makeRecording({ seed: 1, durationSecs: 20 });
    const first = await startSandbox({ port: 0, data });
    const { access_token, refresh_token } = first.control.mint();
    const headers = { authorization: `Bearer ${access_token}` };
    const json = { ...headers, 'content-type': 'application/json' };
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(recording)]), 'ride.fit');
    form.append('name', 'With a NUL \0 inside');
    await fetch(`${first.url}/api/workouts/upload-fit`, { method: 'POST', headers, body: form });
    const send = (path: string, method: string, body: string) =>
      fetch(`${first.url}/api/${path}`, { method, headers: json, body });
    await send('wellness', 'POST', '{"date":"2026-02-15","comments":"a\\nb"}');
    await send('nutrition', 'POST', '{"date":"2026-02-15","items":[]}');
    await send('profile', 'PATCH', '{"ftp":333}');
    const before = first.control.state();
    await first.close();

    const second = await openSandbox({ data });
    expect(second.control.state()).toEqual(before);
    const [sha256 = ''] = before.athletes[0]?.recordings.map((each) => each.sha256) ?? [];
    expect(second.control.recordingBytes(sha256)).toEqual(new Uint8Array(recording));
    expect(before.athletes[0]).toMatchObject({
      profile: { ftp: 333 },
      recordings: [{ name: 'With a NUL \0 inside' }],
      wellness: [{ record: { comments: 'a\nb' } }],
      nutrition: [{ date: '2026-02-15' }],
    });
    expect((await fetch(`${second.url}/api/profile`, { headers })).status).toBe(200);
    const refreshed = await fetch(`${second.url}/api/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        grant_type: 'refresh_token',
        client_id: 'sandbox-client',
        refresh_token,
      }),
    });
    expect(refreshed.status).toBe(200);
    const file = readFileSync(join(data, 'sandbox.json'), 'utf8');
    for (const prefix of Object.values(SECRET_PREFIXES)) expect(file).not.toContain(prefix);
  });

  it('has written each change before it answers, so that a kill loses nothing', async () => {
    const data = scratchDir();
    const running = openApp({ data });
    const headers = bearer(running);
    const read = () => openApp({ data }).control.state('athlete-1');
    await upload(running, [{ name: 'file', fileName: 'a.fit', content: 'not FIT' }], headers);
    expect(read()).toEqual(running.control.state('athlete-1'));
    await postJson(running, '/api/wellness', { date: '2026-02-15', hrv: 60 }, headers);
    expect(read().athletes).toMatchObject([{ wellness: [{ record: { hrv: 60 } }] }]);
    await running.app.request('/api/workouts', { headers });
    expect(read().athletes).toMatchObject([{ recordings: [{ processing: 'none' }] }]);
    await running.app.request('/_sandbox/state', { method: 'DELETE' });
    expect(read().athletes).toMatchObject([{ recordings: [], wellness: [] }]);
    expect(existsSync(join(data, 'recordings'))).toBe(false);
  });

  it('stores nothing of a record that is nested too deeply for its file', async () => {
    const data = scratchDir();
    const running = openApp({ data });
    const headers = { ...bearer(running), 'content-type': 'application/json' };
    const deep = `{"date":"2026-02-15","rawJson":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const request = { method: 'POST', headers, body: deep };
    expect((await running.app.request('/api/wellness', request)).status).toBe(500);
    await postJson(running, '/api/wellness', { date: '2026-02-16', hrv: 60 }, headers);
    const days = openApp({ data }).control.state('athlete-1').athletes[0]?.wellness;
    expect(days?.map(({ date }) => date)).toEqual(['2026-02-16']);
  });

  it('names a file of its data that it cannot read', () => {
    const data = scratchDir();
    writeFileSync(join(data, 'sandbox.json'), '{"athletes":');
    expect(() => openApp({ data })).toThrow(`${join(data, 'sandbox.json')}: `);
  });
});
