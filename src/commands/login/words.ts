import { type Text, joinTexts, phrase, sync } from '../../base/phrase.ts';
import type { Account } from '../../config/config.ts';
import type { MissingFeature } from '../../config/scopes.ts';
import type { SettingKey } from '../../config/settings.ts';
import { duration } from '../../terminal/words.ts';
import type { LoginReport } from './keep.ts';

export function loginText(report: LoginReport, now: number): Text {
  const { account, replaced, service, store, missing } = report;
  const lines: Text[] = [
    `Logged in${account === undefined ? '' : ` as ${who(account)}`} at ${service}.`,
    `The login is kept in ${store.where}${store.kind === 'file' ? ' (not in the keychain)' : ''}.`,
  ];
  if (replaced !== undefined) lines.push(`It replaces the login of ${who(replaced)}.`);
  lines.push(...savedText(report));
  const declined = missing.filter(({ asked }) => asked);
  if (declined.length > 0) {
    lines.push('Not granted, so these will not work:', ...declined.map(missingText));
    lines.push(phrase`Run ${sync('login')} again to ask for them again.`);
  }
  if (!report.renewable) {
    const ends = report.accessExpiresAt;
    const when = ends === undefined ? 'at a time it did not state' : `in ${duration(ends - now)}`;
    lines.push(`The platform gave no refresh token: this login ends ${when}.`);
  }
  return joinTexts(lines);
}

/** Settings of every login, which the other lines show. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set<SettingKey>([
  'baseUrl',
  'clientId',
  'tokenStore',
]);

function savedText({ profile, saved }: LoginReport): Text[] {
  const changed = Object.entries(saved)
    .filter(([key]) => !SHOWN_ELSEWHERE.has(key))
    .map(([key, value]) => (value === null ? `${key} (removed)` : `${key} "${value}"`));
  if (changed.length === 0) return [];
  return [
    `Settings saved for profile "${profile}": ${changed.join(', ')}.`,
    ...(typeof saved.scope === 'string'
      ? [
          phrase`Later logins ask for these scopes; ${sync('config', 'unset', 'scope')} restores the defaults.`,
        ]
      : []),
  ];
}

/** The next step after the first login of a profile. */
export const NEXT_STEP = phrase`Next: ${sync('upload', 'FILE')}, or ${sync('watch')} for each new recording.`;

export function missingText({ feature, command, scope }: MissingFeature): Text {
  return phrase`  ${feature} (${sync(...command.split(' ').slice(1))} needs ${scope})`;
}

/** An athlete's name and address, or the best identifier at hand. */
export function who({ id, name, email }: Account): string {
  return name === undefined ? (email ?? id) : email === undefined ? name : `${name} <${email}>`;
}
