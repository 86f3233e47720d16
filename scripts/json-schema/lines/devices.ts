import { count, object, text, texts, word } from '../fields.ts';
import { line } from '../line-kind.ts';
import { activity } from './shared.ts';

const DEVICE = line('device', {
  about: 'A device that is connected, or an app with recordings on this machine.',
  commands: ['devices'],
  fields: {
    key: text('The same wherever the device is mounted, if it or its volume has a number.'),
    kind: word('What it is.', { device: 'a watch, a bike computer or a card', app: 'an app' }),
    title: text('Its name for people.'),
    maker: text('Its maker, such as `garmin`; `unknown` if no file names it.'),
    model: text('Its model.', 'a file of the device names it'),
    serial: text('Its serial number.', 'a file of the device states it'),
    root: text('Where it is mounted, or a folder of the app.'),
    access: word('How its files are read.', { disk: 'as a disk', mtp: 'over MTP, which is slow' }),
    recordings: object('Its recordings.', {
      folders: texts('The folders with recordings.'),
      files: count('Files in them with the name of a recording.'),
      unsent: count(
        'Recordings that were not sent; over MTP, compared by name.',
        'there is a login',
      ),
      tcxFiles: count(
        'Files of the kind .tcx, which `sync upload` sends, and `sync watch` does not.',
        'it has any',
      ),
    }),
    wellness: object('Its wellness files.', {
      folders: texts('The folders with wellness files.'),
      files: count('FIT files in them.'),
    }),
    newest: object(
      'The recording that was made last.',
      'there is one and a file tells; over MTP, its name',
      { path: text('The file.'), ...activity },
    ),
  },
});

const DEVICES = line('summary of devices', {
  about: 'How many devices there are; the last line.',
  commands: ['devices'],
  fields: {
    total: count('Devices and apps that were found.'),
    searched: texts('Folders in which devices were searched; `*` stands for any name.'),
    silent: texts('Folders that did not answer in time.'),
  },
});

export const DEVICE_LINES = [DEVICE, DEVICES];
