/** What a row needs is missing: the report names it, and the run goes on without a failure. */
export class NotMeasured extends Error {}
