import { basename } from 'node:path';
import { type ActivityView, activityJson, activityText } from '../../app/words/activities.ts';
import { type Text, joinTexts, phrase, sync } from '../../base/phrase.ts';
import type { SurveyedDevice } from '../../devices/types.ts';
import { plural } from '../../terminal/words.ts';

/** @param unsent recordings that were not sent; undefined without a login */
export function surveyJson(
  { files, newest, recordings, wellness, wellnessFiles, tcxFiles, ...device }: SurveyedDevice,
  unsent: number | undefined,
): Record<string, unknown> {
  const activity = newest?.activity && activityJson(newest.activity);
  return {
    type: 'device',
    ...device,
    owners: undefined,
    recordings: {
      folders: recordings,
      files: files.length,
      ...(unsent === undefined ? {} : { unsent }),
      ...(tcxFiles === 0 ? {} : { tcxFiles }),
    },
    wellness: { folders: wellness, files: wellnessFiles },
    ...(newest === undefined
      ? {}
      : { newest: { path: newest.path, ...(activity && { activity }) } }),
  };
}

/** Describes a device in a few lines, with the command that sends its recordings. */
export function surveyText(
  {
    kind,
    title,
    serial,
    root,
    access,
    recordings,
    files,
    newest,
    wellnessFiles,
    tcxFiles,
  }: SurveyedDevice,
  unsent: number | undefined,
  view: ActivityView,
): Text {
  const head = [
    title,
    ...(kind === 'app' ? ['app'] : []),
    ...(serial ? [`serial number ${serial}`] : []),
  ];
  const lines: Text[] = [
    head.join(', '),
    access === 'mtp' ? 'connected over MTP' : root,
    recordingsText(files.length, unsent, access),
  ];
  if (tcxFiles > 0) {
    lines.push(phrase`${plural(tcxFiles, '.tcx file')}, which ${sync('upload', root)} sends`);
  }
  if (newest !== undefined) {
    const name = basename(newest.path);
    const { activity } = newest;
    lines.push(`newest: ${activity === undefined ? name : activityText(activity, name, view)}`);
  }
  if (wellnessFiles > 0) lines.push(plural(wellnessFiles, 'wellness file'));
  if (files.length > 0 && unsent !== 0)
    lines.push(phrase`Send them: ${sync('upload', ...recordings)}`);
  return joinTexts(lines, '\n  ');
}

function recordingsText(
  files: number,
  unsent: number | undefined,
  access: SurveyedDevice['access'],
): string {
  if (files === 0) return 'no recordings';
  const count = plural(files, 'recording');
  if (unsent === undefined) return count;
  const how = access === 'mtp' ? ' (compared by name)' : '';
  return `${count}, ${unsent === 0 ? 'all' : `${unsent} not`} sent${how}`;
}

/** Follows the list of devices, without a login and with one. */
export const LOGIN_FIRST = phrase`Run ${sync('login')} to see which recordings were not sent.`;
export const WATCH_THEM = phrase`${sync('watch', '--devices')} sends new recordings whenever a device is plugged in.`;

export const RECONNECT = phrase`If it is a device, unplug it, connect it again, and run ${sync('devices')} again.`;

/** Says where devices were searched, and how to connect one. */
export function nothingText(
  searched: readonly string[],
  platform: NodeJS.Platform,
  named: boolean,
): Text {
  const where = `No device ${named ? '' : 'or app '}found in ${searched.join(', ')}.`;
  if (named) {
    return phrase`${where}\n  A device has a folder such as Garmin/Activity. To send the recordings of any folder: ${sync('upload', 'DIR')}`;
  }
  return phrase`${where}\n  ${HOW_TO_CONNECT[platform] ?? HOW_TO_CONNECT.linux}\n  A card at another place: ${sync('devices', 'DIR')}`;
}

const UNLOCK =
  'Connect the device by USB, unlock it, and choose MTP or mass storage if it has a setting for USB.';

const HOW_TO_CONNECT: Partial<Record<NodeJS.Platform, string>> & { readonly linux: string } = {
  linux: `${UNLOCK} Then open it once in the file manager, which mounts it.`,
  darwin: `${UNLOCK} macOS shows no MTP devices: choose mass storage, or use Garmin Express.`,
  win32: `${UNLOCK} Windows gives MTP devices no drive letter: choose mass storage, or copy the recordings to a folder.`,
};
