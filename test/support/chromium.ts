import { existsSync } from 'node:fs';

const CANDIDATES = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

const path = CANDIDATES.find(
  (candidate) => candidate !== undefined && candidate !== '' && existsSync(candidate),
);

/**
 * The browser that tests click through pages with. None is downloaded: where there is none, those
 * tests are skipped (`describe.skipIf(!chromium.present)`) and say so by {@link chromium.note} in
 * their name.
 */
export const chromium = {
  present: path !== undefined,
  note: path === undefined ? ' (skipped: no Chromium here; CHROMIUM_PATH names one)' : '',
  /** For playwright-core's `chromium.launch`. Containers have neither a sandbox nor a GPU. */
  launchOptions: {
    ...(path === undefined ? {} : { executablePath: path }),
    args: ['--no-sandbox', '--disable-gpu'] as string[],
  },
} as const;
