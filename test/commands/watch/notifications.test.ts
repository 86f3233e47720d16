import { expect, it } from 'vitest';
import { renderText } from '../../../src/base/phrase.ts';
import { Notifications } from '../../../src/commands/watch/notifications.ts';
import type { NotificationMode } from '../../../src/config/settings.ts';
import type { Activity } from '../../../src/fit/activity.ts';
import type { RecordItem } from '../../../src/records/deliver.ts';
import type { UploadItem } from '../../../src/upload/report.ts';
import type { WatchNotice } from '../../../src/watch/report.ts';
import { type ManualClock, manualClock } from '../../watch/manual-clock.ts';

/** Opens notifications that are listed as `title | text`. */
function open(mode: NotificationMode = 'on'): {
  clock: ManualClock;
  shown: string[];
  notifications: Notifications;
} {
  const clock = manualClock();
  const shown: string[] = [];
  const notifications = new Notifications(
    { clock },
    { mode, show: ({ title, text }) => shown.push(`${title} | ${renderText(text, 'default')}`) },
  );
  return { clock, shown, notifications };
}

function activity(name: string | undefined, distanceMeters?: number): Activity {
  return {
    name,
    distanceMeters,
    movingSecs: undefined,
    startedAt: undefined,
    offsetMinutes: undefined,
  };
}

const SENT = { activity: activity('Morning ride', 87_911), sha256: 'a1', size: 1_000, attempts: 1 };
const ARRIVED = { path: '/r/ride.fit', service: {}, ...SENT };
const RIDE: UploadItem = { outcome: 'uploaded', ...ARRIVED };
const KNOWN: UploadItem = { outcome: 'duplicate', ...ARRIVED };

function refused(path: string, message: string): WatchNotice {
  return upload({ outcome: 'rejected', path, message, ...SENT, activity: activity(undefined) });
}

function upload(item: UploadItem): WatchNotice {
  return { event: 'upload', item };
}

function damaged(name: string): WatchNotice {
  return {
    event: 'unfinished',
    path: `/r/${name}`,
    reason: 'corrupt',
    detail: 'The checksum is wrong.',
  };
}

function missing(name: string): WatchNotice {
  const uploadedAt = '2026-02-15T08:00:00.000Z';
  return { event: 'missing', path: `/r/${name}`, sha256: 'a1', uploadedAt };
}

const LOGIN_ENDED: WatchNotice = {
  event: 'login-needed',
  code: 'AUTH_EXPIRED',
  message: 'The login has ended.',
};

it('names a recording that arrived, 3 s after it', async () => {
  const { clock, shown, notifications } = open();
  notifications.report(upload(RIDE), 0);
  await clock.advance(2_999);
  expect(shown).toEqual([]);
  await clock.advance(1);
  expect(shown).toEqual(['sync | Morning ride, 87.9 km: uploaded']);
});

it('sums up a burst in one notification, also on a slow connection', async () => {
  const { clock, shown, notifications } = open();
  for (let waiting = 31; waiting >= 0; waiting--) {
    await clock.advance(15_000);
    notifications.report(upload(waiting === 7 ? KNOWN : RIDE), waiting);
  }
  await clock.advance(2_999);
  expect(shown).toEqual([]);
  await clock.advance(1);
  expect(shown).toEqual(['sync | 31 recordings uploaded, 1 already at the platform']);
});

it('holds a notification back for ten minutes at most', async () => {
  const { clock, shown, notifications } = open();
  for (let minute = 0; minute < 20; minute++) {
    notifications.report(upload(RIDE), 100);
    await clock.advance(59_999);
  }
  expect(shown).toEqual(['sync | 11 recordings uploaded']);
});

it('does not wait for recordings that cannot be sent', async () => {
  const { clock, shown, notifications } = open();
  notifications.report(upload(RIDE), 5);
  await clock.advance(60_000);
  expect(shown).toEqual(['sync | Morning ride, 87.9 km: uploaded']);
});

it('waits no longer if the last of a burst is a file that was skipped', async () => {
  const { clock, shown, notifications } = open();
  notifications.report(upload(RIDE), 1);
  notifications.report(
    upload({ path: '/r/settings.fit', outcome: 'skipped', reason: 'not-an-activity' }),
    0,
  );
  await clock.advance(3_000);
  expect(shown).toHaveLength(1);
});

it('shows what is held back when the watcher ends, once', async () => {
  const { clock, shown, notifications } = open();
  notifications.report(upload(RIDE), 0);
  notifications.flush();
  notifications.flush();
  await clock.advance(60_000);
  expect(shown).toEqual(['sync | Morning ride, 87.9 km: uploaded']);
});

