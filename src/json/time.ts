/**
 * Returns a copy in which these fields are times as `--json` prints them: ISO 8601 in UTC. A field that is
 * absent stays absent.
 *
 * @param names of fields that hold ms since 1970
 */
export function withIsoTimes(object: object, ...names: readonly string[]): Record<string, unknown> {
  const times = Object.entries(object)
    .filter(([name, value]) => names.includes(name) && typeof value === 'number')
    .map(([name, ms]) => [name, new Date(ms as number).toISOString()] as const);
  return { ...object, ...Object.fromEntries(times) };
}
