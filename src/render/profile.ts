import type { ProfileReport } from '../commands/profile.ts';
import { isObject } from '../api/wire.ts';
import { oneLine } from '../terminal/words.ts';

export function profileReport(report: ProfileReport): Record<string, unknown> {
  return { type: 'profile', ...report };
}

export function profileText(report: ProfileReport): string {
  if (report.action === 'would-update') {
    const lines = report.requests.flatMap(({ method, url, body, when }) => [
      `  ${method} ${url}${when === undefined ? '' : ` (${when})`}`,
      ...(body === undefined ? [] : [`  ${JSON.stringify(body)}`]),
    ]);
    return ['Would be sent:', ...lines].join('\n');
  }
  if (report.profile === undefined) return 'The profile is updated.';
  const head = report.action === 'updated' ? ['The profile is updated. It now says:'] : [];
  return [...head, ...profileLines(report.profile)].join('\n');
}

/**
 * The weight is in kg whatever `weightUnits` says: that is the unit in which the athlete reads it on the
 * service's own pages.
 */
const UNITS: Readonly<Record<string, string>> = {
  weight: 'kg',
  ftp: 'W',
  maxHr: 'bpm',
  lthr: 'bpm',
  weightUnits: "(on the service's pages)",
};

function profileLines(profile: unknown): string[] {
  if (!isObject(profile)) return [JSON.stringify(profile, null, 2)];
  return Object.entries(profile)
    .filter(([, value]) => value !== null && typeof value !== 'object')
    .map(([key, value]) => {
      const unit = UNITS[key];
      return `${key.padEnd(14)} ${oneLine(String(value))}${unit === undefined ? '' : ` ${unit}`}`;
    });
}
