/**
 * How long one request may take, stage by stage, in ms; docs/architecture.md has them as a table. Each
 * stage has a limit, so that no request, whatever the other side does, waits for ever.
 */

/**
 * Waiting while others use all connections. Each of those has limits of its own; a large recording on a
 * slow line takes minutes.
 */
export const TURN_TIMEOUT_MS = 600_000;
/** Until a connection stands. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** Silence, sending or answering, unless the request says otherwise. */
export const SILENCE_TIMEOUT_MS = 60_000;
/** From the end of the request to the end of its answer, however steadily that drips. */
export const ANSWER_TIMEOUT_MS = 300_000;