it('names a recording that is refused or damaged, and what to type', async () => {
  const { clock, shown, notifications } = open();
  notifications.report(refused('/r/old.fit', 'too old'), 0);
  notifications.report(damaged('ride.fit'), 0);
  notifications.report(missing('lost.fit'), 0);
  await clock.advance(3_000);
  expect(shown).toEqual([
    'sync: refused by the platform | old.fit: too old',
    'sync: damaged or incomplete recording | ride.fit: The checksum is wrong. If it stays like this, `sync repair /r/ride.fit` saves what can be read.',
    'sync: uploads without a workout | lost.fit. Run `sync verify`.',
  ]);
});

it('names a wellness day that is refused, and none that is delivered', async () => {
  const { clock, shown, notifications } = open();
  const day = { kind: 'wellness', date: '2026-02-15', sources: [], warnings: [] } as const;
  const sent = { ...day, zoneUsed: false, attempts: 1 };
  const report = (item: RecordItem) => notifications.report({ event: 'day', item, fields: {} }, 0);
  report({ ...sent, outcome: 'pushed' });
  report({ ...sent, outcome: 'rejected', message: 'hrv is too high' });
  await clock.advance(3_000);
  expect(shown).toEqual([
    'sync: refused by the platform | Wellness of 2026-02-15: hrv is too high',
  ]);
});

it('names the first of several recordings, and counts the others', async () => {
  const { clock, shown, notifications } = open();
  for (const name of ['a.fit', 'b.fit', 'c.fit']) {
    notifications.report(missing(name), 0);
    notifications.report(damaged(name), 0);
    notifications.report(refused(`/r/${name}`, 'too old'), 0);
  }
  await clock.advance(3_000);
  expect(shown).toEqual([
    'sync: refused by the platform | a.fit and 2 more. Run `sync status`.',
    'sync: damaged or incomplete recording | a.fit and 2 more.',
    'sync: uploads without a workout | a.fit and 2 more. Run `sync verify`.',
  ]);
});

it('shows at once that nothing is sent until the user acts', () => {
  const { shown, notifications } = open();
  notifications.report(LOGIN_ENDED, 3);
  notifications.report(
    { event: 'login-ending', endsAt: '2026-02-18T08:00:00.000Z', daysLeft: 2 },
    0,
  );
  const stuck = { event: 'obstacle', queued: 1 } as const;
  notifications.report({ ...stuck, obstacle: 'keychain', message: 'The keychain is locked.' }, 1);
  notifications.report({ ...stuck, obstacle: 'storage', message: 'The disk is full.' }, 1);
  notifications.report({ ...stuck, obstacle: 'offline', message: 'No connection.' }, 1);
  notifications.report({ ...stuck, obstacle: 'service', message: 'It answered 503.' }, 1);
  expect(shown).toEqual([
    'sync: recordings wait for a login | The login has ended. Run `sync login`.',
    'sync: the login ends soon | It ends in 2 days. Run `sync login` before that.',
    'sync: recordings wait | The keychain is locked.',
    'sync: recordings wait | The disk is full.',
  ]);
});

it('asks at once for a device that left with recordings, and for no other', () => {
  const { shown, notifications } = open('needed');
  const device = { event: 'device', device: 'serial:garmin:1', title: 'Garmin Edge 840' } as const;
  notifications.report({ ...device, state: 'plugged-in', root: '/media/EDGE' }, 0);
  notifications.report({ ...device, state: 'away' }, 0);
  notifications.report({ ...device, state: 'away', left: 32 }, 0);
  const folder = { event: 'folder', folder: '/media/EDGE/Garmin', state: 'waiting' } as const;
  notifications.report({ ...folder, reason: 'It disappeared.' }, 0);
  notifications.report({ ...folder, reason: 'It disappeared with one.', left: 1 }, 0);
  expect(shown).toEqual([
    'sync: a device left with recordings | 32 recordings are still on the Garmin Edge 840: plug it in again.',
    'sync: a device left with recordings | /media/EDGE/Garmin: It disappeared with one.',
  ]);
});

it.each([
  ['needed', ['sync: recordings wait for a login', 'sync: refused by the platform']],
  ['off', []],
] as const)('shows with notifications=%s: %j', async (mode, titles) => {
  const { clock, shown, notifications } = open(mode);
  notifications.report(upload(RIDE), 0);
  notifications.report(refused('/r/old.fit', 'too old'), 0);
  notifications.report(LOGIN_ENDED, 0);
  await clock.advance(60_000);
  notifications.flush();
  expect(shown.map((line) => line.split(' | ')[0])).toEqual(titles);
});

it('writes only its own words into a title', async () => {
  const { clock, shown, notifications } = open();
  const name = '<b>x<b>';
  notifications.report(upload({ outcome: 'uploaded', ...ARRIVED, activity: activity(name) }), 0);
  notifications.report(refused(`/r/${name}`, name), 0);
  notifications.report(damaged(name), 0);
  notifications.report(missing(name), 0);
  notifications.report({ ...LOGIN_ENDED, message: name }, 0);
  await clock.advance(3_000);
  expect(shown).toHaveLength(5);
  for (const line of shown) {
    const [title, text] = line.split(' | ');
    expect(title).not.toContain('<');
    expect(text).toContain(name);
  }
});
