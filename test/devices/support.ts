import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { findDevices, surveyDevices } from '../../src/devices/find.ts';
import { mountsIn } from '../../src/devices/places.ts';
import type {
  FoundDevices,
  MountPattern,
  Places,
  SurveyedDevice,
} from '../../src/devices/types.ts';
import { never } from '../auth/support.ts';
import { useBuild } from '../support/build.ts';
import { type RecordingOptions, makeRecording } from '../support/fit-maker.ts';

/** Numbers of the FIT profile. */
export const MANUFACTURER = {
  garmin: 1,
  wahoo: 32,
  sigma: 70,
  igpsport: 115,
  lezyne: 258,
  bryton: 267,
};
/** Edge 840. */
export const EDGE_840 = 4062;

/** Builds the child process once for a test file, and returns searches that use it. */
export function deviceSearch() {
  const program = useBuild({ 'device-child': 'src/devices/device-child.ts' });
  const places = (over: Partial<Places>): Places => ({
    platform: process.platform,
    env: process.env,
    homeDir: '',
    mounts: [],
    apps: false,
    childPath: program('device-child'),
    ...over,
  });
  return {
    find: async (over: Partial<Places>, signal = never): Promise<FoundDevices> =>
      await findDevices(places(over), signal),
    /** Surveys what is in a folder, as `sync devices DIR` does. */
    surveyIn: async (
      folder: string,
      owners?: readonly number[],
    ): Promise<FoundDevices<SurveyedDevice>> =>
      await surveyDevices(places({ mounts: mountsIn(folder), owners }), never),
  };
}

/** Returns a pattern for each folder in `root`, as for `/media/*`. */
export function foldersOf(root: string): readonly MountPattern[] {
  return [{ root, below: ['*'] }];
}

/** Writes a file with the folders above it. */
export function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** Writes a short recording; its folder may be missing. */
export function writeRecording(path: string, options: RecordingOptions = {}): void {
  write(path, makeRecording({ durationSecs: 60, ...options }));
}

export function garminXml(model: string, id: string): string {
  return `<?xml version="1.0" encoding="UTF-8" standalone="no" ?>
<Device xmlns="http://www.garmin.com/xmlschemas/GarminDevice/v2">
  <Model>
    <PartNumber>006-B4062-00</PartNumber>
    <SoftwareVersion>1030</SoftwareVersion>
    <Description>${model}</Description>
  </Model>
  <Id>${id}</Id>
  <MassStorageMode><DataType><Name>FIT_TYPE_4</Name></DataType></MassStorageMode>
</Device>`;
}
