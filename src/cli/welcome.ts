import { createContext } from '../app/context.ts';
import { quietConfigFor } from '../app/config.ts';
import type { System } from '../app/system.ts';
import { SyncError } from '../base/errors.ts';
import { type Text, joinTexts, phrase, sync } from '../base/phrase.ts';
import { VERSION } from '../base/version.ts';
import { hasEnvironmentTokens } from '../credentials/environment.ts';
import { errorText } from '../terminal/error.ts';
import type { GlobalFlags } from '../terminal/output.ts';

const ABOUT =
  'sync moves your recordings, wellness and nutrition to your training platform: once, on the right day.';

/** Prints what this program is, and the next command. Asks neither the keychain nor the service. */
export function printWelcome(system: System): void {
  const profile = system.env['SYNC_PROFILE'] || undefined;
  const flags: GlobalFlags = { profile, json: false, quiet: false, verbose: false };
  const context = createContext(system, VERSION, flags);
  const text = joinTexts([ABOUT, nextStep(() => quietConfigFor(context), flags)], '\n\n');
  context.output.result({}, text);
}

function nextStep(load: () => ReturnType<typeof quietConfigFor>, flags: GlobalFlags): Text {
  try {
    const config = load();
    const { account, loginId } = config;
    if (account === undefined && loginId === undefined && !hasEnvironmentTokens(config)) {
      return phrase`Begin with ${sync('login')}. ${sync('--help')} lists all commands.`;
    }
    const name = account?.name ?? account?.email ?? account?.id;
    const who = name === undefined ? '' : `You are logged in as ${name}. `;
    return phrase`${who}${sync('status')} shows what was sent, ${sync('upload', 'FILE')} sends a recording. ${sync('--help')} lists all commands.`;
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    return errorText(error, flags);
  }
}
