import type { SyncError } from '../base/errors.ts';

/**
 * A service that answers 500 to the same item in so many runs, and takes other items meanwhile, will
 * not take it: then the item is `rejected`, so that it does not look like an outage for ever.
 */
export const ENOUGH_FAULTS = 3;

/** Did the service itself fail on the request (500)? A gateway's 502 to 504 say nothing about the item. */
export function isServiceFault({ code, details }: SyncError): boolean {
  return code === 'SERVICE_UNAVAILABLE' && details['status'] === 500;
}

/** Returns the reason as a sentence. @param item such as "this recording", "this day" */
export function faultMessage(item: string, count: number): string {
  return (
    `the service failed on ${item} in ${count} runs (500), and took others meanwhile; ` +
    'what is in it may be more than it can store.'
  );
}
