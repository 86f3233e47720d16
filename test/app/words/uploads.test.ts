import { describe, expect, it } from 'vitest';
import { Tally } from '../../../src/app/outcomes.ts';
import {
  uploadItemJson,
  uploadItemText,
  uploadSummaryJson,
  uploadSummaryText,
} from '../../../src/app/words/uploads.ts';
import { renderText } from '../../../src/base/phrase.ts';
import type { UploadItem } from '../../../src/upload/report.ts';
import { NO_ACTIVITY } from '../../support/activity.ts';

const VIEW = { zone: 'Europe/Berlin', now: Date.UTC(2026, 10, 22), aligned: false };

describe('the outcome of a file', () => {
  const activity = {
    name: 'Morning ride',
    startedAt: Date.UTC(2026, 10, 21, 7),
    offsetMinutes: 60,
    movingSecs: 9396,
    distanceMeters: 87_900,
  };
  const sent = { path: 'r/a.fit', activity, sha256: 'f'.repeat(64), size: 273_026, attempts: 1 };
  it.each<[UploadItem, string | undefined]>([
    [
      { ...sent, outcome: 'uploaded', service: { state: 'queued' } },
      'Sat 21 Nov 08:00  Morning ride  2:36:36  87.9 km  uploaded',
    ],
    [{ ...sent, activity: NO_ACTIVITY, outcome: 'uploaded', service: {} }, 'a.fit  uploaded'],
    [
      { ...sent, outcome: 'duplicate', service: {}, note: 'The platform ignores --name.' },
      'Sat 21 Nov 08:00  Morning ride  2:36:36  87.9 km  already there. The platform ignores --name.',
    ],
    [{ path: 'r/a.fit', outcome: 'skipped', reason: 'already-uploaded' }, undefined],
    [
      { path: 'r/a.fit', outcome: 'invalid', reason: 'corrupt', detail: 'The CRC is wrong.' },
      'r/a.fit: not sent. The CRC is wrong. If it stays like this, `sync repair r/a.fit` saves what can be read.',
    ],
    [
      { ...sent, outcome: 'rejected', message: 'No\nr/b.fit: uploaded' },
      'r/a.fit: refused by the platform: No r/b.fit: uploaded',
    ],
    [
      {
        path: 'r/a.fit',
        outcome: 'failed',
        code: 'NETWORK',
        message: 'The address cannot be found.',
        hint: 'Later.',
      },
      'r/a.fit: not sent. The address cannot be found. Later.',
    ],
    [{ path: 'a\nb', outcome: 'failed', code: 'NETWORK', message: 'No.' }, 'a b: not sent. No.'],
    [
      {
        ...sent,
        outcome: 'would-upload',
        request: {
          method: 'POST',
          url: 'https://a.example/api',
          parts: [
            { name: 'name', value: 'Ride' },
            { name: 'file', filename: 'a.fit', size: 273_026, sha256: 'ffff' },
          ],
        },
      },
      'r/a.fit: would be sent\n  POST https://a.example/api\n  name: Ride\n  file: a.fit (273 kB, SHA-256 ffff)',
    ],
  ])('%j', (item, text) => {
    const shown = uploadItemText(item, VIEW);
    expect(shown && renderText(shown, undefined)).toBe(text);
  });

  it('has its activity as JSON, without what the recording does not state', () => {
    const item = { ...sent, outcome: 'uploaded', service: {} } as const;
    expect(uploadItemJson(item)).toEqual({
      type: 'upload',
      path: 'r/a.fit',
      outcome: 'uploaded',
      activity: {
        name: 'Morning ride',
        startedAt: '2026-11-21T08:00:00+01:00',
        durationSecs: 9396,
        distanceMeters: 87_900,
      },
      sha256: sent.sha256,
      size: 273_026,
      attempts: 1,
      service: {},
    });
    expect(uploadItemJson({ ...item, activity: NO_ACTIVITY })['activity']).toBeUndefined();
  });

  const uploaded: UploadItem = { ...sent, outcome: 'uploaded', service: {} };
  const processing: UploadItem = { ...uploaded, service: { state: 'queued' } };
  const old = { path: 'r/a.fit', outcome: 'skipped', reason: 'already-uploaded' } as const;
  const settings = { path: 'r/a.fit', outcome: 'skipped', reason: 'not-an-activity' } as const;
  const request = { method: 'POST', url: 'https://a.example/api', parts: [] } as const;
  const wouldUpload: UploadItem = { ...sent, outcome: 'would-upload', request };
  const tallyOf = (items: readonly UploadItem[]) => {
    const tally = new Tally('recording');
    for (const item of items) tally.add(item);
    return tally;
  };
  const textOf = (tally: Tally) => renderText(uploadSummaryText(tally), undefined);
  it.each<[readonly UploadItem[], string]>([
    [[], 'No recordings found.'],
    [[uploaded], '1 file: 1 uploaded.'],
    [
      [settings, old, old],
      'Nothing to send. 3 files: 2 uploaded before, 1 without an activity to send (settings, courses, walks of phone apps).',
    ],
    [
      [
        uploaded,
        { ...sent, outcome: 'duplicate', service: {} },
        settings,
        { path: 'r/a.fit', outcome: 'invalid', reason: 'corrupt', detail: 'No.' },
        { ...sent, outcome: 'rejected', message: 'No.' },
        { path: 'r/a.fit', outcome: 'failed', code: 'NETWORK', message: 'No.' },
      ],
      '6 files: 1 uploaded, 1 already at the platform, 1 without an activity to send (settings, courses, walks of phone apps), 1 invalid, 1 refused, 1 not sent.',
    ],
    [[wouldUpload, wouldUpload], '2 files: 2 would be uploaded.'],
    [[processing], '1 file: 1 uploaded (the platform is processing it).'],
    [[processing, processing], '2 files: 2 uploaded (the platform is processing them).'],
    [[processing, uploaded], '2 files: 2 uploaded (the platform is processing 1 of them).'],
  ])('summarises outcomes in a sentence: %#', (items, text) => {
    expect(textOf(tallyOf(items))).toBe(text);
  });

  it('names the command that sends the wellness in skipped files', () => {
    const text = (count: number) => {
      const holding = Array.from({ length: count }, () => ({ ...settings, wellness: true }));
      return textOf(tallyOf([...holding, settings]));
    };
    const command = '`sync push wellness` with the same folder sends it.';
    expect(text(0)).toMatch(/apps\)\.$/);
    expect(text(1)).toMatch(new RegExp(`apps\\)\\. 1 file holds wellness: ${command}$`));
    expect(text(3)).toContain(` 3 files hold wellness: ${command}`);
  });

  it('names the archives in folders, and the way to send their recordings', () => {
    const text = (...paths: string[]) => {
      const tally = new Tally('recording');
      tally.archives.push(...paths);
      return textOf(tally);
    };
    expect(text('r/a.zip')).toBe(
      'No recordings found. Not opened: 1 zip archive in a folder (r/a.zip). Name an archive to send its recordings.',
    );
    expect(text('a.zip', 'b.zip', 'c.zip', 'd.zip', 'e.zip')).toContain(
      '5 zip archives in a folder (a.zip, b.zip, c.zip and 2 more).',
    );
  });

  it('counts would-upload in JSON only after a dry run', () => {
    expect(uploadSummaryJson(tallyOf([uploaded]))).toEqual({
      type: 'summary',
      total: 1,
      uploaded: 1,
      duplicate: 0,
      covered: 0,
      held: 0,
      skipped: 0,
      invalid: 0,
      rejected: 0,
      failed: 0,
    });
    expect(uploadSummaryJson(tallyOf([wouldUpload]))).toMatchObject({ 'would-upload': 1 });
  });
});
