import manifest from '../../package.json' with { type: 'json' };

const REPOSITORY = manifest.homepage.replace(/#.*$/, '');

/** Returns the web address of a file in `docs/`: people who installed a package have no such folder. */
export function documentUrl(name: string): string {
  return `${REPOSITORY}/blob/main/docs/${name}`;
}
