import { describe, expect, it } from 'vitest';
import { uploadItemText, uploadSummaryJson, uploadSummaryText } from '../../src/commands/upload.ts';
import type { UploadItem } from '../../src/upload/report.ts';
import type { UploadReport } from '../../src/upload/tally.ts';

const NO_OTHERS: UploadReport['others'] = { gpx: [], tcx: [], zip: [] };

describe('the outcome of a file', () => {
  const sent = { path: 'r/a.fit', sha256: 'f'.repeat(64), size: 273_026, attempts: 1 };
  it.each<[UploadItem, string | undefined]>([
    [
      { ...sent, outcome: 'uploaded', service: { state: 'queued' } },
      'r/a.fit: uploaded (received, being processed)',
    ],
    [{ ...sent, outcome: 'uploaded', service: {} }, 'r/a.fit: uploaded'],
    [{ ...sent, outcome: 'duplicate', service: {} }, 'r/a.fit: the service had it already'],
    [{ path: 'r/a.fit', outcome: 'skipped', reason: 'already-uploaded' }, undefined],
    [
      { path: 'r/a.fit', outcome: 'invalid', reason: 'corrupt', detail: 'The CRC is wrong.' },
      'r/a.fit: not sent. The CRC is wrong.',
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
        message: 'Nobody there.',
        hint: 'Later.',
      },
      'r/a.fit: not sent. Nobody there. Later.',
    ],
    [
      { path: 'a\nb.fit', outcome: 'failed', code: 'NETWORK', message: 'No.' },
      'a b.fit: not sent. No.',
    ],
    [
      {
        path: 'r/a.fit',
        outcome: 'would-upload',
        sha256: sent.sha256,
        size: sent.size,
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
    expect(uploadItemText(item)).toEqual(text);
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
      '6 files: 1 uploaded, 1 already at the service, 1 without an activity (settings, courses and the like), 1 not usable, 1 refused, 1 not delivered; the same command again continues.',
    ],
    [{ ...none, total: 2, 'would-upload': 2 }, '2 files: 2 would be uploaded.'],
  ])('summarises %j in a sentence', (summary, text) => {
    const some = Math.min(1, summary.skipped);
    const skipped = {
      'already-uploaded': summary.skipped - some,
      'not-an-activity': some,
      'refused-before': 0,
    };
    expect(uploadSummaryText({ summary, skipped, others: NO_OTHERS })).toEqual(text);
  });

  it('names the files of other kinds, and the way to send their recordings', () => {
    const skipped = { 'already-uploaded': 0, 'not-an-activity': 0, 'refused-before': 0 };
    const text = (others: Partial<typeof NO_OTHERS>) =>
      uploadSummaryText({ summary: none, skipped, others: { ...NO_OTHERS, ...others } });
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
