import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Bundles the text of a file that is imported as `./page.css?raw`, as vitest does. */
export function rawText() {
  return {
    name: 'raw-text',
    resolveId: {
      filter: { id: /\?raw$/ },
      handler: (source, importer) => resolve(dirname(importer), source),
    },
    load: {
      filter: { id: /\?raw$/ },
      handler: (id) => ({
        code: `export default ${JSON.stringify(readFileSync(id.replace(/\?raw$/, ''), 'utf8'))};`,
        moduleType: 'js',
      }),
    },
  };
}
