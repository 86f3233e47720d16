/*
 * Makers of devices, and where their devices keep files. Evidence is an address of a public page, or
 * `owner/repository path`. Nothing here was tried on a device of our own.
 */

/** A maker whose devices show their files, as a disk or over MTP. */
export interface Maker {
  /** As in the key of a device. */
  readonly name: string;
  readonly title: string;
  /** Its name in the FIT profile, if a recording of it names it. */
  readonly fit?: string;
  /** Folders with recordings, from the root of the storage; `.` is the root. In any letter case. */
  readonly recordings: readonly string[];
  /** Folders with wellness files. */
  readonly wellness?: readonly string[];
  /**
   * `folder`: the folders above occur on no other device. `volume`: they do, and the volume has one of
   * {@link volumes} as a word of its name, unless the recordings name others; or they name this maker.
   */
  readonly knownBy: 'folder' | 'volume';
  /** Words in the names of its volumes, in upper case. */
  readonly volumes?: readonly string[];
  /** Systems on which its files show, for the documentation. */
  readonly systems: string;
  readonly evidence: readonly string[];
  /** False if the evidence is no page of the maker and no program that its users rely on. */
  readonly confirmed: boolean;
}

/**
 * Makers with evidence, the first that fits. Recordings of others in a usual folder are found too, and
 * name their maker.
 */
export const MAKERS: readonly Maker[] = [
  {
    name: 'garmin',
    title: 'Garmin',
    fit: 'garmin',
    // Older devices and the hand-held ones have `Activities`. The oldest have .tcx files in `History`.
    recordings: ['Garmin/Activity', 'Garmin/Activities', 'Garmin/History'],
    wellness: [
      'Garmin/Monitor',
      'Garmin/Metrics',
      'Garmin/HRVStatus',
      'Garmin/Sleep',
      'Garmin/Weight',
    ],
    knownBy: 'folder',
    systems: 'Linux (disk, MTP), macOS and Windows (disk)',
    evidence: [
      'simontom/GarminMtpDataBackupper README.md',
      'kyessenov/dotfiles scripts/garmin.sh',
      'stacksjs/ts-watches packages/ts-watches/src/drivers/garmin.ts',
      'https://github.com/truedevopsmk-lab/muthu-performance-lab',
      'https://gpsrchive.com/eTrex/eTrex%20SE/Files%20and%20Folders.html',
    ],
    confirmed: true,
  },
  {
    name: 'hammerhead',
    title: 'Hammerhead',
    fit: 'hammerhead',
    recordings: ['FitFiles'],
    knownBy: 'folder',
    systems: 'Linux (MTP)',
    evidence: ['lockevod/KGhost README.md'],
    confirmed: true,
  },
  {
    name: 'wahoo',
    title: 'Wahoo',
    fit: 'wahoo_fitness',
    recordings: ['exports'],
    knownBy: 'volume',
    volumes: ['ELEMNT', 'WAHOO', 'BOLT', 'ROAM'],
    systems: 'Linux (MTP)',
    evidence: [
      'https://support.wahoofitness.com/hc/en-us/articles/28544587410450-Connect-an-ACE-BOLT-3-or-ROAM-3-to-a-desktop-laptop-computer',
      'TylerBestRepo/DFYCyclingShapeFile README.md',
    ],
    confirmed: true,
  },
  {
    name: 'bryton',
    title: 'Bryton',
    fit: 'bryton',
    recordings: ['Activities', '.'],
    knownBy: 'volume',
    volumes: ['BRYTON'],
    systems: 'Linux, macOS, Windows (disk)',
    evidence: ['https://github.com/Pitmairen/bryton-gps-linux/issues/26'],
    confirmed: false,
  },
  {
    name: 'coros',
    title: 'COROS',
    fit: 'coros',
    recordings: ['COROS/Activity', 'Activity'],
    knownBy: 'volume',
    volumes: ['COROS', 'DURA'],
    systems: 'Linux, macOS, Windows (disk)',
    evidence: ['stacksjs/ts-watches packages/ts-watches/src/drivers/coros.ts'],
    confirmed: false,
  },
];

/** Folders that are searched on volumes with any name: the recordings in them name the maker. */
export const USUAL_FOLDERS = ['Activities', 'Activity', 'exports', 'iGPSPORT/Activities'];
