/**
 * Commands to type, as hints name them in backticks, for the profile in use: `sync login` without it
 * would take the place of somebody else's login.
 *
 * @param profile undefined or `default`: the text as it is
 */
export function namingProfile(text: string, profile: string | undefined): string {
  if (profile === undefined || profile === 'default') return text;
  return text.replace(COMMAND, (whole, command: string, from: string) =>
    /--(?:profile|help)\b/.test(command) ? whole : `\`${command} --profile ${profile}${from}\``,
  );
}

/** A command of ours in backticks, and where its stdin comes from. */
const COMMAND = /`(sync [a-z][^`<|]*?)((?: [<|][^`]*)?)`/g;
