import type { Env } from '../base/env.ts';
import type { MountReader } from './mount-reader.ts';
import type { SearchRequest } from './protocol.ts';
import type { Device, MountPattern } from './types.ts';

/*
 * Apps that keep the recordings of their rides on this machine. Evidence is an address of a public page,
 * or `owner/repository path`. Nothing here was tried with an installed app.
 */

/** The systems that have folders of apps. */
type AppPlatform = 'linux' | 'darwin' | 'win32';

/** A variable in place of the first folder. */
const VARIABLE = /^%([^%]+)%/;

export interface App {
  /** As in the key of a device. */
  readonly name: string;
  readonly title: string;
  /**
   * Folders with recordings, on each system. `~` is the home folder, `%NAME%` a variable of the
   * environment. A `*` stands for any text in one name.
   */
  readonly folders: Readonly<Partial<Record<AppPlatform, readonly string[]>>>;
  readonly evidence: readonly string[];
  /** False if the evidence is no page of the maker and no program that its users rely on. */
  readonly confirmed: boolean;
}

const FAKER = 'jat255/Fit-File-Faker fit_file_faker/app_registry.py';

/** No public page says that the app keeps recordings on this machine. */
const NO_FOLDER = { folders: {}, evidence: [], confirmed: false } as const;

export const APPS: readonly App[] = [
  {
    name: 'zwift',
    title: 'Zwift',
    folders: {
      linux: [
        '~/Documents/Zwift/Activities',
        '~/.wine/drive_c/users/*/Documents/Zwift/Activities',
        '~/.steam/steam/steamapps/compatdata/1134130/pfx/drive_c/users/*/Documents/Zwift/Activities',
      ],
      darwin: ['~/Documents/Zwift/Activities'],
      win32: ['~/Documents/Zwift/Activities', '%OneDrive%/Documents/Zwift/Activities'],
    },
    evidence: [FAKER],
    confirmed: true,
  },
  {
    name: 'mywhoosh',
    title: 'MyWhoosh',
    folders: {
      darwin: [
        '~/Library/Containers/com.whoosh.whooshgame/Data/Library/Application Support/Epic/MyWhoosh/Content/Data',
      ],
      win32: [
        '%LOCALAPPDATA%/Packages/MyWhooshTechnologyService.*/LocalCache/Local/MyWhoosh/Content/Data',
      ],
    },
    evidence: [FAKER, 'JayQueue/MyWhoosh2Garmin myWhoosh2Garmin.py'],
    confirmed: true,
  },
  {
    name: 'tpvirtual',
    title: 'TrainingPeaks Virtual',
    folders: {
      linux: ['~/Documents/TPVirtual/*/FITFiles'],
      darwin: ['~/TPVirtual/*/FITFiles'],
      win32: ['~/Documents/TPVirtual/*/FITFiles'],
    },
    evidence: [FAKER, 'jat255/Fit-File-Faker README.md'],
    confirmed: true,
  },
  {
    name: 'goldencheetah',
    title: 'GoldenCheetah',
    // `activities` holds its own format; the original files are in these.
    folders: {
      linux: ['~/.goldencheetah/*/imports', '~/.goldencheetah/*/downloads'],
      darwin: ['~/Library/GoldenCheetah/*/imports', '~/Library/GoldenCheetah/*/downloads'],
      win32: ['%LOCALAPPDATA%/GoldenCheetah/*/imports', '%LOCALAPPDATA%/GoldenCheetah/*/downloads'],
    },
    evidence: [
      'https://github.com/GoldenCheetah/GoldenCheetah/wiki/FAQ-DATA',
      'GoldenCheetah/GoldenCheetah src/Core/Athlete.cpp',
    ],
    confirmed: true,
  },
  {
    name: 'garmin-express',
    title: 'Garmin Express',
    folders: {
      darwin: ['~/Library/Application Support/Garmin/GarminConnect/*/Upload/FIT_TYPE_4'],
      win32: [
        '%PROGRAMDATA%/Garmin/GarminConnect/*/FIT_TYPE_4',
        '%PROGRAMDATA%/Garmin/CoreService/Devices/*/Sync/FIT_TYPE_4',
      ],
    },
    evidence: ['Runalyze/docs starting-guide/import.rst'],
    confirmed: true,
  },
  {
    name: 'trainerroad',
    title: 'TrainerRoad',
    folders: {
      darwin: ['~/Documents/TrainerRoad'],
      win32: ['~/Documents/TrainerRoad'],
    },
    evidence: ['https://github.com/johnazariah/fitwatch'],
    confirmed: false,
  },
  { name: 'rouvy', title: 'ROUVY', ...NO_FOLDER },
  { name: 'systm', title: 'Wahoo SYSTM', ...NO_FOLDER },
  { name: 'tacx', title: 'Tacx Training', ...NO_FOLDER },
  { name: 'ictrainer', title: 'icTrainer', ...NO_FOLDER },
];

/** Returns the variables of an environment that name folders of apps, and no others. */
export function appVariables(env: Env): Env {
  const folders = APPS.flatMap((app) => Object.values(app.folders).flat());
  const names = new Set(folders.flatMap((folder) => variableOf(folder) ?? []));
  return Object.fromEntries([...names].map((name) => [name, env[name]]));
}

/** Returns the name of the variable in a folder of {@link APPS}; undefined if there is none. */
export function variableOf(folder: string): string | undefined {
  return VARIABLE.exec(folder)?.[1];
}

/** Finds the apps that keep recordings on this machine. @throws NoAnswer */
export async function findApps(
  reader: MountReader,
  request: SearchRequest,
  expand: (pattern: MountPattern) => Promise<readonly string[]>,
): Promise<readonly Device[]> {
  const found: Device[] = [];
  for (const { name, title, folders } of APPS) {
    const recordings = new Set<string>();
    for (const template of folders[request.platform as AppPlatform] ?? []) {
      const pattern = patternOf(template, request);
      if (pattern === undefined) continue;
      for (const folder of await expand(pattern)) {
        if ((await reader.names(folder)) === undefined) continue;
        // Wine links its `Documents` to that of the user.
        recordings.add((await reader.realPath(folder)) ?? folder);
      }
    }
    const [root] = recordings;
    if (root === undefined) continue;
    const folder = { root, recordings: [...recordings], wellness: [] };
    found.push({ key: `path:${root}`, kind: 'app', title, maker: name, ...folder, access: 'disk' });
  }
  return found;
}

function patternOf(
  template: string,
  { env, homeDir }: Pick<SearchRequest, 'env' | 'homeDir'>,
): MountPattern | undefined {
  const [, ...below] = template.split('/');
  const variable = variableOf(template);
  const root = variable === undefined ? homeDir : env[variable];
  return root ? { root, below } : undefined;
}
