// Transitional: the old names, for commands that are not yet one file.
import type { AppContext } from './context.ts';
import type { Deps } from './deps.ts';

export {
  configFor,
  pathsFor,
  quietConfigFor,
  warnOfDistrust,
  zoneFor,
  zoneShown,
} from './config.ts';
export { connectOptions } from './connect.ts';
export { wholeNumber } from './flags.ts';

export interface Invocation extends AppContext {
  readonly deps: Deps;
}
