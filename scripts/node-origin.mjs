// Compares the Node.js runtimes of the standalone archives with the signed releases on nodejs.org. Needs gpgv.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileHash } from './standalone/checksums.mjs';
import { PLATFORMS } from './standalone/platforms.mjs';
import { fetchPackage } from './standalone/registry.mjs';
import { signedText } from './standalone/signature.mjs';

const KEYRING = 'https://github.com/nodejs/release-keys/raw/HEAD/gpg/pubring.kbx';
const keys = await download(KEYRING);

for (const { name, node } of PLATFORMS) {
  const scratch = mkdtempSync(join(tmpdir(), 'athlete-sync-origin-'));
  try {
    const program = name.startsWith('win32') ? 'node.exe' : 'node';
    fetchPackage(node, scratch, [/^bin\/node(\.exe)?$/]);
    const packaged = fileHash('sha256', join(scratch, 'bin', program));
    const published = await publishedHash(name, node.version, scratch);
    console.log(`${packaged === published ? 'same' : 'DIFFERENT'}: ${node.name} ${node.version}`);
    if (packaged !== published) process.exitCode = 1;
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** The SHA-256 of Node's program in the release, which is checked against the release's own signed list. */
async function publishedHash(platform, version, scratch) {
  const release = `https://nodejs.org/dist/v${version}`;
  const sums = signedText(await download(`${release}/SHASUMS256.txt.asc`), keys, scratch);
  const sumOf = (file) =>
    sums
      .split('\n')
      .find((line) => line.endsWith(`  ${file}`))
      ?.slice(0, 64);
  if (platform === 'win32-x64') return sumOf('win-x64/node.exe');
  const archive = `node-v${version}-${platform}.tar.gz`;
  const content = await download(`${release}/${archive}`);
  const found = createHash('sha256').update(content).digest('hex');
  if (found !== sumOf(archive)) throw new Error(`${archive} is not the one in SHASUMS256.txt.asc.`);
  writeFileSync(join(scratch, archive), content);
  const program = `node-v${version}-${platform}/bin/node`;
  execFileSync('tar', ['-xzf', archive, program], { cwd: scratch });
  return fileHash('sha256', join(scratch, program));
}

async function download(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}
