import { platformTable } from './platform-table.ts';
import type { Source } from './types.ts';

/** Every source that sync knows, in the order of `sync sources`. */
export const SOURCES: readonly Source[] = [platformTable];
