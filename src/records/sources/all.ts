import { garminApi } from './garmin-api.ts';
import { garminExport } from './garmin-export.ts';
import { intervalsIcu } from './intervals-icu.ts';
import { oura } from './oura.ts';
import { platformTable } from './platform-table.ts';
import type { Source } from './types.ts';
import { whoop } from './whoop.ts';

/** Every source that sync knows, in the order of `sync sources`. */
export const SOURCES: readonly Source[] = [
  intervalsIcu,
  garminExport,
  garminApi,
  oura,
  whoop,
  platformTable,
];
