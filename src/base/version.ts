import manifest from '../../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;
/**
 * Version of the lines that `--json` prints: their field `v`. It rises if a kind of line or a field is
 * renamed, removed or changes its meaning; a new one does not raise it.
 */
export const JSON_VERSION = 1;
export const ISSUES_URL: string = manifest.bugs;

/** Returns the web address of a file in `docs/`: people who installed a package have no such folder. */
export function documentUrl(name: string): string {
  return `${manifest.homepage.replace(/#.*$/, '')}/blob/main/docs/${name}`;
}

export const DAMAGED = 'This installation of sync is damaged';
export const INSTALL_AGAIN = 'Install it again.';
