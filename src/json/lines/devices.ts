import { count, object, text, texts, word } from '../fields.ts';
import type { LineKind } from '../line-kind.ts';
import { activity } from './shared.ts';

const DEVICE: LineKind = {
  types: ['device'],
  about: 'A device that is connected, or an app with recordings on this machine.',
  commands: ['devices'],
  fields: {
    key: text('The same wherever the device is mounted, if it or its volume has a number.'),
    kind: word({ device: 'a watch, a bike computer or a card', app: 'an app' }, 'What it is.'),
    title: text('Its name for people.'),
    maker: text('Its maker, such as `garmin`; `unknown` if no file names it.'),
    model: text('Its model.', 'a file of the device names it'),
    serial: text('Its serial number.', 'a file of the device states it'),
    root: text('Where it is mounted, or a folder of the app.'),
    access: word({ disk: 'as a disk', mtp: 'over MTP, which is slow' }, 'How its files are read.'),
    recordings: object(
      {
        folders: texts('The folders with recordings.'),
        files: count('Files in them with the name of a recording.'),
        unsent: count('Recordings that were not sent.', 'there is a login'),
      },
      'Its recordings.',
    ),
    wellness: object(
      {
        folders: texts('The folders with wellness files.'),
        files: count('FIT files in them.'),
      },
      'Its wellness files.',
    ),
    newest: object(
      { path: text('The file.'), ...activity },
      'The recording that was made last.',
      'there is one and a file tells; over MTP, its name',
    ),
  },
  examples: [
    {
      key: 'serial:garmin:3412345678',
      kind: 'device',
      title: 'Garmin Edge 840',
      maker: 'garmin',
      model: 'Edge 840',
      serial: '3412345678',
      root: '/media/ada/GARMIN',
      access: 'disk',
      recordings: { folders: ['/media/ada/GARMIN/Garmin/Activity'], files: 212, unsent: 3 },
      wellness: { folders: ['/media/ada/GARMIN/Garmin/Monitor'], files: 31 },
      newest: {
        path: '/media/ada/GARMIN/Garmin/Activity/2026-11-21-07-00-00.fit',
        activity: {
          name: 'Morning ride',
          startedAt: '2026-11-21T08:00:00+01:00',
          durationSecs: 9396,
          distanceMeters: 87912.4,
        },
      },
    },
  ],
};

const DEVICES: LineKind = {
  types: ['devices'],
  about: 'The end of a search for devices.',
  commands: ['devices'],
  fields: {
    found: count('Devices and apps that were found.'),
    searched: texts('Folders in which devices were searched; `*` stands for any name.'),
    silent: texts('Folders that did not answer in time.'),
  },
  examples: [{ found: 1, searched: ['/media/*', '/media/*/*'], silent: [] }],
};

export const DEVICE_LINES: readonly LineKind[] = [DEVICE, DEVICES];
