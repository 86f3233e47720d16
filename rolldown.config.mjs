import { thirdPartyNotices } from './scripts/third-party-notices.mjs';
import { defineConfig } from 'rolldown';

/**
 * CommonJS, a chunk for each lazily loaded part: that starts fastest (docs/architecture.md). Only
 * packages with native code stay outside of the bundle.
 */
export default defineConfig({
  input: { main: 'src/main.ts', 'keychain-child': 'src/credentials/keychain-child.ts' },
  platform: 'node',
  external: ['@napi-rs/keyring', '@photostructure/sqlite'],
  plugins: [thirdPartyNotices()],
  output: {
    dir: 'dist',
    format: 'cjs',
    cleanDir: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    // A build for people to read in a stack trace; white space costs nothing at start-up.
    minify: { compress: true, mangle: false, codegen: false },
  },
});
