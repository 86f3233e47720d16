import type { Config } from '../../config/config.ts';
import type { SendOptions } from '../../upload/known-outcome.ts';

/** Returns what the flag, or the setting, says of a ride that was sent already. */
export function sameRideOf(
  { sameRide = false }: { readonly sameRide?: boolean },
  config: Config,
): SendOptions['sameRide'] {
  if (sameRide) return 'send';
  return config.get('sameRide') === 'first' ? 'hold' : undefined;
}
