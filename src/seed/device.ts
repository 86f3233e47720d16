import type { Sport } from './character.ts';

/** A device by its numbers in FIT files. */
export interface Device {
  readonly name: string;
  readonly manufacturer: number;
  readonly product: number;
}

const GARMIN = 1;

/**
 * Devices that record all workouts of an athlete: a bike computer, or a watch that swims and runs too.
 * Numbers are those of the FIT profile (types `manufacturer` and `garmin_product`). The products of
 * other makers are those in public recordings: of dtcooper/python-fitparse (Wahoo) and
 * jat255/Fit-File-Faker (COROS).
 */
export const DEVICES: Readonly<Record<Sport, readonly [Device, ...Device[]]>> = {
  cyclist: [
    { name: 'Edge 840', manufacturer: GARMIN, product: 4062 },
    { name: 'ELEMNT', manufacturer: 32, product: 28 },
    { name: 'COROS DURA', manufacturer: 294, product: 851 },
    { name: 'Edge 1040', manufacturer: GARMIN, product: 3843 },
  ],
  triathlete: [
    { name: 'Forerunner 965', manufacturer: GARMIN, product: 4315 },
    { name: 'fenix 7', manufacturer: GARMIN, product: 3906 },
  ],
  runner: [
    { name: 'Forerunner 255', manufacturer: GARMIN, product: 3992 },
    { name: 'Forerunner 955', manufacturer: GARMIN, product: 4024 },
  ],
};
