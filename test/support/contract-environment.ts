/** Variables that let a `sync sandbox` in another process report its exchanges to this test. */
export function contractEnvironment(): NodeJS.ProcessEnv {
  const preload = new URL('contract-preload.mjs', import.meta.url).href;
  return { NODE_OPTIONS: `--import=${preload}`, TEST_EXCHANGES: process.env['TEST_EXCHANGES'] };
}
