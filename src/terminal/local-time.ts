/**
 * Formats an instant as `2026-02-15 07:10` in a zone.
 *
 * @param value ISO 8601 with an offset; a plain date, or text that is no time, is returned unchanged
 * @param zone IANA zone name
 */
export function localTime(value: unknown, zone: string): string {
  if (typeof value !== 'string') return '';
  const time = /T.*(?:Z|[+-]\d\d:?\d\d)$/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) return value;
  const parts = formatFor(zone).formatToParts(time);
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}`;
}

/** The format of the zone that was used last: making one takes longer than using it. */
let cached: { readonly zone: string; readonly format: Intl.DateTimeFormat } | undefined;

function formatFor(zone: string): Intl.DateTimeFormat {
  if (cached?.zone !== zone) {
    const format = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    });
    cached = { zone, format };
  }
  return cached.format;
}
