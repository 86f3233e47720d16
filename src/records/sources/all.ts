import { appleHealth } from './apple-health.ts';
import { cronometer } from './cronometer.ts';
import { eufy } from './eufy.ts';
import { fatSecret } from './fatsecret.ts';
import { fit } from './fit.ts';
import { fitbit } from './fitbit.ts';
import { foodLog } from './food-log.ts';
import { garminApi } from './garmin-api.ts';
import { garminExport } from './garmin-export.ts';
import { garminWeb } from './garmin-web.ts';
import { googleFit } from './google-fit.ts';
import { healthAutoExport } from './health-auto-export.ts';
import { intervalsIcu } from './intervals-icu.ts';
import { lifesum } from './lifesum.ts';
import { loseIt } from './lose-it.ts';
import { myFitnessPal } from './myfitnesspal.ts';
import { oura } from './oura.ts';
import { platformTable } from './platform-table.ts';
import { samsungHealth } from './samsung-health.ts';
import type { Source } from './types.ts';
import { whoop } from './whoop.ts';
import { withings } from './withings.ts';
import { zepp } from './zepp.ts';

/** Every source that sync knows, in the order of `sync sources`. */
export const SOURCES: readonly Source[] = [
  garminExport,
  garminApi,
  garminWeb,
  fit,
  intervalsIcu,
  oura,
  whoop,
  appleHealth,
  fitbit,
  googleFit,
  withings,
  eufy,
  samsungHealth,
  zepp,
  healthAutoExport,
  cronometer,
  myFitnessPal,
  fatSecret,
  lifesum,
  loseIt,
  foodLog,
  platformTable,
];
