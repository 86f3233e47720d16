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
        unsent: count(
          'Recordings that were not sent; over MTP, compared by name.',
          'there is a login',
        ),
        tcxFiles: count('Files of the kind .tcx, which are not sent.', 'it has any'),
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
};

const DEVICES: LineKind = {
  types: ['summary'],
  of: 'devices',
  about: 'How many devices there are; the last line.',
  commands: ['devices'],
  fields: {
    total: count('Devices and apps that were found.'),
    searched: texts('Folders in which devices were searched; `*` stands for any name.'),
    silent: texts('Folders that did not answer in time.'),
  },
};

export const DEVICE_LINES: readonly LineKind[] = [DEVICE, DEVICES];
