import { describe, expect, it } from 'vitest';
import {
  uploadItemJson,
  uploadItemText,
  uploadSummaryJson,
  uploadSummaryText,
} from '../../../src/app/words/uploads.ts';
import { renderText } from '../../../src/base/phrase.ts';
import type { UploadItem } from '../../../src/upload/report.ts';
import type { UploadReport } from '../../../src/upload/tally.ts';
import { NO_ACTIVITY } from '../../support/activity.ts';

const NO_SKIPPED: UploadReport['skipped'] = {
  'already-uploaded': 0,
  'not-an-activity': 0,
  'refused-before': 0,
  'before-since': 0,
};
const NO_OTHERS: UploadReport['others'] = { gpx: [], tcx: [], zip: [] };

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
      { ...sent, outcome: 'duplicate', service: {}, note: 'The service ignores --name.' },
      'Sat 21 Nov 08:00  Morning ride  2:36:36  87.9 km  already there. The service ignores --name.',
    ],
    [{ path: 'r/a.fit', outcome: 'skipped', reason: 'already-uploaded' }, undefined],
    [
      { path: 'r/a.fit', outcome: 'invalid', reason: 'corrupt', detail: 'The CRC is wrong.' },
      'r/a.fit: not sent. The CRC is wrong. If it stays like this, `sync repair r/a.fit` saves what can be read.',
    ],
    [
      { ...sent, outcome: 'rejected', message: 'No\nr/b.fit: uploaded' },
      'r/a.fit: refused by the service: No r/b.fit: uploaded',
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
    [
      { path: 'a\nb.fit', outcome: 'failed', code: 'NETWORK', message: 'No.' },
      'a b.fit: not sent. No.',
    ],
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
    const { activity } = uploadItemJson({ ...item, activity: NO_ACTIVITY });
    expect(activity).toBeUndefined();
  });

  const none = {
    total: 0,
    uploaded: 0,
    duplicate: 0,
    skipped: 0,
    invalid: 0,
    rejected: 0,
    failed: 0,
    'would-upload': 0,
  };
  it.each([
    [none, 'No recordings found.'],
    [{ ...none, total: 1, uploaded: 1 }, '1 file: 1 uploaded.'],
    [
      { ...none, total: 3, skipped: 3 },
      'Nothing to send. 3 files: 2 uploaded before, 1 without an activity (settings, courses and the like).',
    ],
    [
      {
        ...none,
        total: 6,
        uploaded: 1,
        duplicate: 1,
        skipped: 1,
        invalid: 1,
        rejected: 1,
        failed: 1,
      },
      '6 files: 1 uploaded, 1 already at the service, 1 without an activity (settings, courses and the like), 1 not usable, 1 refused, 1 not sent.',
    ],
    [{ ...none, total: 2, 'would-upload': 2 }, '2 files: 2 would be uploaded.'],
  ])('summarises %j in a sentence', (summary, text) => {
    const some = Math.min(1, summary.skipped);
    const skipped = {
      'already-uploaded': summary.skipped - some,
      'not-an-activity': some,
      'refused-before': 0,
      'before-since': 0,
    };
    const report = { summary, skipped, wellness: 0, processing: 0, others: NO_OTHERS };
    expect(renderText(uploadSummaryText(report), undefined)).toEqual(text);
  });

  it.each([
    [1, 1, '1 file: 1 uploaded (the platform is processing it).'],
    [3, 3, '3 files: 3 uploaded (the platform is processing them).'],
    [3, 2, '3 files: 3 uploaded (the platform is processing 2 of them).'],
  ])('says of %i uploads that the platform is processing %i', (uploaded, processing, text) => {
    const summary = { ...none, total: uploaded, uploaded };
    const report = { summary, skipped: NO_SKIPPED, wellness: 0, processing, others: NO_OTHERS };
    expect(String(uploadSummaryText(report))).toBe(text);
  });

  it('names the command that sends the wellness in skipped files', () => {
    const skipped = { ...NO_SKIPPED, 'not-an-activity': 3 };
    const report = { skipped, processing: 0, others: NO_OTHERS };
    const text = (wellness: number) =>
      renderText(
        uploadSummaryText({ summary: { ...none, total: 3, skipped: 3 }, wellness, ...report }),
        undefined,
      );
    const sentence =
      'Nothing to send. 3 files: 3 without an activity (settings, courses and the like).';
    const command = '`sync push wellness` with the same folder sends it.';
    expect(text(0)).toBe(sentence);
    expect(text(1)).toBe(`${sentence} 1 file holds wellness: ${command}`);
    expect(text(3)).toBe(`${sentence} 3 files hold wellness: ${command}`);
  });

  it('names the files of other kinds, and the way to send their recordings', () => {
    const report = { summary: none, skipped: NO_SKIPPED, wellness: 0, processing: 0 };
    const text = (others: Partial<typeof NO_OTHERS>) =>
      renderText(uploadSummaryText({ ...report, others: { ...NO_OTHERS, ...others } }), undefined);
    expect(text({ gpx: ['a.gpx', 'b.gpx'], tcx: ['c.tcx'] })).toBe(
      'No recordings found. Not sent: 2 GPX files and 1 TCX file. Only FIT recordings are sent: export the originals as FIT.',
    );
    expect(text({ zip: ['r/a.zip'] })).toBe(
      'No recordings found. Not opened: 1 zip archive in a folder (r/a.zip). Name an archive to send its recordings.',
    );
    expect(text({ zip: ['a.zip', 'b.zip', 'c.zip', 'd.zip', 'e.zip'] })).toContain(
      '5 zip archives in a folder (a.zip, b.zip, c.zip and 2 more).',
    );
  });

  it('counts would-upload in JSON only after a dry run', () => {
    const json = (summary: typeof none) => uploadSummaryJson({ summary, others: NO_OTHERS });
    expect(json({ ...none, total: 1, uploaded: 1 })).toEqual({
      type: 'summary',
      total: 1,
      uploaded: 1,
      duplicate: 0,
      skipped: 0,
      invalid: 0,
      rejected: 0,
      failed: 0,
    });
    expect(json({ ...none, total: 1, 'would-upload': 1 })).toMatchObject({
      'would-upload': 1,
    });
  });
});
