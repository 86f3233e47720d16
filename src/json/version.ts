/**
 * Version of the lines that `--json` prints: their field `v`. It rises if a kind of line or a field is
 * renamed, removed or changes its meaning; a new one does not raise it.
 */
export const JSON_VERSION = 1;
