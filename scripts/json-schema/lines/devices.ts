import * as f from '../fields.ts';
import { line, summary } from '../line-kind.ts';
import { activity } from './shared.ts';

export const DEVICE_LINES = {
  device: line(
    'devices',
    'A device that is connected, or an app with recordings on this machine.',
    {
      key: f.text('The same wherever the device is mounted, if it or its volume has a number.'),
      kind: f.word('What it is.', { device: 'a watch, a bike computer or a card', app: 'an app' }),
      title: f.text('Its name for people.'),
      maker: f.text('Its maker, such as `garmin`; `unknown` if no file names it.'),
      model: f.text('Its model.', 'a file of the device names it'),
      serial: f.text('Its serial number.', 'a file of the device states it'),
      root: f.text('Where it is mounted, or a folder of the app.'),
      access: f.word('How its files are read.', {
        disk: 'as a disk',
        mtp: 'over MTP, which is slow',
      }),
      recordings: f.object('Its recordings.', {
        folders: f.texts('The folders with recordings.'),
        files: f.count('Files in them with the name of a recording.'),
        unsent: f.count(
          'Recordings that were not sent; over MTP, compared by name.',
          'there is a login',
        ),
        tcxFiles: f.count(
          'Files of the kind .tcx, which `sync upload` sends, and `sync watch` does not.',
          'it has any',
        ),
      }),
      wellness: f.object('Its wellness files.', {
        folders: f.texts('The folders with wellness files.'),
        files: f.count('FIT files in them.'),
      }),
      newest: f.object(
        'The recording that was made last.',
        'there is one and a file tells; over MTP, its name',
        { path: f.text('The file.'), ...activity },
      ),
    },
  ),

  'summary of devices': summary('devices', 'How many devices there are', {
    total: f.count('Devices and apps that were found.'),
    searched: f.texts('Folders in which devices were searched; `*` stands for any name.'),
    silent: f.texts('Folders that did not answer in time.'),
  }),
};
