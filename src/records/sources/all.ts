import { cronometer } from './cronometer.ts';
import { fatSecret } from './fatsecret.ts';
import { fitbit } from './fitbit.ts';
import { foodLog } from './food-log.ts';
import { healthAutoExport } from './health-auto-export.ts';
import { myFitnessPal } from './myfitnesspal.ts';
import { platformTable } from './platform-table.ts';
import { samsungHealth } from './samsung-health.ts';
import type { Source } from './types.ts';
import { withings } from './withings.ts';

/** Every source that sync knows, in the order of `sync sources`. */
export const SOURCES: readonly Source[] = [
  fitbit,
  healthAutoExport,
  samsungHealth,
  withings,
  cronometer,
  fatSecret,
  myFitnessPal,
  foodLog,
  platformTable,
];
