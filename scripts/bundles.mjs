import { readFileSync } from 'node:fs';
import manifest from '../package.json' with { type: 'json' };
import { thirdPartyNotices } from './third-party-notices.mjs';
import { defineConfig } from 'rolldown';

/**
 * commander can start subcommands that are programs of their own, and loads `child_process` for it:
 * 4 ms of every start, for what is not used here.
 */
function withoutExecutableSubcommands() {
  const EMPTY = '\0no-child-process';
  return {
    name: 'without-executable-subcommands',
    resolveId: (source, importer) =>
      source === 'node:child_process' && /[\\/]commander[\\/]/.test(importer ?? '') ? EMPTY : null,
    load: (id) => (id === EMPTY ? 'export default {};' : null),
  };
}

/**
 * Writes what package.json says into `src/base/version.ts` as constants, which the build inlines. As a
 * module, it would be in a file that `main.cjs` loads before it answers `--version`.
 */
function manifestConstants() {
  return {
    name: 'manifest-constants',
    transform: {
      filter: { id: /src[\\/]base[\\/]version\.ts$/ },
      handler: (code) =>
        code
          .replace(/^import manifest .*$/m, '')
          .replace(/\bmanifest\.(\w+)/g, (_, name) => JSON.stringify(manifest[name])),
    },
  };
}

/** Changes of a zone's offset that are kept: no zone has more until 2102. */
const MOST_CHANGES = 370;

/** Returns the data of moment-timezone without what the program never reads: a third of them. */
export function trimmedZones({ version, zones, links }) {
  const kept = zones.map((zone) => {
    const [name, , offsets, indices, untils] = zone.split('|');
    const first = untils.split(' ').slice(0, MOST_CHANGES).join(' ');
    return [name, '', offsets, indices.slice(0, MOST_CHANGES + 1), first].join('|');
  });
  return { version, links, zones: kept };
}

function zoneData() {
  return {
    name: 'zone-data',
    transform: {
      filter: { id: /moment-timezone[\\/]data[\\/]packed[\\/]latest\.json$/ },
      handler: (code) => JSON.stringify(trimmedZones(JSON.parse(code))),
    },
  };
}

/** Bundles the text of a file that is imported as `./page.css?raw`, as vitest does. */
function rawText() {
  return {
    name: 'raw-text',
    load: {
      filter: { id: /\?raw$/ },
      handler: (id) => ({ code: readFileSync(id.replace('?raw', ''), 'utf8'), moduleType: 'text' }),
    },
  };
}

/**
 * Writes `watcher-chunks.txt`: the chunks that the watcher loads on demand, which it loads ahead of an update
 * (`loadAhead`). All chunks would take 2 to 5 MB more.
 */
function watcherChunks() {
  return {
    name: 'watcher-chunks',
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
      const start = chunks.find(({ moduleIds }) =>
        moduleIds.some((id) => /src[\\/]commands[\\/]watch[\\/]watch\.ts$/.test(id)),
      );
      const reached = new Set([start.fileName]);
      for (const fileName of reached) {
        const { imports, dynamicImports } = bundle[fileName];
        for (const next of [...imports, ...dynamicImports]) {
          if (isForWatcher(bundle[next])) reached.add(next);
        }
      }
      const source = [...reached].join('\n');
      this.emitFile({ type: 'asset', fileName: 'watcher-chunks.txt', source });
    },
  };
}

/**
 * Returns whether a chunk is for the watcher: not a module of Node, the one with the table of commands (which
 * is loaded already), nor the large client for proxies. Not date-fns-tz either (`runtime`): it asks `Intl`
 * while it loads, which takes 8 MB. The watcher loads it when it starts if the zone data of Node.js is the newest.
 */
function isForWatcher(chunk) {
  return chunk !== undefined && !['run', 'runtime', 'undici-http'].includes(chunk.name);
}

/** Packages with native code stay outside of the bundles. */
const external = ['@napi-rs/keyring', '@photostructure/sqlite'];

/** The program: CommonJS, a chunk for each lazily loaded part. That starts fastest (docs/internals/architecture.md). */
export const program = defineConfig({
  input: {
    main: 'src/main.ts',
    'keychain-child': 'src/credentials/keychain-child.ts',
    'device-child': 'src/devices/device-child.ts',
    'remote-child': 'src/devices/remote/remote-child.ts',
    'device-monitor': 'src/devices/monitor-child.ts',
    'signal-watchdog': 'src/system/signal-watchdog.ts',
    manual: 'scripts/manual/print.ts',
  },
  platform: 'node',
  external,
  optimization: { inlineConst: { mode: 'all' } },
  plugins: [
    withoutExecutableSubcommands(),
    manifestConstants(),
    watcherChunks(),
    zoneData(),
    rawText(),
    thirdPartyNotices(),
  ],
  output: {
    dir: 'dist',
    format: 'cjs',
    cleanDir: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].[hash].cjs',
    // Each file takes time to find and read: one for what every command loads, one for the configuration,
    // the ledger and the known files, one for the login, the service and what else `sync status` shows.
    codeSplitting: {
      groups: [
        { name: 'run', test: /src\/run\.ts/, priority: 1 },
        { name: 'upload', test: /src\/commands\/upload\.ts/ },
        { name: 'status', test: /src\/commands\/status\/status\.ts/ },
      ],
    },
    // A stack trace keeps the names of functions. Shorter names of variables save 1 ms of a start.
    minify: { compress: true, mangle: { keepNames: true }, codegen: true },
  },
});

/** The package's exports, as ES modules. They share no chunk with the program: that would slow its start. */
export const library = defineConfig({
  input: { index: 'src/library/index.ts', sandbox: 'src/library/sandbox.ts' },
  platform: 'node',
  external,
  plugins: [zoneData(), rawText()],
  output: {
    dir: 'dist/library',
    format: 'esm',
    cleanDir: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].[hash].js',
    // With short lines: Node.js prints the line of an uncaught error.
    minify: { compress: true, mangle: { keepNames: true }, codegen: false },
  },
});
